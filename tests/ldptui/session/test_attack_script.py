"""The attack as a script, in words."""

import tomllib
from typing import Any

import pytest

from ldptui import scenarios
from ldptui.core.scenario import Scenario, load
from ldptui.screens import help_screen
from ldptui.session.draft.attack_script import (
    add_phase,
    described_mix,
    shape_of,
    shares_of,
    without_phases,
)

TARGETS = {"pick": "random", "count": 3}
ONE = {"kind": "mga", "share": 0.1, "targets": TARGETS, "seeds": 50}
MGA = {"kind": "mga", "weight": 0.8, "seeds": 50}
RIA = {"kind": "ria", "weight": 0.2}
MIXTURE = {"share": 0.1, "targets": TARGETS, "mix": [MGA, RIA]}
PHASES = {
    "phase": [
        {"rounds": 20, "share": {"from": 0.0, "to": 0.05}, "targets": TARGETS, "mix": [MGA, RIA]},
        {"rounds": 5, "share": 0.1, "mix": [MGA], "muted": True},
    ]
}


@pytest.mark.parametrize(
    ("attack", "shape"),
    [(ONE, "one"), ({}, "one"), ({"kind": "none"}, "one"), (MIXTURE, "mixture"),
     (PHASES, "phases"), ({"phase": "?"}, "phases")],
)  # fmt: skip
def test_the_shape_of_an_attack(attack: dict, shape: str) -> None:
    assert shape_of(attack) == shape


def test_words() -> None:
    assert described_mix([MGA, RIA]) == "mga 80 % ria 20 %"
    assert described_mix([MGA]) == "mga"
    assert shares_of([MGA, {"weight": 0.2}, {"weight": "?"}]) == [0.8, 0.2, 0.0]
    assert shares_of([{"weight": 0.0}]) == [0.0]


def problems(**tables: Any) -> list[str]:
    """What is wrong with the quickstart with these tables."""
    document = load(scenarios.path("quickstart")).document
    return [str(each) for each in Scenario({**document, **tables, "sweep": {}}).problems()]


@pytest.mark.parametrize(("attack", "shares"), [
    ({"kind": "mga", "share": 0.1, "seeds": 5}, [0.0, 0.1]),
    ({"kind": "none"}, [0.0, 0.05]),
    ({"mix": [{"kind": "ria", "weight": 1.0}], "share": 0.02}, [0.0, 0.02]),
    ({"phase": [{"rounds": 3, "share": 0.1, "mix": [{"kind": "mga", "weight": 1.0}]}]}, [0.1, 0.1]),
])  # fmt: skip
def test_a_phase_more_is_a_valid_attack(attack: dict[str, Any], shares: list[float]) -> None:
    after = add_phase({**attack, "targets": {"items": [1]}})
    assert [phase["share"] for phase in after["phase"]] == shares
    assert after["targets"] == {"items": [1]}
    assert ("seeds" in attack) == ("seeds" in after["phase"][1]["mix"][0])
    assert problems(attack=after) == []


def test_a_phase_is_added_behind_another() -> None:
    after = add_phase(PHASES, 0)["phase"]
    assert [phase["rounds"] for phase in after] == [20, 20, 5]


def test_the_only_phase_becomes_the_attack_of_every_round() -> None:
    for number, left in enumerate(
        [MIXTURE | {"share": 0.05}, {"kind": "mga", "seeds": 50, "share": 0.1}]
    ):
        alone = {"phase": PHASES["phase"][number : number + 1]}
        assert without_phases(alone) == left


def test_the_example_in_the_help_is_a_valid_attack() -> None:
    assert problems(**tomllib.loads(help_screen.PHASES)) == []
