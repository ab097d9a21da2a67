"""The topic trust: names that scripts rely on, refusals, and the tab."""

from __future__ import annotations

import json
import math

import pytest
from support.commands import Captured, fail, succeed
from support.lab_tabs import ask

TRUST_MODELS = [
    "local",
    "hidden",
    "verified",
    "shuffled",
    "aggregated-sumvec",
    "aggregated-multihot",
    "aggregated-histogram",
    "curator",
]
WAYS = ("trust", "--delta", "1e-8", "--users", "1e6", "--items", "128")


def test_the_trust_models_as_json(capsys: Captured) -> None:
    printed = succeed(
        capsys, *WAYS, "--central", "1", "--share", "0.01", "--targets", "5", "--format", "json"
    )
    models = json.loads(printed)["trust_models"]
    assert list(dict.fromkeys(costs["trust"] for costs in models)) == TRUST_MODELS
    for costs in models:
        assert list(costs) == [
            "trust", "protocol", "epsilon", "sd", "gain_one", "gain", "overturning_share",
        ]  # fmt: skip
        assert costs["gain_one"] <= costs["gain"] * 1.1
        assert 0 < costs["sd"] < 0.1
    assert {costs["protocol"] for costs in models if costs["trust"] == "shuffled"} >= {"grr", "oue"}


def test_a_shuffled_protocol_as_json(capsys: Captured) -> None:
    printed = succeed(capsys, *WAYS, "--protocol", "oue", "--epsilon", "4", "--format", "json")
    found = json.loads(printed)
    assert 0 < found["at_least"] < found["central_epsilon"] < 0.04
    back = json.loads(
        succeed(
            capsys, *WAYS, "--protocol", "oue", "--central", str(found["central_epsilon"]),
            "--format", "json",
        )
    )  # fmt: skip
    assert back["epsilon"] == pytest.approx(4, rel=1e-3)
    any_of_all = json.loads(
        succeed(capsys, *WAYS, "--protocol", "any", "--epsilon", "4", "--format", "json")
    )
    assert any_of_all["central_epsilon"] > found["central_epsilon"]


@pytest.mark.long
def test_users_who_hide_nobody_and_the_smallest_batch(capsys: Captured) -> None:
    """Of OUE for a central ε of 1 with n = 10^6: 1.11 where a fifth of the users hide nobody."""
    solved = json.loads(
        succeed(capsys, "trust", "--protocol", "oue", "--central", "1", "--delta", "1e-8",
                "--users", "1e6", "--items", "1024", "--format", "json")
    )  # fmt: skip
    for silent, expected in (("0.01", 1.005), ("0.2", 1.11), ("0.5", 1.35), ("0.9", 2.21)):
        found = json.loads(
            succeed(capsys, "trust", "--protocol", "oue", "--epsilon", str(solved["epsilon"]),
                    "--delta", "1e-8", "--users", "1e6", "--items", "1024", "--silent", silent,
                    "--format", "json")
        )  # fmt: skip
        assert found["central_epsilon"] == pytest.approx(expected, rel=0.01)
    batch = json.loads(
        succeed(capsys, "trust", "--protocol", "oue", "--central", "1", "--epsilon", "4",
                "--delta", "1e-8", "--items", "1024", "--format", "json")
    )  # fmt: skip
    assert batch["solved"] == "users"
    assert batch["central_epsilon"] <= 1 + 1e-6
    assert math.isclose(batch["users"], 1284, rel_tol=2e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--central", "1", "--delta", "0"], "--delta must be in (0, 1), got 0"),
        (["--delta", "1e-8", "--central", "1", "--epsilon", "1"], "--epsilon must be left out"),
        (["--delta", "1e-8", "--central", "1", "--share", "0"], "--share must be above 0"),
        (["--delta", "1e-8", "--central", "1", "--targets", "16"], "--targets must be in [1, 15]"),
        (["--delta", "1e-8", "--central", "1", "--weight", "17"], "--weight must be in [2, 16]"),
        (["--delta", "1e-8", "--protocol", "geometric", "--epsilon", "1"], "must be one of any"),
        (["--delta", "1e-8", "--protocol", "hst", "--epsilon", "1"], "say whose they are"),
        (["--delta", "1e-8", "--protocol", "grr"], "two of central, epsilon and users must"),
        (["--delta", "1e-8", "--protocol", "grr", "--epsilon", "1", "--silent", "0.9999"],
         "--silent must leave a user"),
    ],
)  # fmt: skip
def test_refusals(capsys: Captured, arguments: list[str], message: str) -> None:
    assert message in fail(capsys, 2, "trust", "--items", "16", "--users", "1000", *arguments)


def test_no_batch_is_large_enough(capsys: Captured) -> None:
    said = fail(capsys, 2, "trust", "--protocol", "grr", "--epsilon", "20", "--central", "1e-5",
                "--delta", "1e-8", "--items", "16")  # fmt: skip
    assert "--central must be larger: 1e+09 shuffled users do not bring ε to it" in said


def test_a_weak_delta_is_said(capsys: Captured) -> None:
    printed = succeed(capsys, "trust", "--protocol", "grr", "--epsilon", "1", "--delta", "0.01",
                      "--users", "1000", "--items", "16")  # fmt: skip
    assert "δ is above 1/n" in printed
    assert "not a bound at small n" in printed


def test_the_tab_shows_all_trust_models_and_one_protocol() -> None:
    shown = ask("trust", items=64, users=10**6, central=1.0, delta=1e-6, targets=4)
    [bars] = shown.charts
    assert "overturn" in bars.title
    assert "the proof decides" in shown.verdict[1]
    one = ask("trust", protocol="grr", items=64, users=10_000, epsilon=2.0, central=None,
              delta=1e-6)  # fmt: skip
    assert one.figures
    assert "at most" in one.verdict[0]
