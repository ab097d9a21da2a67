"""Scenario files: what is accepted, and what is refused and how."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from support.scenario_files import PLAIN, refused, swept

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.scenario import (
    load,
    parse,
    read_document,
)


def test_a_plain_scenario_has_the_defaults_of_the_contract() -> None:
    (cell,) = compile(parse(PLAIN)).cells
    assert cell.parameters == {
        "seed": 0,
        "trials": 20,
        "population.kind": "zipf",
        "population.items": 16,
        "population.users": 1000,
        "population.exponent": 1.0,
        "protocol.kind": "oue",
        "protocol.epsilon": 1.0,
        "attack.kind": "mga",
        "attack.share": 0.05,
        "attack.targets.pick": "random",
        "attack.targets.count": 2,
        "attack.seeds": 1000,
        "attack.scoring": "anchor",
        "simulate.path": "auto",
        "simulate.top_k": 20,
    }
    assert cell.malicious == round(1000 * 0.05 / 0.95)
    assert cell.top_k == 16  # capped at d
    assert cell.path == "counts"


def test_without_an_attack_nothing_is_attacked() -> None:
    text = PLAIN[: PLAIN.index("[attack]")]
    (cell,) = compile(parse(text)).cells
    assert cell.attack is None
    assert cell.malicious == 0
    assert cell.parameters["attack.kind"] == "none"


REFUSED = [
    ("share = 0.05", "share = 1.5", "attack.share must be in [0, 1), got 1.5"),
    ("share = 0.05", "share = 1.0", "attack.share must be in [0, 1), got 1.0"),
    ("share = 0.05", "share = -0.1", "attack.share must be in [0, 1), got -0.1"),
    ("share = 0.05", "share = nan", "attack.share must be in [0, 1), got nan"),
    ("share = 0.05", 'share = "5%"', 'attack.share must be a number in [0, 1), got "5%"'),
    ("share = 0.05", "share = true", "attack.share must be a number in [0, 1), got true"),
    ("share = 0.05\n", "", "attack.share is required"),
    ("share", "shar", "attack.shar is not a known key (did you mean share?)"),
    ("format = 1", "", "format is required: write format = 1"),
    (PLAIN, "", "is empty: a scenario begins with format = 1"),
    ("format = 1", "format = 2", "format must be 1, got 2"),
    ("format = 1", 'format = "1"', 'format must be 1, got "1"'),
    ("format = 1", "format = true", "format must be 1, got true"),
    ("format = 1", "format = 1\ncolour = 3", "colour is not a known key, only about, attack, cam"),
    ("format = 1", "format = 1\ntrials = 0", "trials must be in [1, 10^6], got 0"),
    ("format = 1", "format = 1\nseed = -1", "seed must be in [0, 2^63), got -1"),
    ("format = 1", "format = 1\nattack = 1\n[x]", "is not valid TOML"),
    ("items = 16", "items = 1", "population.items must be in [2, 2^20], got 1"),
    ("items = 16", "items = 16.5", "population.items must be an integer in [2, 2^20], got 16.5"),
    ("items = 16", "items = 1048577", "population.items must be in [2, 2^20], got 1 048 577"),
    ("users = 1000", "users = 0", "population.users must be in [1, 10^13], got 0"),
    ("users = 1000", "users = 10000000000001", "population.users must be in [1, 10^13], got"),
    ("users = 1000", "users = 10000000000000", "at most 10^13 together"),
    ('"zipf"', '"zip"', "population.kind must be one of zipf, uniform, "),
    ('kind = "zipf"\n', "", "population.kind is required, one of zipf, "),
    ('kind = "zipf"', 'knd = "zipf"', "population.knd is not a known key (did you mean kind?)"),
    ("exponent = 1.0", "ratio = 0.5", "population."),
    ("epsilon = 1.0", "epsilon = 0", "protocol.epsilon must be in (0, 20], got 0"),
    ("epsilon = 1.0", "epsilon = 20.5", "protocol.epsilon must be in (0, 20], got 20.5"),
    (
        "epsilon = 1.0",
        "epsilon = 1.0\nhash_range = 4",
        "protocol.hash_range is not a known key, only epsilon, kind",
    ),
    ("count = 2", "count = 0", "attack.targets.count must be in [1, 2^20], got 0"),
    (
        "count = 2",
        "count = 17",
        "attack.targets.count must be in [1, 16], the number of items, got 17",
    ),
    ('"random"', '"rare"', 'attack.targets.pick must be "random", "least-frequent" or'),
    (
        '{ pick = "random", count = 2 }',
        "{ items = [] }",
        "attack.targets.items must name at least one target, got []",
    ),
    (
        '{ pick = "random", count = 2 }',
        "{ items = [3, 3] }",
        "attack.targets.items must be distinct, got 3 twice",
    ),
    (
        '{ pick = "random", count = 2 }',
        "{ items = [16] }",
        "attack.targets.items must be items from 0 to 15, got 16",
    ),
    (
        '{ pick = "random", count = 2 }',
        '{ items = ["a"] }',
        'attack.targets.items must be indices, as this population has no labels, got "a"',
    ),
    (
        '{ pick = "random", count = 2 }',
        "{ items = [1], count = 1 }",
        "attack.targets.count must be left out: targets are picked, or listed",
    ),
    (
        '{ pick = "random", count = 2 }',
        "3",
        "attack.targets must be a table, got 3: write { items = [1, 2] }",
    ),
    ('kind = "mga"', 'kind = "ria"\nseeds = 10', "attack.seeds is not a known key"),
    ("share = 0.05", "share = 0.05\nseeds = 0", "attack.seeds must be in [1, 10^6], got 0"),
    (
        "share = 0.05",
        'share = 0.05\nscoring = "best"',
        'attack.scoring must be "anchor" or "bucket"',
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_a_broken_rule_is_one_line_with_file_key_rule_and_value(
    old: str, new: str, message: str
) -> None:
    assert old in PLAIN
    assert message in refused(PLAIN.replace(old, new, 1))


def test_the_example_of_the_contract_is_met_to_the_letter() -> None:
    message = refused(PLAIN.replace("share = 0.05", "share = 1.5"))
    assert message == "my.toml: attack.share must be in [0, 1), got 1.5"


@pytest.mark.parametrize(
    ("text", "line"),
    [("format = 1\nitems = = 2\n", 2), ("format = 1\n[population\n", 2), ("a = 1\n\n\na = 2\n", 4)],
)
def test_what_is_not_toml_is_refused_with_its_line(text: str, line: int) -> None:
    assert refused(text).startswith(f"my.toml:{line}: is not valid TOML: ")


def test_a_file_that_is_missing_a_folder_or_binary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        load(tmp_path / "missing.toml")
    with pytest.raises(FileError, match="cannot be read: it is a folder"):
        load(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"format = 1\ntitle = '\xff'\n")
    with pytest.raises(ScenarioError, match=r"binary\.toml:2: is not UTF-8 text"):
        load(binary)


def test_a_file_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ldptui.core.scenario.scenario.MAX_BYTES", 1 << 20
    )  # its sentence has 1 MiB
    with pytest.raises(ScenarioError, match=r"^/dev/zero: must be at most 1 MiB$"):
        load(Path("/dev/zero"))


def test_a_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(PLAIN))
    writer.start()
    assert load(pipe).document == parse(PLAIN).document
    writer.join()


def test_windows_line_ends_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(PLAIN.replace("\n", "\r\n").encode())
    assert load(path).document == parse(PLAIN).document


def test_all_problems_are_found_at_once() -> None:
    text = PLAIN.replace("share = 0.05", "share = 2.0").replace("items = 16", "items = 0")
    keys = [problem.key for problem in read_document(text).problems()]
    assert sorted(keys) == ["attack.share", "population.items"]


# Limits.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN.replace("items = 16", "items = 1048577"), "population.items must be in [2, 2^20]"),
        (PLAIN.replace("users = 1000", "users = 20000000000000"), "must be in [1, 10^13]"),
        (
            swept(attack__share="[0.1, 0.2]").replace("format = 1", "format = 1\ntrials = 500001"),
            "trials times cells must be at most 1 000 000",
        ),
        (
            PLAIN.replace("users = 1000", "users = 100000000000") + '[simulate]\npath = "reports"',
            'simulate.path must be "counts" where users × items exceeds 10^12',
        ),
    ],
)
def test_limits_refuse_and_no_limits_lifts_them(text: str, message: str) -> None:
    refusal = refused(text)
    assert message in refusal
    assert "--no-limits" in refusal
    assert compile(parse(text), limits=False).cells


def test_a_part_that_is_not_there_cannot_be_set() -> None:
    text = PLAIN + '[[attack.mix]]\nkind = "mga"\nweight = 1\n'
    with pytest.raises(ScenarioError) as caught:
        read_document(text, "my.toml").with_value("attack.mix.4.weight", 1)
    assert str(caught.value) == (
        "my.toml: attack.mix.4.weight must name one of the 1 parts of attack.mix, from 0, got 4"
    )


def test_a_scenario_is_printed_as_toml_and_told_in_a_line() -> None:
    scenario = parse(PLAIN, "plain.toml")
    assert parse(str(scenario)).document == scenario.document
    assert repr(scenario) == "<Scenario 'plain.toml': 'Plain', cells: 1>"
