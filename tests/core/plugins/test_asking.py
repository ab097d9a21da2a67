"""Attacks in Python that a scenario asks for by name."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from support.cases import cell, experiment
from support.plugin_cases import (
    HONEST,
    asking,
    permitted,
)

from ldptui.core.attacks import PythonAttack
from ldptui.core.base.errors import ScenarioError
from ldptui.core.plugins import Plugin
from ldptui.core.scenario import schema, sweepable_keys


def test_a_scenario_asks_by_name_and_runs_on_the_reports_path(tmp_path: Path) -> None:
    one = cell(attack=asking("honest", {"b": [1, {"y": 2, "x": 3}], "a": True}), trials=20)
    assert isinstance(one.attack, PythonAttack)
    assert one.attack.options == {"a": True, "b": [1, {"x": 3, "y": 2}]}
    assert repr(one.attack.options) == "{'a': True, 'b': [1, {'x': 3, 'y': 2}]}"
    assert one.path == "reports"
    assert (one.malicious, one.targets.tolist()) == (1111, [1, 3])
    assert one.parameters["attack.options.a"] is True
    assert one.parameters["attack.options.b"] == [1, {"y": 2, "x": 3}]


@pytest.mark.parametrize(
    ("attack", "top", "message"),
    [
        ({}, {"simulate": {"path": "counts"}}, 'simulate.path must be "auto" or "reports"'),
        ({"options": [1]}, {}, "attack.options must be a table, got [1]"),
        ({"seeds": 3}, {}, "attack.seeds is not a known key"),
    ],
)
def test_what_it_asks_is_checked(attack: Any, top: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        experiment(attack={**asking("honest"), **attack}, **top)
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "right\u202eto left"])
def test_a_name_can_be_shown(name: str) -> None:
    with pytest.raises(ScenarioError, match=r"attack.name must be the name of an attack") as error:
        experiment(attack=asking(name))
    assert str(error.value).isprintable()


def test_options_can_be_swept() -> None:
    whole = experiment(
        attack=asking("honest", {"strength": 0}),
        sweep={"attack.options.strength": [1, 2], "attack.kind": ["mga", "plugin"]},
    )
    assert [cell.parameters.get("attack.options.strength") for cell in whole.cells] == [
        None, 1, None, 2,
    ]  # fmt: skip
    assert [cell.path for cell in whole.cells] == ["counts", "reports"] * 2
    axis = {"from": 0.0, "to": 1.0, "points": 3}
    spaced = experiment(attack=asking("honest"), sweep={"attack.options.deep.x": axis})
    values = [cell.parameters["attack.options.deep.x"] for cell in spaced.cells]
    assert values == [0.0, 0.5, 1.0]
    assert "attack.options" not in sweepable_keys()
    with pytest.raises(ScenarioError, match="is not a key that can be swept"):
        experiment(attack=asking("honest"), sweep={"attack.options": [{}]})
    names = schema()["properties"]["sweep"]["propertyNames"]["anyOf"]
    assert "attack.name" in names[0]["enum"]
    assert {"pattern": r"^attack\.options\."} in names


def test_a_plugin_is_its_attack_and_where_the_code_is(tmp_path: Path) -> None:
    attack = permitted(HONEST, "honest", tmp_path).attack
    assert isinstance(attack, Plugin)
    names = [field.name for field in dataclasses.fields(PythonAttack)]
    assert [field.name for field in dataclasses.fields(Plugin)] == [*names, "source"]
    assert attack.source.digest not in repr(attack)
