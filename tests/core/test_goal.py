"""Goals: the smallest attack that reaches them, by closed form and by simulation."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import cell, expecting, experiment

from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.experiment import search
from ldptui.core.experiment.search import _Bracket, solve_goal, with_fakes
from ldptui.core.metrics.goal import Goal
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.running.searching import run_goal_searches
from ldptui.core.theory import expected_metrics

ZIPF = {"kind": "zipf", "items": 32, "users": 20_000, "exponent": 1.0}
PURE = list(PROTOCOLS)


def aimed(kind: str = "mga", **own: Any) -> dict[str, Any]:
    return {"kind": kind, "targets": {"pick": "random", "count": 3}, **own}


def goal(metric: str, at_least: float, **own: Any) -> dict[str, Any]:
    return {"metric": metric, "at_least": at_least, **own}


def asked(metric: str, at_least: float, protocol: str = "oue", **top: Any) -> Cell:
    table = {"kind": protocol, "epsilon": 1.0}
    return cell(ZIPF, table, aimed(), goal=goal(metric, at_least), **top)


@pytest.mark.every(5)
@pytest.mark.parametrize("protocol", PURE)
@pytest.mark.parametrize("metric", ["gain", "target_frequency"])
def test_the_smallest_number_by_closed_form(metric: str, protocol: str) -> None:
    one = asked(metric, 0.25, protocol)
    answer = one.answer
    assert answer is not None
    assert (answer.reached, answer.by) == (True, "closed form")
    assert one.malicious == answer.malicious > 0
    assert one.share == pytest.approx(answer.share) == one.parameters["attack.share"]
    assert expected_metrics(one)[metric] == answer.value >= 0.25
    fewer = expected_metrics(with_fakes(one, one.malicious - 1))[metric]
    assert fewer is not None
    assert fewer < 0.25


@pytest.mark.every(3)
@pytest.mark.parametrize("protocol", PURE)
def test_the_number_solves_the_equation_of_the_gain(protocol: str) -> None:
    """G = β c: β = G / c, and m = n β / (1 - β), rounded up."""
    one = asked("gain", 0.1, protocol)
    assert one.attack is not None
    p, q, r = one.pure.p, one.pure.q, 3
    support = one.attack.support(one.pure, r).target * r  # type: ignore[union-attr]
    slope = (support - r * q) / (p - q) - one.target_frequency
    share = 0.1 / slope
    assert one.malicious == math.ceil(one.users * share / (1 - share))


def test_a_goal_that_is_there_already_and_one_that_nothing_reaches() -> None:
    there = asked("target_frequency", 0.001)
    assert there.answer is not None
    assert (there.answer.reached, there.malicious) == (True, 0)
    never = asked("gain", 1e6)
    assert never.answer is not None
    assert not never.answer.reached
    assert never.share == pytest.approx(0.99)
    assert never.answer.value == expected_metrics(never)["gain"]
    falling = cell(ZIPF, None, aimed("demote"), goal=goal("gain", 0.1))
    assert falling.answer is not None
    assert (falling.answer.reached, falling.malicious) == (False, 0)
    crowded = asked("targets_in_top_k", 4)
    assert crowded.answer is not None
    assert not crowded.answer.reached
    assert crowded.answer.by == "search"


def test_fakes_needed_in_spite_of_a_defence() -> None:
    """More of them where a correction takes something away, and as many where it does not."""
    grr = {"kind": "grr", "epsilon": 1.0}
    plain = cell(ZIPF, grr, aimed(), goal=goal("gain", 0.3))
    by = {"none": "closed form", "norm": "closed form", "norm-sub": "search"}
    there = {
        kind: cell(ZIPF, grr, aimed(), goal=goal("gain_after", 0.3), defence=[{"kind": kind}])
        for kind in by
    }
    answers = {kind: value.answer for kind, value in there.items()}
    assert {kind: answer.by for kind, answer in answers.items() if answer} == by
    # GRR's estimates sum to one whatever is reported: norm has nothing to add.
    assert there["none"].malicious == there["norm"].malicious == plain.malicious
    assert answers["norm-sub"] is not None
    assert answers["norm-sub"].low is not None
    assert answers["norm-sub"].low > plain.malicious
    within = {
        metric: cell(ZIPF, grr, aimed(), goal=goal(metric, 0.3), defence=[{"kind": "norm-sub"}])
        for metric in ("gain", "target_frequency_after")
    }
    assert within["gain"].malicious == plain.malicious
    assert 0 < within["target_frequency_after"].malicious < there["norm-sub"].malicious * 1.02


@pytest.mark.every(2)
@pytest.mark.parametrize("protocol", ["grr", "oue"])
def test_a_search_brackets_the_answer_of_a_long_simulation(protocol: str) -> None:
    """Ends of the bracket, each on its side in trials that the search has not seen."""
    one = asked("targets_in_top_k", 2, protocol, simulate={"top_k": 5})
    answer = one.answer
    assert answer is not None
    assert answer.low is not None
    assert (answer.by, answer.confidence) == ("search", 0.95)
    assert answer.low < answer.malicious == one.malicious
    assert answer.trials % 20 == 0

    def mean(malicious: int) -> float:
        other = replace(with_fakes(one, malicious), seed=one.seed + 1)

        blocks = [other.block(number) for number in range(20)]
        return float(np.mean([block.metrics["targets_in_top_k"].mean() for block in blocks]))

    assert mean(answer.low) < 2 < mean(answer.malicious)
    assert mean(max(1, answer.low // 3)) < mean(answer.low)


@pytest.mark.every(2)
@pytest.mark.parametrize("top_k", [5, 2])
def test_all_targets_in_the_top_are_a_goal_that_can_be_reached(top_k: int) -> None:
    """Though the mean over trials is a little below it, whatever the number of fakes."""
    most = min(3, top_k)
    answers = [
        asked("targets_in_top_k", goal, simulate={"top_k": top_k}).answer
        for goal in (0.98 * most, most, most + 0.01)
    ]
    below, all_of_them, more = answers
    assert all_of_them is not None
    assert more is not None
    assert all_of_them.reached
    assert all_of_them.value >= 0.98 * most
    assert all_of_them == below
    assert not more.reached


def test_looking_again_and_again_seldom_errs(rng: np.random.Generator) -> None:
    """A mean on the goal itself is told apart from it in 2·0.05/64 of all decisions at most."""
    trials = search._Trials(asked("gain", 0.0), Goal("gain", 0.0), lambda: None)
    told = sum(
        any(trials._tells(values[:seen]) for seen in range(20, 401, 20))
        for values in rng.normal(size=(1000, 400))
    )
    assert budget.proportion(told, 1000, 2 * 0.05 / 64)
    assert not budget.proportion(told + 18, 1000, 2 * 0.05 / 64)  # if looks did not share the error


def test_a_search_says_the_same_again_and_can_be_stopped() -> None:
    one, again = (asked("targets_in_top_k", 1, seed=3) for _ in range(2))
    assert one.answer == again.answer
    open_ = replace(one, answer=None)

    class StoppedError(Exception):
        pass

    def stop(_: str) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        solve_goal(open_, tell=stop)


def test_where_there_is_no_closed_form_a_gain_is_searched_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = asked("gain", 0.2)
    expecting(monkeypatch, lambda _: {"gain": None})
    found = solve_goal(replace(exact, answer=None)).answer
    assert exact.answer is not None
    assert found is not None
    assert found.low is not None
    assert (found.by, found.reached) == ("search", True)
    assert found.low < exact.answer.malicious <= found.malicious
    assert found.malicious - found.low <= 0.05 * found.malicious


def test_a_bracket_narrows_from_both_sides() -> None:
    truth, width, bracket = 700, 60, _Bracket(0, 2000)
    tried = 0
    while (middle := bracket.middle()) is not None:
        bracket.note(middle, None if abs(middle - truth) < width else middle > truth)
        tried += 1
    assert bracket.low < truth < bracket.high  # type: ignore[operator]
    assert truth - 90 < bracket.low
    assert bracket.high < truth + 90  # type: ignore[operator]
    assert tried < 30


# In a scenario.


@pytest.mark.parametrize(
    ("attack", "top", "message"),
    [
        (aimed(share=0.1), {}, "attack.share must be left out where .goal. is given"),
        (aimed(), {"sweep": {"attack.share": [0.1, 0.2]}}, "attack.share must be left out"),
        (None, {}, "goal must be left out where there is no attack"),
        (aimed(), {"campaign": {"rounds": 3}}, "goal must be left out with rounds"),
        (
            {**aimed("plugin"), "name": "x"},
            {},
            "goal must be left out with an attack in Python",
        ),
        (aimed(), {"goal": {"metric": "mse", "at_least": 1}}, 'goal.metric must be "gain"'),
        (aimed(), {"goal": {"metric": "gain"}}, "goal.at_least is required"),
        (
            aimed(),
            {"goal": {"metric": "gain_after", "at_least": 0.1}},
            'goal.metric must not be "gain_after" where there is no ..defence..',
        ),
        (
            aimed(),
            {"goal": {"metric": "gain", "at_least": "x"}},
            "goal.at_least must be a finite number",
        ),
        (
            aimed(),
            {"goal": {"metric": "gain", "at_least": 1, "over": "users"}},
            'goal.over must be "share" or "malicious"',
        ),
        (
            aimed(),
            {"goal": {"metric": "gain", "at_least": 1, "most": 1}},
            "goal.most is not a known key",
        ),
    ],
)
def test_bad_goals(attack: Any, top: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        experiment(ZIPF, None, attack, **{"goal": goal("gain", 0.1), **top})


# Searches in processes.


def test_an_experiment_without_open_goals_is_left_as_it_is() -> None:
    work = experiment(goal=None)
    (step,) = run_goal_searches(work, 2)
    assert (step.done, step.total) == (0, 0)
    assert step.experiment.cells == work.cells
