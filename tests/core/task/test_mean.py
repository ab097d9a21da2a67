"""The mean of numbers by SR: its law, both paths, and a closed form for every metric."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget
from support.budget import Verdict
from support.cases import experiment, results_of
from support.kinds import attack_table

from ldptui.core.attacks import ATTACKS
from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.collection.counts import block_counts
from ldptui.core.law.pure import SeedSearch
from ldptui.core.metrics import METRICS
from ldptui.core.metrics.conclusions.number_conclusions import MeanConclusion
from ldptui.core.protocols.sr import SR
from ldptui.core.theory import expected_metrics

SR_TABLE = {"kind": "sr", "epsilon": 1.0}
MEAN = {"kind": "mean", "low": 10.0, "high": 30.0}
HELD = [4, 1, 0, 2, 1]
USERS = [700, 100, 50, 100, 50]
GOAL = -0.2
"""The mean that fakes steer to, in [-1, 1]."""
BLOCKS = 150


def mean_cell(
    held: list[int] | dict[str, Any],
    kind: str | None = None,
    share: float = 0.2,
    protocol: dict[str, Any] = SR_TABLE,
    **top: Any,
) -> Cell:
    """A cell of the task whose fakes aim at the last two numbers."""
    keys = {"targets": {"items": [3, 4]}, "mean": 20 + 10 * GOAL}
    table = None if kind is None else attack_table(kind, share, **keys)
    top = {"task": MEAN, **top}
    (only,) = experiment(held, protocol, table, **top).cells
    return only


def chance(number: float, epsilon: float = 1.0) -> float:
    """The probability of a report of 1 for a number of [-1, 1], as Duchi et al. have it."""
    e = math.exp(epsilon)
    return 0.5 + number * (e - 1) / (2 * (e + 1))


NUMBERS = [-1.0, -0.5, 0.0, 0.5, 1.0]
FAKE = {
    "rpa": 0.5,
    "ria": chance(0.75),
    "ria-unperturbed": 0.875,
    "input": chance(0.75),
    "mga": 1.0,
    "demote": 0.0,
    "reactive": 1.0,
    "hidden": 1.0,
    "opa": (1 + (GOAL + 0.8 * 0.3125) / 0.2 / ((math.e + 1) / (math.e - 1))) / 2,
}
"""The chance that one fake report is 1, where the targets are 0.5 and 1."""
KINDS = (*FAKE, "untargeted")


# One report.


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_law_of_a_report_is_the_papers(epsilon: float) -> None:
    protocol = SR(5, epsilon)
    law = protocol.enumerate_reports().probabilities
    assert law[:, 1] == pytest.approx([chance(t, epsilon) for t in NUMBERS])
    assert law.sum(axis=1) == pytest.approx(np.ones(5))
    assert np.log(law[:, None] / law).max() == pytest.approx(epsilon)
    c = protocol.size
    assert (law @ [-c, c]) == pytest.approx(NUMBERS)  # unbiased
    assert law @ [c**2, c**2] - np.square(NUMBERS) == pytest.approx(c**2 - np.square(NUMBERS))


def test_reports_follow_the_law_and_others_do_not(rng: np.random.Generator) -> None:
    protocol, targets, search = SR(5, 1.0), np.array([3, 4]), SeedSearch()
    items = np.arange(5).repeat(20_000)

    def fits(reports: Any, rates: Any) -> Verdict:
        return budget.proportion((reports.reshape(5, -1) == 1).sum(axis=1), 20_000, rates)

    honest = protocol.perturb(items, rng)
    assert set(np.unique(honest)) == {0, 1}
    assert fits(honest, [chance(t) for t in NUMBERS])
    assert not fits(honest, [chance(t, 1.1) for t in NUMBERS])
    assert fits(protocol.unperturbed(items, rng), [(1 + t) / 2 for t in NUMBERS])
    assert fits(protocol.random_reports(100_000, rng), [0.5] * 5)
    assert (protocol.craft(targets, 7, search, rng) == 1).all()
    assert (protocol.avoid(targets, 7, search, rng) == 0).all()
    assert (protocol.craft(np.array([0, 3]), 7, search, rng) == 0).all()


# Both paths: the joint law of the counts before and after the attack.


def joint_law(kind: str, fakes: int) -> np.ndarray:
    """float64[n + 1, m + 1]: the probability of each number of reports of 1, genuine and fake."""
    genuine = np.ones(1)
    for number, users in zip(NUMBERS, HELD, strict=True):
        for _ in range(users):
            genuine = np.convolve(genuine, [1 - chance(number), chance(number)])
    return np.outer(genuine, stats.binom.pmf(np.arange(fakes + 1), fakes, FAKE[kind]))


def counts_fit(cell: Cell, kind: str) -> Verdict:
    seen = np.zeros((cell.users + 1, cell.malicious + 1))
    for number in range(BLOCKS):
        clean, attacked = block_counts(cell, number, 20)
        np.add.at(seen, (clean[:, 1], (attacked - clean)[:, 1]), 1)
    return budget.law(seen, joint_law(kind, cell.malicious))


@pytest.mark.every(6)
@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("kind", FAKE)
def test_both_paths_follow_the_joint_law(kind: str, path: str) -> None:
    cell = mean_cell(HELD, kind, simulate={"path": path})
    assert (cell.path, cell.malicious) == (path, 2)
    assert counts_fit(cell, kind)
    assert not counts_fit(replace(cell, protocol=SR(5, 2.0)), kind)


# Closed forms beside the simulation.


ROBUST = {name for name in METRICS if name.startswith("robust")}
"""Their ends depend on the noise: they are tested by what they cover."""
SQUARES = {name for name in METRICS if name.startswith("second_moment")}
"""What reports of SR do not tell."""


@pytest.mark.every(5)
@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("kind", [None, *KINDS])
def test_every_metric_has_a_closed_form_that_holds(kind: str | None, path: str) -> None:
    cell = mean_cell(USERS, kind, trials=1000, simulate={"path": path})
    block = results_of(replace_cells(cell)).cells[0].metrics
    expected = expected_metrics(cell)
    shift = expected["mean_shift"] or 0.0
    clean = expected["mean_squared_error_clean"]
    both = expected["mean_squared_error"]
    assert clean is not None
    assert both is not None
    spread = both - shift**2
    for metric, variance in (
        ("mean_estimate", spread),
        ("mean_estimate_clean", clean),
        ("mean_error", spread),
        ("mean_error_clean", clean),
        ("mean_squared_error_clean", 2 * clean**2),  # of a square of a normal number
        ("mean_squared_error", 2 * spread**2 + 4 * shift**2 * spread),
        *((("mean_shift", shift_variance(cell, clean, both - shift**2)),) if kind else ()),
    ):
        assert budget.mean(block[metric], expected[metric], variance), metric
        if variance:
            off = expected[metric] + 14 * math.sqrt(variance / 1000)  # type: ignore[operator]
            assert not budget.mean(block[metric], off, variance), metric
    assert budget.spread(block["mean_error_clean"], 0.0, clean)
    assert budget.spread(block["mean_error"], shift, spread)
    assert not budget.spread(block["mean_error"], shift, 1.5 * spread)
    assert set(expected) == set(METRICS)
    assert {name for name in cell.metrics if expected[name] is not None} | ROBUST | SQUARES == {
        name for name in cell.metrics if kind or name != "mean_shift"
    }


def replace_cells(cell: Cell) -> Any:
    """An experiment of this cell alone."""
    made = experiment(trials=cell.trials)
    return replace(made, cells=(replace(cell, index=0),))


def shift_variance(cell: Cell, clean: float, attacked: float) -> float:
    """Var of (attacked - clean): the fakes' part, and β² of the clean noise."""
    n, everyone = cell.users, cell.users + cell.malicious
    fakes = attacked - clean * (n / everyone) ** 2
    return max(0.0, fakes) + cell.share**2 * clean


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_a_chosen_mean_is_hit(share: float) -> None:
    cell = mean_cell(USERS, "opa", share)
    assert cell.targets.size == 0
    assert expected_metrics(cell)["mean_estimate"] == pytest.approx(18.0)
    far = experiment(USERS, SR_TABLE, {"kind": "opa", "share": 0.01, "mean": 30.0}, task=MEAN)
    (near,) = far.cells
    mga = mean_cell(USERS, "mga", 0.01)
    assert expected_metrics(near)["mean_shift"] == expected_metrics(mga)["mean_shift"]


