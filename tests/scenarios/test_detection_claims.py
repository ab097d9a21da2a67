"""The claims of the bundled scenarios about filters and alarms, each read off a run of it."""

from __future__ import annotations

import numpy as np
import pytest
from support.claims import bundled, mean, results_by, theory

from ldptui import scenarios
from ldptui.core.scenario import load


def test_an_alarm_that_compares_rounds_sees_jumps_and_not_ramps() -> None:
    key = "attack.phase.1.share.to"
    keys = {key: [0.01, 0.05], "defence.0.kind": ["history", "asd"]}
    by = results_by(bundled("alarm-history", trials=40, sweep=keys), *keys)
    seen = {place: mean(result, "alarm_rate") for place, result in by.items()}
    false = [mean(result, "false_alarm_rate") for (_, kind), result in by.items() if kind != "asd"]
    assert seen[0.05, "history"] == 1
    assert seen[0.01, "history"] < 0.3
    assert max(false) < 0.2
    assert seen[0.05, "asd"] > 0.9
    assert seen[0.01, "asd"] < 0.1
    delays = [mean(by[0.05, kind], "detection_delay") for kind in ("history", "asd")]
    assert delays[1] > delays[0] + 1


@pytest.mark.parametrize(
    ("protocol", "users", "noise", "worse"),
    [("grr", 100_000, 0.0034, 2.62), ("olh", 20_000, 0.0063, 1.93)],
)
def test_two_reports_tell_of_the_assumed_mga_alone(
    protocol: str, users: int, noise: float, worse: float
) -> None:
    """noise : of the estimate in one trial. worse : the gain by that without a defence."""
    fewer = {"population__users": users, "protocol__kind": protocol, "attack__kind": "mga"}
    experiment = bundled(
        "two-reports", trials=2, sweep={"defence.0.assumed": ["honest", "crafted"]}, **fewer
    )
    by = results_by(experiment, "defence.0.assumed")
    left = {kind: mean(result, "gain_after") for (kind,), result in by.items()}
    gain = mean(by["crafted",], "gain")
    share = by["crafted",].metrics["share_estimate"]
    assert np.abs(share - 0.05).max() < 7 * noise
    assert left["crafted"] < 0.75 * gain
    assert left["honest"] == pytest.approx(worse * gain, rel=0.1)


def test_two_reports_of_most_attacks_are_noise() -> None:
    keys = "protocol.kind", "attack.kind", "defence.0.assumed"
    noise = theory("two-reports", "share_estimate_std", *keys, attack__share=0.05)
    for protocol in ("grr", "oue"):
        assert noise[protocol, "ria", "honest"] > 4
        assert noise[protocol, "mga", "crafted"] < 0.02
    assert noise["grr", "rpa", "random"] > 7
    assert 0.05 < noise["olh", "rpa", "random"] < 0.1


@pytest.mark.long
def test_fiad_over_the_number_of_targets() -> None:
    keys = {"protocol.kind": ["oue", "olh"], "attack.targets.count": [2, 5, 10]}
    by = results_by(bundled("detection-r", trials=1, sweep=keys), *keys)
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
    by = results_by(bundled("detection-beta", sweep=keys), *keys)
    found = {place: mean(result, "recall") for place, result in by.items()}
    assert found["fiad", "mga"] == found["fiad", "apa"] == found["diffstats", "mga"] == 1
    assert found["fiad", "mga-a"] == 0
    assert 0.2 < found["diffstats", "mga-a"] < 0.8
    assert 0 < found["diffstats", "apa"] <= 1  # in some trials all, in others hardly any
    for attack in ("mga", "apa"):
        assert mean(by["fiad", attack], "false_positive_rate") < 0.001
