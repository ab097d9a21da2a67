"""The claims of the bundled scenarios about filters and alarms, each read off a run of it."""

from __future__ import annotations

from typing import Any

import pytest

import scenarios
from core.experiment import compile
from core.results import CellResults
from core.runner import run
from core.scenario import load


def measured(name: str, sweep: dict[str, list[Any]], **top: Any) -> dict[tuple[Any, ...], Any]:
    """The results of a bundled scenario by its swept values, `sweep` in place of its own."""
    scenario = load(scenarios.path(name))
    document = {**scenario.document, **top, "sweep": sweep}
    experiment = compile(type(scenario)(document, name, scenario.folder))
    *_, last = run(experiment, frequencies=False)
    assert not last.results.error
    return {
        tuple(cell.parameters[key] for key in sweep): result
        for cell, result in zip(experiment.cells, last.results.cells, strict=True)
    }


def mean(result: CellResults, metric: str) -> float:
    value = result.estimate(metric).mean
    assert value is not None
    return value


def test_an_alarm_that_compares_rounds_sees_jumps_and_not_ramps() -> None:
    key = "attack.phase.1.share.to"
    keys = {key: [0.01, 0.05], "defence.0.kind": ["history", "asd"]}
    by = measured("alarm-history", keys, trials=40)
    seen = {place: mean(result, "alarm_rate") for place, result in by.items()}
    false = [mean(result, "false_alarm_rate") for (_, kind), result in by.items() if kind != "asd"]
    assert seen[0.05, "history"] == 1
    assert seen[0.01, "history"] < 0.3
    assert max(false) < 0.2
    assert seen[0.05, "asd"] > 0.9
    assert seen[0.01, "asd"] < 0.1
    delays = [mean(by[0.05, kind], "detection_delay") for kind in ("history", "asd")]
    assert delays[1] > delays[0] + 1


@pytest.mark.long
def test_fiad_over_the_number_of_targets() -> None:
    keys = {"protocol.kind": ["oue", "olh"], "attack.targets.count": [2, 5, 10]}
    by = measured("detection-r", keys, trials=1)
    left = {place: mean(result, "gain_after") for place, result in by.items()}
    gain = {place: mean(result, "gain") for place, result in by.items()}
    for protocol in keys["protocol.kind"]:
        assert left[protocol, 2] == pytest.approx(gain[protocol, 2], abs=0.02)  # nobody is caught
        assert abs(left[protocol, 5]) < 0.05 < gain[protocol, 5]
    assert abs(left["oue", 10]) < 0.02
    assert 0.02 < left["olh", 10] < 0.2 * gain["olh", 10]


@pytest.mark.long
def test_each_filter_finds_the_attack_that_does_not_know_it() -> None:
    swept = load(scenarios.path("detection-beta")).sweep
    keys = {key: swept[key] for key in ("defence.0.kind", "attack.kind")}
    by = measured("detection-beta", keys)
    found = {place: mean(result, "recall") for place, result in by.items()}
    assert found["fiad", "mga"] == found["fiad", "apa"] == found["diffstats", "mga"] == 1
    assert found["fiad", "mga-a"] == 0
    assert 0.2 < found["diffstats", "mga-a"] < 0.8
    assert 0.2 < found["diffstats", "apa"] < 0.9
    for attack in ("mga", "apa"):
        assert mean(by["fiad", attack], "false_positive_rate") < 0.001
