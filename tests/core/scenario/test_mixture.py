"""How a scenario writes a mixture: its keys, sweeps, refusals and edits."""

import json
import re

import pytest

from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.experiment import compile
from ldptui.core.scenario import (
    KEY_TYPES,
    KINDS,
    PARTS,
    default_of,
    kinds_at,
    line_of,
    names_of,
    parse,
    schema,
    sweepable_keys,
)

TEXT = """\
format = 1

[population]
kind = "counts"
counts = [500, 300, 150, 50, 0]

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
share = 0.2
targets = { items = [1, 4, 2] }
mix = [
    { kind = "mga", weight = 0.5, seeds = 3 },  # most of them
    { kind = "ria", weight = 0.3, targets = { items = [0, 1] } },
    { kind = "demote", weight = 0.2, targets = { items = [3] } },
]
"""


# The scenario.


def test_a_part_has_the_keys_of_its_kind_and_a_weight() -> None:
    assert set(PARTS) == set(KINDS["attack"]) - {"none"}
    assert kinds_at("attack.mix.3") == PARTS
    assert kinds_at("attack.phase.0.mix.1") == PARTS
    assert kinds_at("defence") == kinds_at("defence.2") == KINDS["defence"]
    assert names_of("defence", "ldprecover") == ("muted", "eta")
    assert default_of("defence.chance", "fiad") == default_of("defence.0.chance", "fiad") == 0.01
    keys = KEY_TYPES
    assert {"attack.mix.*.weight", "attack.mix.*.seeds", "attack.mix.*.targets.count"} <= set(keys)
    assert "attack.mix.*.share" not in keys


def test_parameters_name_every_part() -> None:
    (point,) = parse(TEXT).points()
    parameters = point.parameters
    assert parameters["attack.share"] == 0.2
    assert parameters["attack.mix.0.kind"] == "mga"
    assert parameters["attack.mix.0.weight"] == 0.5
    assert parameters["attack.mix.1.targets.items"] == [0, 1]
    assert "attack.kind" not in parameters
    assert "attack.mix.0.targets.items" not in parameters


def test_sweeps_index_the_parts() -> None:
    text = f"""{TEXT}
[sweep]
"attack.mix.0.weight" = [0.1, 0.9]
"attack.mix.1.kind" = ["ria", "rpa"]
"""
    cells = experiment_of(text)
    assert len(cells) == 4
    assert [cell.parameters["attack.mix.0.weight"] for cell in cells] == [0.1, 0.1, 0.9, 0.9]
    assert [cell.parameters["attack.mix.1.kind"] for cell in cells] == ["ria", "rpa"] * 2
    assert cells[0].fakes[0].count < cells[2].fakes[0].count
    ranged = text.replace("[0.1, 0.9]", "{ from = 0, to = 1, points = 3 }")
    assert [cell.parameters["attack.mix.0.weight"] for cell in experiment_of(ranged)][::2] == [
        0.0,
        0.5,
        1.0,
    ]


def test_a_swept_kind_of_a_part_drops_the_keys_of_the_others() -> None:
    text = f'{TEXT}\n[sweep]\n"attack.mix.0.kind" = ["mga", "apa"]\n'
    first, second = experiment_of(text)
    assert first.parameters["attack.mix.0.seeds"] == 3
    assert "attack.mix.0.seeds" not in second.parameters


def experiment_of(text: str) -> tuple[Cell, ...]:
    return compile(parse(text)).cells


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("weight = 0.5", "weight = -1", "attack.mix.0.weight must be at least 0, got -1", 15),
        ("weight = 0.5, ", "", "attack.mix.0.weight is required", 15),
        ('"ria"', '"rio"', "attack.mix.1.kind must be one of rpa, ria", 16),
        ('kind = "ria", ', "", "attack.mix.1.kind is required, one of", 16),
        (
            "seeds = 3",
            "seed = 3",
            r"attack.mix.0.seed is not a known key \(did you mean seeds\?\)",
            15,
        ),
        ("seeds = 3", "share = 0.3", "attack.mix.0.share is not a known key", 15),
        ("seeds = 3", 'seeds = "x"', "attack.mix.0.seeds must be an integer in", 15),
        (
            "items = [0, 1]",
            "item = [0, 1]",
            r"attack.mix.1.targets.item is not a known key",
            16,
        ),
        ("items = [3]", "items = [9]", "attack.mix.2.targets.items must be items from", 17),
        (
            "share = 0.2",
            'share = 0.2\nkind = "mga"',
            "attack.kind is not a known key, only mix, share, targets",
            13,
        ),
        ("targets = { items = [1, 4, 2] }", "", "attack.mix.0.targets is required where", 15),
        ("share = 0.2", "", "attack.share is required", 11),
        ("share = 0.2", "share = 0.2\nseeds = 3", "attack.seeds is not a known key", 13),
    ],
)
def test_errors_are_at_their_key_and_line(old: str, new: str, message: str, line: int) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    with pytest.raises(ScenarioError, match=message) as raised:
        experiment_of(text)
    assert line_of(text, raised.value.key) == line


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        ("[]", "attack.mix must list at least one part"),
        ('"mga"', "attack.mix must be a list of tables, got"),
        ('[{ kind = "ria", weight = 0 }]', "attack.mix must have a part with a positive weight"),
        ('[{ kind = "none", weight = 1 }]', "attack.mix.0.kind must be one of"),
    ],
)
def test_bad_mixtures(mix: str, message: str) -> None:
    head = TEXT.partition("mix = [")[0]
    with pytest.raises(ScenarioError, match=message):
        parse(f"{head}mix = {mix}\n")


def test_a_part_that_makes_no_sense_is_named() -> None:
    text = TEXT.replace('kind = "oue"', 'kind = "grr"').replace(
        'kind = "mga", weight = 0.5, seeds = 3', 'kind = "apa", weight = 0.5'
    )
    with pytest.raises(ScenarioError, match=r'attack.mix.0.kind must not be "apa" against GRR'):
        experiment_of(text)


def test_the_schema_has_the_mixture_and_its_swept_keys() -> None:
    described = schema()
    text = json.dumps(described)
    assert "MixtureSpec" in text
    names = described["properties"]["sweep"]["propertyNames"]["anyOf"]
    assert all("*" not in key for name in names for key in name.get("enum", []))
    patterns = [name["pattern"] for name in names if "pattern" in name]
    assert any(re.search(pattern, "attack.mix.12.weight") for pattern in patterns)
    assert not any(re.search(pattern, "attack.mix.x.weight") for pattern in patterns)
    assert "attack.mix.*.weight" in sweepable_keys()