PM_TABLE = {"kind": "pm", "epsilon": 1.0, "bins": 64}


@pytest.mark.parametrize("path", ["counts", "reports"])
def test_a_chosen_mean_and_a_mean_of_squares_are_hit_at_once(path: str) -> None:
    """18 and 400, a standard deviation of 8.7, where they are 13.5 and 220; 360 is out of reach."""
    opa = {"kind": "opa", "share": 0.2, "mean": 18.0, "second_moment": 400.0}
    more = {"task": MEAN, "trials": 400, "simulate": {"path": path}}
    (cell,) = experiment(USERS, PM_TABLE, opa, **more).cells
    expected = expected_metrics(cell)
    assert expected["mean_estimate"] == pytest.approx(18.0)
    assert expected["second_moment"] == pytest.approx(400.0)
    held, numbers = np.array(USERS) / 1000, 20 + 10 * np.array(NUMBERS)
    assert expected["second_moment_clean"] == pytest.approx(held @ numbers**2, abs=0.2)
    (near,) = experiment(USERS, PM_TABLE, {**opa, "second_moment": 360.0}, **more).cells
    assert expected_metrics(near)["mean_estimate"] == pytest.approx(18.0)
    assert 360 < expected_metrics(near)["second_moment"] < 400  # type: ignore[operator]
    values = results_of(replace_cells(cell)).cells[0].metrics
    protocol: Any = cell.protocol
    says = 400 + 200 * protocol.report_values + 100 * protocol.squares  # of the square of a number
    laws = [(users, protocol.table[:, item]) for item, users in enumerate(USERS)]
    spread = sum(users * (law @ says**2 - (law @ says) ** 2) for users, law in laws)
    assert budget.mean(values["second_moment_clean"], expected["second_moment_clean"],
                       spread / 1000**2)  # fmt: skip
    (fakes,) = cell.fakes
    law = fakes.strategy.item_support(protocol, fakes.targets, cell.targets).rates
    spread += 250 * (law @ says**2 - (law @ says) ** 2)
    assert budget.mean(values["second_moment"], 400.0, spread / 1250**2)
    assert not budget.mean(values["second_moment"], expected["second_moment_clean"],
                           spread / 1250**2)  # fmt: skip


