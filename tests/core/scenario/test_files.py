"""Scenario files: what is accepted, what is refused and how, sweeps, round trips, edits."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.kinds import CAO_ATTACKS

import scenarios
from core.errors import FileError, ScenarioError
from core.experiment import compile
from core.scenario import (
    edit,
    known_keys,
    line_of,
    load,
    parse,
    read_document,
    schema,
    sweepable_keys,
    to_toml,
)

PLAIN = """\
format = 1
title = "Plain"

[population]
kind = "zipf"
items = 16
users = 1000
exponent = 1.0

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.05
targets = { pick = "random", count = 2 }
"""


def swept(**axes: str) -> str:
    """The plain scenario with a sweep: dotted keys (`__` for the dot), values as TOML."""
    lines = [f'"{key.replace("__", ".")}" = {value}' for key, value in axes.items()]
    return PLAIN + "\n[sweep]\n" + "\n".join(lines) + "\n"


def refused(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        compile(parse(text, "my.toml"))
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("my.toml:")
    return message


def values(text: str, key: str) -> list[Any]:
    return [cell.parameters[key] for cell in compile(parse(text)).cells]


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
    ("format = 1", "format = 2", "format must be 1, got 2"),
    ("format = 1", 'format = "1"', 'format must be 1, got "1"'),
    ("format = 1", "format = true", "format must be 1, got true"),
    ("format = 1", "format = 1\ncolour = 3", "colour is not a known key"),
    ("format = 1", "format = 1\ntrials = 0", "trials must be in [1, 10^6], got 0"),
    ("format = 1", "format = 1\nseed = -1", "seed must be in [0, 2^63), got -1"),
    ("format = 1", "format = 1\nattack = 1\n[x]", "is not valid TOML"),
    ("items = 16", "items = 1", "population.items must be in [2, 2^20], got 1"),
    ("items = 16", "items = 16.0", "population.items must be an integer in [2, 2^20], got 16.0"),
    ("items = 16", "items = 1048577", "population.items must be in [2, 2^20], got 1 048 577"),
    ("users = 1000", "users = 0", "population.users must be in [1, 10^13], got 0"),
    ("users = 1000", "users = 10000000000001", "population.users must be in [1, 10^13], got"),
    ("users = 1000", "users = 10000000000000", "at most 10^13 together"),
    ('"zipf"', '"zip"', 'population.kind must be one of "zipf", "uniform", '),
    ('kind = "zipf"\n', "", 'population.kind is required, one of "zipf", '),
    ("exponent = 1.0", "ratio = 0.5", "population."),
    ("epsilon = 1.0", "epsilon = 0", "protocol.epsilon must be in (0, 20], got 0"),
    ("epsilon = 1.0", "epsilon = 20.5", "protocol.epsilon must be in (0, 20], got 20.5"),
    ("epsilon = 1.0", "epsilon = 1.0\nhash_range = 4", "protocol.hash_range is not a known key"),
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
        "attack.targets.items must be indices in [0, 16), got 16",
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
    ('{ pick = "random", count = 2 }', "3", "attack.targets must be a table, got 3"),
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
    with pytest.raises(FileError, match="cannot be read"):
        load(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"format = 1\ntitle = '\xff'\n")
    with pytest.raises(ScenarioError, match=r"binary\.toml:2: is not UTF-8 text"):
        load(binary)


def test_a_file_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.scenario.scenario.MAX_BYTES", 1 << 20)  # its sentence has 1 MiB
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


# Sweeps.


def test_cells_are_the_product_in_file_order_the_last_key_fastest() -> None:
    text = swept(protocol__epsilon="[1.0, 2.0]", attack__share="[0.1, 0.2, 0.3]")
    assert values(text, "protocol.epsilon") == [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    assert values(text, "attack.share") == [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]
    assert [cell.index for cell in compile(parse(text)).cells] == list(range(6))


def test_a_linear_and_a_log_axis() -> None:
    text = swept(attack__share="{ from = 0.0, to = 0.2, points = 5 }")
    assert values(text, "attack.share") == [0.0, 0.05, 0.1, 0.15, 0.2]
    text = swept(protocol__epsilon='{ from = 0.01, to = 10, points = 4, scale = "log" }')
    assert values(text, "protocol.epsilon") == [0.01, 0.1, 1.0, 10.0]


def test_integer_keys_are_rounded_and_duplicates_dropped() -> None:
    text = swept(attack__targets__count="{ from = 1, to = 4, points = 20 }")
    assert values(text, "attack.targets.count") == [1, 2, 3, 4]
    text = swept(attack__seeds='{ from = 1, to = 1000, points = 7, scale = "log" }')
    assert values(text, "attack.seeds") == [1, 3, 10, 32, 100, 316, 1000]
    assert all(isinstance(seeds, int) for seeds in values(text, "attack.seeds"))


def test_an_axis_may_fall() -> None:
    text = swept(protocol__epsilon="{ from = 3.0, to = 1.0, points = 3 }")
    assert values(text, "protocol.epsilon") == [3.0, 2.0, 1.0]


def test_a_swept_key_may_be_left_out_of_its_table_and_dotted_keys_need_no_quotes() -> None:
    text = PLAIN.replace("share = 0.05\n", "") + "\n[sweep]\nattack.share = [0.1, 0.2]\n"
    assert values(text, "attack.share") == [0.1, 0.2]


def test_a_swept_kind_lets_each_cell_keep_the_keys_that_it_knows() -> None:
    text = swept(protocol__kind='["oue", "olh"]', attack__kind='["none", "ria", "mga"]')
    text = text.replace("epsilon = 1.0", "epsilon = 1.0\nhash_range = 5")
    text = text.replace("share = 0.05", "share = 0.05\nseeds = 50")
    cells = compile(parse(text)).cells
    assert [cell.hash_range for cell in cells] == [None] * 3 + [5] * 3
    for cell in cells:
        kind = cell.parameters["attack.kind"]
        assert ("protocol.hash_range" in cell.parameters) == (
            cell.parameters["protocol.kind"] == "olh"
        )
        assert ("attack.seeds" in cell.parameters) == (kind == "mga")
        assert ("attack.share" in cell.parameters) == (kind != "none")
        assert ("attack.targets.count" in cell.parameters) == (kind != "none")


def test_a_key_that_no_swept_kind_knows_is_refused() -> None:
    text = swept(protocol__kind='["oue", "sue"]')
    text = text.replace("epsilon = 1.0", "epsilon = 1.0\nhash_range = 5")
    assert "protocol.hash_range is not a known key" in refused(text)


def test_none_ignores_share_and_targets() -> None:
    (cell,) = compile(parse(PLAIN.replace('kind = "mga"', 'kind = "none"'))).cells
    assert cell.malicious == 0
    assert "attack.share" not in cell.parameters


BAD_SWEEPS = [
    ({"attack__shar": "[0.1]"}, "attack.shar is not a key that can be swept"),
    ({"attack__shar": "[0.1]"}, "(did you mean attack.share?)"),
    ({"title": '["a"]'}, "title is not a key that can be swept"),
    ({"attack__targets": "[{ items = [1] }]"}, "attack.targets is not a key that can be swept"),
    ({"attack__share": "[]"}, "sweep.attack.share must list at least one value, got []"),
    ({"attack__share": "0.1"}, "sweep.attack.share must be a list or "),
    ({"attack__share": "[0.1, 1.5]"}, "attack.share must be in [0, 1), got 1.5"),
    ({"attack__share": "{ from = 0, points = 3 }"}, "sweep.attack.share.to must be a number"),
    (
        {"attack__share": "{ from = 0, to = 1, points = 0 }"},
        "sweep.attack.share.points must be an integer in [1, 10 000], got 0",
    ),
    (
        {"attack__share": "{ from = 0, to = 0.5, points = 2, steps = 3 }"},
        "sweep.attack.share.steps is not a known key",
    ),
    (
        {"attack__share": '{ from = 0, to = 0.5, points = 2, scale = "cubic" }'},
        'sweep.attack.share.scale must be "linear" or "log", got "cubic"',
    ),
    (
        {"attack__share": '{ from = 0, to = 0.5, points = 2, scale = "log" }'},
        "sweep.attack.share must be positive on a log scale, got 0",
    ),
    (
        {"attack__share": "{ from = -1e308, to = 1e308, points = 3 }"},
        "attack.share must be in [0, 1)",
    ),
]


@pytest.mark.parametrize(("axes", "message"), BAD_SWEEPS)
def test_a_bad_sweep_is_refused(axes: dict[str, str], message: str) -> None:
    assert message in refused(swept(**axes))


def test_every_key_can_be_swept_but_those_of_the_file_and_open_tables() -> None:
    assert set(known_keys()) - set(sweepable_keys()) == {
        "format", "title", "about", "attack.options", "attack.mix.*.options",
        "attack.phase.*.mix.*.options", "defence.*.options", "protocol.options",
        "population.options", "metric.*.options",
    }  # fmt: skip


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


def test_the_number_of_cells_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    many = swept(attack__share="{ from = 0, to = 0.5, points = 10001 }")
    assert "sweep must give at most 10 000 cells, got 10 001" in refused(many)
    tried: list[object] = []
    monkeypatch.setattr(
        "core.scenario.scenario.validate", lambda one: (tried.append(one), ([], None))[1]
    )
    assert not read_document(
        swept(attack__share="{ from = 0, to = 1, points = 999999 }")
    ).problems()
    assert len(tried) == 1  # not every one of them, which would take minutes
    monkeypatch.undo()
    monkeypatch.setattr("core.experiment.MAX_CELLS", 2)
    three = parse(swept(attack__share="[0.1, 0.2, 0.3]"))
    with pytest.raises(ScenarioError, match="at most 2 cells, got 3"):
        compile(three)
    assert len(compile(three, limits=False).cells) == 3


def test_a_part_that_is_not_there_cannot_be_set() -> None:
    text = PLAIN + '[[attack.mix]]\nkind = "mga"\nweight = 1\n'
    with pytest.raises(ScenarioError) as caught:
        read_document(text, "my.toml").with_value("attack.mix.4.weight", 1)
    assert str(caught.value) == (
        "my.toml: attack.mix.4.weight must name one of the 1 parts of attack.mix, from 0, got 4"
    )


# Data.


def csv_scenario(**keys: str) -> str:
    lines = "".join(f'{key} = "{value}"\n' for key, value in keys.items())
    return PLAIN[: PLAIN.index("[attack]")].replace(
        'kind = "zipf"\nitems = 16\nusers = 1000\nexponent = 1.0\n', f'kind = "csv"\n{lines}'
    )


def test_a_csv_column_gives_items_users_and_sorted_labels(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(
        'id,colour\n1,red\n2,"blue, dark"\n3,red\n\n', encoding="utf-8"
    )
    scenario = parse(csv_scenario(path="people.csv", column="colour"), folder=tmp_path)
    (cell,) = compile(scenario).cells
    assert cell.population.labels == ("blue, dark", "red")
    assert cell.population.histogram.tolist() == [1, 2]


def test_a_column_of_counts_gives_totals_and_targets_by_label(tmp_path: Path) -> None:
    (tmp_path / "totals.csv").write_text("word,n\nb,5\na,0\nb,2\nc,10\n", encoding="utf-8")
    text = csv_scenario(path="totals.csv", column="word", count="n")
    text += '[attack]\nkind = "mga"\nshare = 0.1\ntargets = { items = ["c", 0] }\n'
    (cell,) = compile(parse(text, folder=tmp_path)).cells
    assert cell.population.histogram.tolist() == [0, 7, 10]
    assert cell.targets.tolist() == [2, 0]


def test_a_million_rows_are_read(tmp_path: Path) -> None:
    drawn = np.random.default_rng(1).integers(0, 50, size=1_000_000)
    names = np.array([f"item {k:02}" for k in range(50)])
    path = tmp_path / "big.csv"
    path.write_text(
        "row,item\n" + "".join(f"1,{name}\n" for name in names[drawn]), encoding="utf-8"
    )
    (cell,) = compile(parse(csv_scenario(path=str(path), column="item"))).cells
    assert cell.population.histogram.tolist() == np.bincount(drawn).tolist()
    assert cell.population.labels == tuple(names)


@pytest.mark.parametrize(
    ("content", "keys", "error", "message"),
    [
        (b"a,b\n1,2\n", {"column": "c"}, ScenarioError, "population.column must be a column of"),
        (b"a\nx\nx\n", {"column": "a"}, ScenarioError, "must hold at least 2 different items"),
        (b"", {"column": "a"}, ScenarioError, "which is empty"),
        (b"a,b\n1\n2,3\n", {"column": "b"}, ScenarioError, "line 2 has 1 cells"),
        (
            b"a,n\nx,1\ny,-2\n",
            {"column": "a", "count": "n"},
            ScenarioError,
            'must be a whole number, at least 0, in data.csv line 3, got "-2"',
        ),
        (b"a,n\nx,0\ny,0\n", {"column": "a", "count": "n"}, ScenarioError, "must add up to"),
        (b"a\n\xff\n", {"column": "a"}, FileError, "is not UTF-8 text"),
        (None, {"column": "a"}, FileError, "cannot be read: No such file"),
    ],
)
def test_bad_data_are_refused(
    tmp_path: Path,
    content: bytes | None,
    keys: dict[str, str],
    error: type[Exception],
    message: str,
) -> None:
    if content is not None:
        (tmp_path / "data.csv").write_bytes(content)
    with pytest.raises(error) as caught:
        compile(parse(csv_scenario(path="data.csv", **keys), folder=tmp_path))
    assert message in str(caught.value)


def test_items_and_users_are_refused_where_the_data_give_them() -> None:
    text = csv_scenario(path="x.csv", column="a").replace('kind = "csv"', 'kind = "csv"\nitems = 3')
    assert "population.items is not a known key" in refused(text)


def test_explicit_counts() -> None:
    counts = PLAIN.replace('kind = "zipf"\nitems = 16\nusers = 1000\nexponent = 1.0', "{}")
    text = counts.replace("{}", 'kind = "counts"\ncounts = [5, 0, 7]', 1)
    (cell,) = compile(parse(text)).cells
    assert (cell.users, cell.population.domain_size) == (12, 3)
    for bad in ("[5]", "[0, 0]", "[-1, 2]", '["a", 2]', "[1.5, 2]", "5"):
        text = counts.replace("{}", f'kind = "counts"\ncounts = {bad}', 1)
        assert "population.counts must" in refused(text)


def test_random_targets_are_nested_and_shared_by_protocols_attacks_and_shares() -> None:
    text = swept(
        protocol__kind='["grr", "oue"]',
        attack__kind='["ria", "mga"]',
        attack__share="[0.1, 0.2]",
        attack__targets__count="[1, 3, 8]",
    )
    by_count: dict[object, set[tuple[int, ...]]] = {}
    for cell in compile(parse(text)).cells:
        targets = tuple(cell.targets.tolist())
        by_count.setdefault(cell.parameters["attack.targets.count"], set()).add(targets)
    ((one,), (three,), (eight,)) = by_count.values()
    assert eight[:3] == three
    assert three[:1] == one


# Round trips, edits, the schema.


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


@pytest.mark.every(3)
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


def test_setting_a_swept_key_replaces_its_sweep() -> None:
    scenario = parse(swept(attack__share="[0.1, 0.2]", protocol__epsilon="[1.0, 2.0]"))
    changed = scenario.with_value("attack.share", 0.3)
    assert changed.sweep == {"protocol.epsilon": [1.0, 2.0]}
    assert changed.with_value("protocol.epsilon", 3.0).sweep == {}
    assert scenario.sweep["attack.share"] == [0.1, 0.2]  # frozen


def test_setting_a_kind_drops_what_the_new_kind_does_not_know() -> None:
    text = PLAIN.replace('"oue"', '"olh"').replace("epsilon = 1.0", "epsilon = 1.0\nhash_range = 3")
    changed = parse(text).with_value("protocol.kind", "grr")
    assert not changed.problems()
    assert changed.document["protocol"] == {"kind": "grr", "epsilon": 1.0}


def test_the_line_of_a_key() -> None:
    text = swept(protocol__epsilon="[1.0]")
    lines = text.splitlines()
    for key, line in (
        ("attack.share", "share = 0.05"),
        ("protocol.epsilon", '"protocol.epsilon" = [1.0]'),
        ("attack", "[attack]"),
    ):
        number = line_of(text, key)
        assert number is not None
        assert lines[number - 1] in (line, "epsilon = 1.0")


def holds(described: dict[str, Any], value: Any) -> bool:
    """True if a JSON Schema without references has a place for every key of a value."""
    if "anyOf" in described:
        return any(holds(option, value) for option in described["anyOf"])
    if isinstance(value, dict) and "properties" in described:
        places = described["properties"]
        return all(key in places and holds(places[key], item) for key, item in value.items())
    if isinstance(value, list) and isinstance(described.get("items"), dict):
        return all(holds(described["items"], item) for item in value)
    return described.get("type") != "object" or isinstance(value, dict)


def test_the_schema_has_a_place_for_what_sweeps_and_goals_leave_in_and_out() -> None:
    described = schema()
    assert "$ref" not in json.dumps(described["properties"])
    tables = {name: described["properties"][name] for name in ("protocol", "attack", "population")}
    assert "required" not in json.dumps(tables)
    for name in scenarios.names():
        document = load(scenarios.path(name)).document
        assert holds({"properties": described["properties"]}, document), name
    assert not holds(tables["attack"], {"kind": "mga", "shar": 0.1})
    assert described["then"]["properties"]["protocol"]["oneOf"]  # where nothing is swept


def test_the_schema_names_every_key_and_is_json() -> None:
    written = json.dumps(schema())
    for key in known_keys():
        assert f'"{key.rpartition(".")[2]}"' in written
    assert set(schema()["required"]) == {"format", "population", "protocol"}
    keys, *patterns = schema()["properties"]["sweep"]["propertyNames"]["anyOf"]
    for key in ("defence.eta", "defence.1.eta", "attack.mix.0.weight", "attack.options.honest"):
        assert any(re.match(known["pattern"], key) for known in patterns), key
    assert keys["enum"] == [key for key in sweepable_keys() if "*" not in key]
