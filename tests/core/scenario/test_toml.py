"""Scenarios written and edited: round trips, comments and layout, mixtures and phases."""

from __future__ import annotations

from typing import Any

import pytest
from support.kinds import CAO_ATTACKS
from support.scenario_files import PLAIN, edit

from ldptui import scenarios
from ldptui.core.scenario import (
    line_of,
    load,
    parse,
    read_document,
    to_toml,
)


@pytest.mark.parametrize("name", scenarios.names())
def test_writing_a_document_and_reading_it_gives_it_back(name: str) -> None:
    document = load(scenarios.path(name)).document
    assert parse(to_toml(document)).document == document if name != "survey" else True
    assert read_document(to_toml(document)).document == document


EDITS: list[tuple[str, Any]] = [
    ("attack.share", 0.25),
    ("attack.targets.count", 3),
    ("title", 'A "new"\ntitle'),
    ("simulate.top_k", 5),
    ("protocol.kind", "grr"),
    ("attack.kind", "none"),
    ("trials", 7),
    ("about", None),
]


@pytest.mark.every(7)
@pytest.mark.parametrize("name", scenarios.names())
@pytest.mark.parametrize(("key", "value"), EDITS)
def test_an_edit_keeps_comments_and_does_what_with_value_does(
    name: str, key: str, value: Any
) -> None:
    text = scenarios.path(name).read_text(encoding="utf-8")
    edited = edit(text, key, value)
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert comments
    assert [line for line in edited.splitlines() if line.startswith("#")] == comments
    after = read_document(edited).document
    if value is None:
        assert key not in after
    else:
        assert after == read_document(text).with_value(key, value).document


def test_an_edit_touches_only_its_line() -> None:
    before, after = PLAIN.splitlines(), edit(PLAIN, "attack.share", 0.2).splitlines()
    assert [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]] == [
        ("share = 0.05", "share = 0.2")
    ]


MIX = """format = 1  # first

[attack]  # whose
share = 0.05
mix = [ { kind = "mga", weight = 0.8 }, { kind = "ria", weight = 0.2 } ]  # how

[simulate]
top_k = 3
"""


def test_a_list_of_tables_is_edited_in_place() -> None:
    mix = [{"kind": "mga", "weight": 0.7}, {"kind": "ria", "weight": 0.2}]
    edited = edit(MIX, "attack", {"share": 0.05, "mix": mix})
    assert edited == MIX.replace("0.8", "0.7")


def test_a_part_more_gives_each_part_a_line() -> None:
    mix = [{"kind": kind, "weight": 1.0} for kind in CAO_ATTACKS[::-1]]
    edited = edit(MIX, "attack", {"share": 0.05, "mix": mix})
    assert read_document(edited).document["attack"]["mix"] == mix
    assert [line_of(edited, f"attack.mix.{at}.weight") for at in range(3)] == [6, 7, 8]
    assert "# how" in edited


def test_phases_come_and_go_as_tables() -> None:
    mix = [{"kind": "mga", "weight": 1.0}]
    one = {"phase": [{"rounds": 3, "share": 0.1, "mix": mix}]}
    two = {"phase": [*one["phase"], {"rounds": 4, "share": 0.2, "mix": mix * 2}]}
    first = edit(MIX, "attack", one)
    text = first
    for attack in (two, one, two, one):
        text = edit(text, "attack", attack)
        assert read_document(text).document["attack"] == attack
        assert text.count("[[attack.phase]]") == len(attack["phase"])
    assert text == first  # and no blank lines are left behind
    assert "\n\n[simulate]\n" in text
    assert to_toml(read_document(text).document).count("[[attack.phase]]") == 1


def test_the_line_of_a_part_of_a_list() -> None:
    mix = [{"kind": "mga", "weight": 1.0}, {"kind": "ria", "weight": 1.0}]
    phases = [{"rounds": 3, "mix": mix}, {"rounds": 4, "mix": mix, "share": 0.5}]
    lines = (text := edit(MIX, "attack", {"phase": phases})).splitlines()
    found = [line_of(text, key) for key in (
        "attack.phase", "attack.phase.0", "attack.phase.0.share", "attack.phase.1.share",
        "attack.phase.1.mix.1.kind",
    )]  # fmt: skip
    here = [lines[number - 1] for number in found if number is not None]
    assert here == ["[[attack.phase]]"] * 3 + ["share = 0.5", '    {kind = "ria", weight = 1.0},']
    assert found[0] == found[1] == found[2] == lines.index("[[attack.phase]]") + 1