@pytest.mark.parametrize("path", ["counts", "reports"])
def test_fakes_who_hide_and_could_be_seen_send_fewer_ends(path: str) -> None:
    """Of many fakes: all reports together are those of users who all hold the upper end."""
    cell = mean_cell(USERS, "hidden", 0.6, trials=400, simulate={"path": path})
    expected = expected_metrics(cell)
    assert expected["mean_estimate"] == pytest.approx(30.0)
    crafted = mean_cell(USERS, "mga", 0.6)
    assert expected_metrics(crafted)["mean_estimate"] > 30.0  # type: ignore[operator]
    values = results_of(replace_cells(cell)).cells[0].metrics
    variance = expected["mean_squared_error"] - expected["mean_error"] ** 2  # type: ignore[operator]
    assert budget.mean(values["mean_estimate"], 30.0, variance)
    assert not budget.mean(values["mean_estimate"], 30.5, variance)


SAYS = {"mga": SR(5, 1.0).size, "input": 1.0, "hidden": SR(5, 1.0).size}
"""What a fake who holds the upper end says, on average."""


@pytest.mark.parametrize("kind", SAYS)
def test_a_goal_asks_how_many_fakes_move_the_mean(kind: str) -> None:
    goal = {"metric": "mean_shift", "at_least": 0.1}
    table = {"kind": kind, "targets": {"items": [4]}}
    task = {"kind": "mean"}
    (cell,) = experiment(USERS, SR_TABLE, table, task=task, goal=goal).cells
    share = 0.1 / (SAYS[kind] + 0.65)
    assert cell.answer is not None
    assert cell.answer.reached
    assert cell.answer.by == "closed form"
    assert cell.malicious == math.ceil(1000 * share / (1 - share))
    less = (cell.malicious - 1) / (1000 + cell.malicious - 1)
    (one_less,) = experiment(USERS, SR_TABLE, {**table, "share": less}, task=task).cells
    assert expected_metrics(one_less)["mean_shift"] < 0.1  # type: ignore[operator]
    (far,) = experiment(USERS, SR_TABLE, table, task=task, goal={**goal, "at_least": 9}).cells
    assert far.answer is not None
    assert not far.answer.reached


