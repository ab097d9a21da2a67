"""Whatever a scenario file or --set holds: one clear sentence or a valid scenario."""

from __future__ import annotations

import random

import pytest
from support.mutations import mutated_toml

from ldptui import scenarios
from ldptui.core.base.errors import FileError, LdpError, ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.scenario import KEY_TYPES, Scenario, parse

FOLDER = scenarios.path("survey").parent
BUNDLED = {name: scenarios.path(name).read_text(encoding="utf-8") for name in scenarios.names()}
KEYS = sorted(KEY_TYPES)
FEW, MANY = 60, 20_000

SWEPT = """\
format = 1
[population]
kind = "zipf"
items = 8
users = 100
exponent = {exponent}
[protocol]
kind = "oue"
epsilon = {epsilon}
[attack]
kind = "mga"
share = {share}
targets = {{ items = [1, 2] }}
[sweep]
"{key}" = [0.5]
"""


def assert_clear(error: LdpError) -> None:
    assert str(error).isprintable()
    assert "Traceback" not in str(error)


def small(scenario: Scenario) -> bool:
    """True where binding the scenario is quick."""
    sizes = [getattr(point.population, "items", 0) for point in scenario.points()]
    return len(sizes) <= 20 and max(sizes) <= 5000


def check(text: str) -> bool:
    """Read a file and compile it; False where it is refused, and anything else raises."""
    try:
        scenario = parse(text, "my.toml", FOLDER)
        if scenario.cells <= 20 and small(scenario):
            compile(scenario)
    except (ScenarioError, FileError) as error:
        assert_clear(error)
        return False
    return True


def run(seeds: range) -> None:
    valid = 0
    for seed in seeds:
        draw = random.Random(seed)
        text = mutated_toml(BUNDLED[draw.choice(sorted(BUNDLED))], KEYS, draw)
        try:
            valid += check(text)
        except Exception as error:
            raise AssertionError(f"seed {seed} raises {error!r}:\n{text}") from error
    assert 0 < valid < len(seeds)  # mutations that spoil all files, or none, would test nothing


def test_mutated_scenarios() -> None:
    run(range(FEW))


@pytest.mark.long
def test_many_mutated_scenarios() -> None:
    run(range(MANY))


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("key", ["population.exponent", "protocol.epsilon", "attack.share"])
def test_a_base_value_under_a_sweep_is_finite(key: str, number: str) -> None:
    values = {"exponent": "1.0", "epsilon": "1.0", "share": "0.1"}
    text = SWEPT.format(**{**values, key.rpartition(".")[2]: number}, key=key)
    with pytest.raises(ScenarioError, match=rf"{key} must be finite, got {number}"):
        parse(text, "my.toml")


def test_options_of_a_plug_in_are_finite() -> None:
    text = BUNDLED["python-attack"]
    assert check(text)
    scenario = parse(text, "my.toml", FOLDER).with_value(
        "attack.options", {"x": [1.0, float("nan")]}
    )
    (problem,) = scenario.problems()
    assert str(problem) == "my.toml: attack.options.x.1 must be finite, got nan"


@pytest.mark.parametrize("key", ["attack.share", "population.users", "trials", "seed"])
def test_an_integer_that_no_float_holds_is_refused(key: str) -> None:
    text = SWEPT.format(exponent=1, epsilon=1, share=0.1, key="population.exponent")
    (problem, *_) = parse(text, "my.toml").with_value(key, 10**400).problems()
    assert problem.key == key
    swept = parse(text, "my.toml").with_value(
        "sweep", {"protocol.epsilon": {"from": 1, "to": 10**400, "points": 2}}
    )
    (problem,) = swept.problems()
    assert problem.key == "sweep.protocol.epsilon.to"
    assert "must be finite" in str(problem)
