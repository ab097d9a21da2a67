"""Sweeps: their axes, the cells that they give, and those that are refused."""

from __future__ import annotations

import pytest
from support.scenario_files import PLAIN, refused, swept, values

from ldptui.core.base.errors import ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.scenario import (
    KEY_TYPES,
    parse,
    read_document,
    sweepable_keys,
)


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


@pytest.mark.parametrize(
    ("key", "good", "bad", "sentence"),
    [
        ("protocol.epsilon", "epsilon = 1.0", 'epsilon = "x"', "must be a number in (0, 20]"),
        ("protocol.epsilon", "epsilon = 1.0", "epsilon = 21.0", "must be in (0, 20], got 21.0"),
        ("attack.share", "share = 0.05", "share = 1.5", "must be in [0, 1), got 1.5"),
    ],
)
def test_a_value_beneath_its_sweep_is_checked(key: str, good: str, bad: str, sentence: str) -> None:
    text = swept(**{key.replace(".", "__"): "[0.1, 0.2]"})
    assert f"my.toml: {key} {sentence}" in refused(text.replace(good, bad))
    assert len(compile(parse(text.replace(f"{good}\n", ""))).cells) == 2  # it may be left out


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
    assert [cell.protocol.facts().get("hash_range") for cell in cells] == [None] * 3 + [5] * 3
    for cell in cells:
        kind = cell.parameters["attack.kind"]
        assert ("protocol.hash_range" in cell.parameters) == (
            cell.parameters["protocol.kind"] == "olh"
        )
        assert ("attack.seeds" in cell.parameters) == (kind == "mga")
        assert ("attack.share" in cell.parameters) == (kind != "none")
        assert ("attack.targets.count" in cell.parameters) == (kind != "none")


@pytest.mark.parametrize("kinds", ['"oue", "sue"', '"oue", 1.0'])
def test_a_key_that_no_swept_kind_knows_is_refused(kinds: str) -> None:
    text = swept(protocol__kind=f"[{kinds}]")
    text = text.replace("epsilon = 1.0", "epsilon = 1.0\nhash_range = 5")
    words = f"protocol.hash_range is no key of any kind that is swept: {kinds}"
    assert words.replace('"', "") in refused(text)


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
    assert set(KEY_TYPES) - set(sweepable_keys()) == {
        "format", "title", "about", "labels", "attack.options", "attack.mix.*.options",
        "attack.phase.*.mix.*.options", "defence.*.options", "protocol.options",
        "population.options", "metric.*.options",
    }  # fmt: skip


def test_the_number_of_cells_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    many = swept(attack__share="{ from = 0, to = 0.5, points = 10001 }")
    assert "sweep must give at most 10 000 cells, got 10 001" in refused(many)
    tried: list[object] = []
    monkeypatch.setattr(
        "ldptui.core.scenario.scenario.validate", lambda one, _: (tried.append(one), ([], None))[1]
    )
    assert not read_document(
        swept(attack__share="{ from = 0, to = 1, points = 999999 }")
    ).problems()
    assert len(tried) == 1  # not every one of them, which would take minutes
    monkeypatch.undo()
    monkeypatch.setattr("ldptui.core.experiment.experiment.MAX_CELLS", 2)
    three = parse(swept(attack__share="[0.1, 0.2, 0.3]"))
    with pytest.raises(ScenarioError, match="at most 2 cells, got 3"):
        compile(three)
    assert len(compile(three, limits=False).cells) == 3