def test_fakes_of_several_kinds_add_up() -> None:
    parts = [
        {"kind": "mga", "weight": 1, "targets": {"items": [4]}},
        {"kind": "rpa", "weight": 3, "targets": {"items": [4]}},
    ]
    mixed = {"share": 0.2, "mix": parts}
    (cell,) = experiment(USERS, SR_TABLE, mixed, task=MEAN, trials=400).cells
    expected = expected_metrics(cell)
    variance = expected["mean_squared_error"] - expected["mean_error"] ** 2  # type: ignore[operator]
    values = results_of(replace_cells(cell)).cells[0].metrics
    assert budget.mean(values["mean_error"], expected["mean_error"], variance)
    assert budget.spread(values["mean_error"], expected["mean_error"], variance)


def test_its_metrics_are_those_of_its_conclusion() -> None:
    cell = mean_cell(USERS, "mga")
    assert cell.metrics == [
        name
        for name, row in METRICS.items()
        if row.told_by(MeanConclusion) and set(row.arms) <= set(cell.arms)
    ]
    assert not {"gain", "mse", "hitter_recall"} & set(cell.metrics)


# What makes no sense is refused in a sentence.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"task": {"kind": "frequencies"}}, "protocol.kind must not be SR, which tells the mean"),
        ({"protocol": {"kind": "oue", "epsilon": 1.0}}, "protocol.kind must not be unary encoding"),
        ({"protocol": {"kind": "laplace", "epsilon": 1.0}}, "whose reports tell frequencies"),
        ({"task": {"kind": "mean", "low": 1.0, "high": 1.0}}, "task.high must be above low, got 1"),
        ({"campaign": {"rounds": 2}}, 'campaign must be left out with task.kind = "mean"'),
        ({"goal": {"metric": "gain", "at_least": 0.1}}, 'goal.metric must not be "gain" with task'),
        ({"defence": [{"kind": "norm-sub"}]}, "defence must be left out"),
        ({"defence": [{"kind": "fiad"}]}, 'defence.0.kind must not be "fiad" with SR'),
    ],
)  # fmt: skip
def test_what_is_about_frequencies_is_refused(changes: dict[str, Any], words: str) -> None:
    table = {"kind": "mga", "targets": {"items": [4]}} | (
        {} if "goal" in changes else {"share": 0.2}
    )
    settings = {"task": MEAN, **changes}
    with pytest.raises(ScenarioError, match=re.escape(words)):
        experiment(USERS, settings.pop("protocol", SR_TABLE), table, **settings)


OTHERS = [kind for kind in ATTACKS if kind not in (*KINDS, "none", "plugin")]


@pytest.mark.parametrize("kind", OTHERS)
def test_other_attacks_are_refused_in_words(kind: str) -> None:
    table = attack_table(kind)
    with pytest.raises(ScenarioError, match=r'attack\.kind must not be ".*" against SR'):
        experiment(USERS, SR_TABLE, table, task=MEAN)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-1e308, 1.0, "task.low must be from -1e100 to 1e100"),
        (0.0, 1e308, "task.high must be from -1e100 to 1e100"),
        (1.0, 1.0 + 2**-52, "task.high must be farther above low"),
        (0.0, 5e-324, "task.high must be farther above low"),
        (1.0, 1.0, "task.high must be above low"),
    ],
)
def test_a_range_that_no_double_spans_is_refused(low: float, high: float, said: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(said)):
        mean_cell(USERS, task={"kind": "mean", "low": low, "high": high})


def test_the_widest_range_has_finite_squares() -> None:
    task = {"kind": "mean", "low": -1e100, "high": 1e100}
    results = results_of(experiment(USERS, SR_TABLE, task=task, trials=3))
    assert np.isfinite(results.cells[0].metrics["mean_squared_error_clean"]).all()
