"""`set=` of load, compile and run, and `Scenario.set`."""

from __future__ import annotations

import numpy as np
import pytest

import ldptui

TEXT = """\
format = 1
trials = 3
[population]
kind = "uniform"
items = 4
users = 100
[protocol]
kind = "grr"
[attack]
kind = "mga"
targets = { items = [1] }
"""


def test_a_list_sweeps_a_key_and_a_value_takes_its_place() -> None:
    swept = ldptui.load("quickstart", set={"attack.share": [0.01, 0.05], "protocol.epsilon": 2})
    assert swept.sweep == {"attack.share": [0.01, 0.05]}
    assert swept.document["protocol"]["epsilon"] == 2
    assert swept.set({"attack.share": 0.1}).sweep == {}
    assert swept.set({"attack": {"kind": "none"}}).sweep == {}  # of a key below
    spaced = swept.set({"attack.share": {"from": 0.1, "to": 0.3, "points": 3}})
    assert spaced.sweep == {"attack.share": [0.1, 0.2, 0.3]}
    of_numpy = ldptui.load("quickstart", set={"attack.share": np.array([0.1, 0.2])})
    assert of_numpy.sweep == {"attack.share": [0.1, 0.2]}


def test_a_key_that_takes_a_list_is_swept_over_lists() -> None:
    one = ldptui.load("quickstart", set={"attack.targets.items": [3, 4], "attack.share": 0.1})
    assert one.sweep == {}
    assert one.document["attack"]["targets"]["items"] == [3, 4]
    two = one.set({"attack.targets.items": [[3], [4, 5]]})
    assert two.sweep == {"attack.targets.items": [[3], [4, 5]]}


def test_a_goal_and_a_share_take_the_place_of_each_other() -> None:
    goal = {"goal.metric": "gain", "goal.at_least": 0.5, "goal.over": "share"}
    scenario = ldptui.load("quickstart", set=goal)
    assert "share" not in scenario.document["attack"]
    assert scenario.sweep == {}
    assert "goal" not in scenario.set({"attack.share": 0.1}).document


def test_what_is_set_is_heard_before_the_rules() -> None:
    with pytest.raises(ldptui.ScenarioError, match=r"protocol\.epsilon"):
        ldptui.load(TEXT)
    results = ldptui.run(TEXT, trials=2, seed=5, set={"protocol.epsilon": 1, "attack.share": 0.1})
    assert (results.trials, results.cells[0].seed) == (2, 5)
    same = ldptui.run(
        TEXT, set={"trials": 2, "seed": 5, "protocol.epsilon": 1, "attack.share": 0.1}
    )
    assert same.digest == results.digest
    cell = ldptui.compile(TEXT, set={"protocol.epsilon": 1.0, "attack.share": 0.5}).cells[0]
    assert cell.malicious == 100


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"set": 5}, "set must be a dict of values by their keys, got 5"),
        ({"set": {5: 1}}, "set must be a dict of values by their keys"),
        ({"set": {"attack.shar": 1}}, r"attack\.shar is not a known key"),
        ({"set": {"attack.share": [0.1, "x"]}}, r"attack\.share must be a number"),
        ({"trials": 0}, "trials must be"),
    ],
)
def test_what_cannot_be_set(given: dict[str, object], words: str) -> None:
    with pytest.raises(ldptui.ScenarioError, match=words):
        ldptui.run("quickstart", **given)  # type: ignore[arg-type]


def test_a_compiled_experiment_keeps_its_keys() -> None:
    experiment = ldptui.compile("quickstart")
    with pytest.raises(ldptui.ScenarioError, match="set must be left out"):
        ldptui.run(experiment, trials=2)
    with pytest.raises(ldptui.ScenarioError, match="set must be left out"):
        ldptui.compile(experiment, set={"trials": 2})
