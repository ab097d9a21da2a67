"""SECURITY.md promises only what a test shows: the tests behind each sentence, by name."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]

SHOWN: Final[dict[str, tuple[str, ...]]] = {
    "A scenario, a recording, a store and a settings file": (
        "fuzz/test_strangers.py::test_no_command_runs_the_code_that_a_scenario_asks_for",
        "fuzz/test_strangers.py::test_no_text_of_a_scenario_is_run",
        "fuzz/test_strangers.py::test_no_route_of_a_kept_run_runs_its_code",
        "ldptui/test_python_attacks.py::test_settings_run_no_code_and_a_refusal_names_the_option",
    ),
    "Attacks, defences, protocols, populations and metrics in Python run only": (
        "ldptui/test_consent.py::test_agreed_code_may_run_as_long_as_it_is_the_same",
        "ldptui/test_consent.py::test_code_that_settings_name_runs_only_after_a_yes",
        "ldptui/test_python_attacks.py::test_nothing_of_the_workbench_runs_it",
    ),
    "Nothing that lies in the folder you are in is imported": (
        "fuzz/test_strangers.py::test_a_strangers_folder_hides_no_module",
    ),
    "Files are parsed as TOML, JSON, CSV": (
        "ldptui/commands/test_damaged.py::test_a_file_of_any_kind_ends_with_a_sentence",
        "fuzz/test_inputs.py::test_no_input_raises",
    ),
    "Nothing is unpickled from a file": (
        "fuzz/test_strangers.py::test_no_pickle_of_a_store_is_loaded",
        "fuzz/test_strangers.py::test_no_pickle_of_a_recording_is_loaded",
        "fuzz/test_strangers.py::test_no_file_of_any_name_is_unpickled",
        "ldptui/commands/test_damaged.py::test_a_file_of_any_kind_ends_with_a_sentence",
    ),
    "Text of files is cleaned before a terminal shows it": (
        "fuzz/test_hostile_text.py::test_no_command_lets_data_steer_the_terminal",
    ),
    "`ldptui perturb`, and `perturb(values)` of a protocol, draw every coin": (
        "core/sampling/test_secure.py::test_every_byte_of_a_draw_is_one_of_the_system",
        "core/sampling/test_secure.py::test_reports_without_a_generator_are_of_these_bytes_alone",
        "core/protocols/test_she.py::test_real_users_cannot_send_it",
    ),
    "What is drawn from a seed, for tests": (
        "ldptui/commands/test_collecting.py::test_reports_for_tests_say_so_in_every_row",
    ),
    "`perturb` and `estimate` overwrite neither": (
        "ldptui/commands/test_collecting.py::test_nothing_is_overwritten",
    ),
    "ldptui opens no network connection": (
        "fuzz/test_network.py::test_no_command_touches_the_network",
    ),
    "`ldptui serve` is bound to this machine": (
        "ldptui/test_serve.py::test_only_pages_of_the_server_connect",
        "ldptui/test_serve.py::test_a_server_shows_the_workbench_and_refuses_others_in_a_line",
    ),
    "Whoever may connect does with your files": (),  # no promise
}
"""The tests behind each sentence of the promises, by the words that the sentence begins with."""


def sentences() -> list[str]:
    """The sentences of the section of promises."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    section = text.partition("## What ldptui promises")[2].partition("\n## ")[0]
    points = [" ".join(point.split()) for point in re.split(r"^- ", section, flags=re.MULTILINE)]
    plain = [point.replace("**", "") for point in points if point]
    return [part for point in plain for part in re.split(r"(?<=[.:])\s(?=[A-Z`])", point)]


def test_every_sentence_names_its_tests() -> None:
    said = sentences()
    starts = [[start for start in SHOWN if sentence.startswith(start)] for sentence in said]
    assert [sentence for sentence, found in zip(said, starts, strict=True) if len(found) != 1] == []
    assert {start for (start,) in starts} == set(SHOWN)


@pytest.mark.parametrize("place", sorted({each for tests in SHOWN.values() for each in tests}))
def test_the_tests_are_there(place: str) -> None:
    path, _, name = place.partition("::")
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    defined = {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert name in defined
