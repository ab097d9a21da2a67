"""The planner's command and tab."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from scipy.special import ndtri
from support.commands import Captured, fail, succeed
from support.lab_tabs import ask

from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols import NUMBERS

EXAMPLE = ("plan", "--protocol", "oue", "--epsilon", "1", "--items", "128", "--alpha", "0.05",
           "--power", "0.9", "--share", "0.01")  # fmt: skip


def planned(capsys: Captured, *arguments: str) -> dict[str, Any]:
    values = json.loads(succeed(capsys, *EXAMPLE, *arguments, "--format", "json"))
    assert isinstance(values, dict)
    return values


def test_the_lines_are_the_formulas(capsys: Captured) -> None:
    values = planned(capsys, "--users", "1000000")
    e = math.e
    variance, a, reports = 4 * e / (e - 1) ** 2, 2 * e / (e - 1), 1e6 / 0.99
    z, z_b = -ndtri(0.05 / 128), ndtri(0.9)
    assert values["solved"] == "frequency"
    assert values["attack_floor"] == pytest.approx(0.01 * a)
    assert values["undetectable_floor"] == pytest.approx(0.01 * e / (e - 1))
    assert values["verified_floor"] == 0.01
    assert values["saturation_users"] == pytest.approx(z**2 * variance / (0.01 * a) ** 2)
    f = values["f_min"]
    assert f == pytest.approx(z * math.sqrt(variance / 1e6) + z_b * math.sqrt((variance + f) / 1e6))
    robust = values["robust_f_min"]
    shown = 0.99 * robust
    sure = z * math.sqrt(variance / reports) + z_b * math.sqrt((variance + shown) / reports)
    assert shown == pytest.approx(0.01 * a + sure)
    assert values["frequency"] == robust
    users = planned(capsys, "--frequency", str(robust))
    assert users["solved"] == "users"
    assert users["users"] == pytest.approx(1_000_000, abs=1)


def test_best_names_the_protocol_with_the_least_answer(capsys: Captured) -> None:
    # The later --protocol holds.
    values = planned(capsys, "--users", "1000000", "--protocol", "best")
    assert values["protocol"] == min(values["protocols"], key=values["protocols"].get)
    assert values["frequency"] == min(values["protocols"].values())
    assert not values["refusals"]
    alone = planned(capsys, "--users", "1000000")
    assert alone["protocols"] == values["protocols"]
    assert alone["frequency"] == values["protocols"]["oue"]


def test_best_says_who_has_no_answer(capsys: Captured) -> None:
    values = planned(
        capsys, "--epsilon", "2", "--items", "42", "--frequency", "0.02", "--protocol", "best"
    )
    without = {kind for kind, answer in values["protocols"].items() if answer is None}
    assert "grr" in without
    assert without == set(values["refusals"])
    assert len(without) < len(values["protocols"])
    assert values["refusals"]["the"].startswith("frequency must be above 0.02")


def test_a_plan_of_which_all_is_given_is_judged(capsys: Captured) -> None:
    least = planned(capsys, "--users", "1000000")["frequency"]
    holds = planned(capsys, "--users", "1000000", "--frequency", str(least * 1.01))
    assert holds["solved"] is None
    assert holds["holds"]
    assert holds["power"] == 0.9 < holds["power_reached"]
    assert holds["users_needed"] < holds["users"] == 1_000_000
    fails = planned(capsys, "--users", "1000000", "--frequency", str(least * 0.99))
    assert not fails["holds"]
    assert fails["users_needed"] > 1_000_000
    hopeless = planned(capsys, "--users", "1000000", "--frequency", str(least * 0.9))
    assert not hopeless["holds"]  # a power that no plan may ask for is told all the same
    assert hopeless["power_reached"] < 0.5 < fails["power_reached"]
    table = succeed(capsys, *EXAMPLE, "--users", "1000000", "--frequency", str(least * 0.99))
    assert "all is given" in table
    assert table.startswith("The plan does not hold")
    words = ask("plan", protocol="oue", frequency=0.05, users=1_000_000, epsilon=1.0,
                items=128, share=0.01, targets=1).words  # fmt: skip
    assert words[0].startswith("The plan holds: its power is ")


def test_the_noise_of_a_count_is_a_standard_deviation(capsys: Captured) -> None:
    """Two servers add discrete Laplace noise of ratio r = e^(−1/2) each: variance 2r/(1 − r)²."""
    arguments = ("--trust", "aggregated-histogram", "--epsilon", "1", "--items", "1024")
    goal = ("--share", "0.001", "--frequency", "0.01", "--power", "0.9")
    ratio = math.exp(-0.5)
    both = math.sqrt(2 * 2 * ratio) / (1 - ratio)
    found = json.loads(succeed(capsys, "plan", *arguments, *goal, "--format", "json"))
    assert found["noise"] == pytest.approx(both)
    table = succeed(capsys, "plan", *arguments, *goal)
    [row] = [line.split() for line in table.splitlines() if line.startswith("noise of a count")]
    assert row[4] == f"{both:.4f}"


def test_fakes_who_lift_more_items_lift_each_by_less(capsys: Captured) -> None:
    """On OUE a report supports all of them, on GRR one."""
    grr = ("--protocol", "grr", "--users", "1000000")
    one, four = planned(capsys, *grr), planned(capsys, *grr, "--targets", "4")
    e, d = math.e, 128
    p, q = e / (e + d - 1), 1 / (e + d - 1)
    assert one["gain_factor"] == pytest.approx((1 - q) / (p - q))
    assert four["gain_factor"] == pytest.approx((1 / 4 - q) / (p - q))
    oue = planned(capsys, "--users", "1000000", "--targets", "4")
    assert oue["gain_factor"] == planned(capsys, "--users", "1000000")["gain_factor"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--frequency is required"),
        (("--users", "10"), "--users is too few"),
        (("--users", "10", "--share", "0.9"), "--share is too large: the attack floor alone"),
        (("--users", "10", "--share", "0.5"), "; it must be below 0.2402"),
        (("--share", "0.9", "--frequency", "0.1"), "--share is too large: the attack floor alone"),
        (("--users", "0"), "--users must be"),
        (("--users", "10", "--power", "1"), "--power must be in"),
        (("--frequency", "0.01"), "the attack floor alone is 0.03164"),
        (("--users", "10", "--protocol", "laplace"), "--protocol must be one of best"),
    ],
)
def test_bad_input_is_one_sentence(capsys: Captured, arguments: tuple[str, ...], said: str) -> None:
    message = fail(capsys, 2, *EXAMPLE, *arguments)
    assert said in message
    assert len(message.strip().splitlines()) == 1


def test_the_tab_solves_for_the_field_that_is_empty() -> None:
    answer = ask("plan", protocol="oue", frequency=0.05, users="")
    assert answer.words[0].startswith("It takes ")
    robust, _, plan = answer.charts[0].series[1:]  # type: ignore[union-attr]
    assert robust.label == "robust"
    assert plan.y[1] == pytest.approx(0.05, rel=1e-3)
    for field in ("epsilon", "share", "power"):
        values = {"frequency": 0.05, "users": 1_000_000, field: ""}
        assert ask("plan", protocol="oue", **values).words
    with pytest.raises(ScenarioError, match="leave out only one"):
        ask("plan", users="", epsilon="")


def test_what_is_left_out_besides_is_assumed(capsys: Captured) -> None:
    few = ("plan", "--users", "1e6", "--epsilon", "1", "--items", "128", "--format", "json")
    given = ("--share", "0.01", "--power", "0.9")
    assert json.loads(succeed(capsys, *few)) == json.loads(succeed(capsys, *few, *given))


MEAN = ("plan", "--task", "mean", "--low", "16", "--high", "90")


def test_a_plan_for_a_mean(capsys: Captured, tmp_path: Path) -> None:
    """In the numbers of the range, by the protocol that takes the fewest users."""
    asked = (*MEAN, "--epsilon", "1", "--share", "0.01", "--within", "2.5", "--format", "json")
    values = json.loads(succeed(capsys, *asked))
    c = (math.e + 1) / (math.e - 1)
    assert values["protocol"] == "sr"
    assert set(values["protocols"]) == set(NUMBERS)
    assert values["attack_floor"] == pytest.approx(37 * 0.01 * (c + 1))
    assert values["reached"] <= 2.5
    assert values["share_for_within"] == pytest.approx(2.5 / 37 / (c + 1))
    judged = (*MEAN, "--protocol", "pm", "--epsilon", "1", "--share", "0.01", "--within", "2.5",
              "--users", str(values["users"]))  # fmt: skip
    assert succeed(capsys, *judged).startswith("The plan does not hold")
    more = json.loads(succeed(capsys, *MEAN, "--protocol", "pm", "--epsilon", "1", "--share",
                              "0.01", "--users", "70911", "--format", "json"))  # fmt: skip
    assert more["within"] == pytest.approx(2.5, abs=1e-3)
    page = tmp_path / "plan.md"
    succeed(capsys, *judged, "--out", str(page))
    floor = 37 * 0.01 * (1 / math.tanh(0.25) + 1)
    assert f"| attack floor | {floor:.5g} | β (C + 1) | plan |" in page.read_text("utf-8")


@pytest.mark.parametrize(("arguments", "words"), [
    ((*MEAN, "--epsilon", "1", "--share", "0.1", "--within", "2"), "must be above 11.71"),
    ((*MEAN, "--epsilon", "1", "--share", "0.1", "--power", "0.9"), "--power must be left out"),
    ((*MEAN, "--epsilon", "1", "--share", "0.1"), "--within is required"),
    ((*MEAN, "--protocol", "oue"), "--within is required"),
    ((*MEAN, "--protocol", "oue", "--epsilon", "1", "--share", "0", "--within", "1"),
     "--protocol must be best or one of sr"),
    (("plan", "--users", "9", "--epsilon", "1", "--share", "0", "--power", "0.9"),
     "--items is required"),
    (("plan", "--items", "9", "--within", "1"), "--within must be left out without the task mean"),
])  # fmt: skip
def test_a_plan_for_a_mean_that_is_refused(
    arguments: tuple[str, ...], words: str, capsys: Captured
) -> None:
    assert words in fail(capsys, 2, *arguments)
