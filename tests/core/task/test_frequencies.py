"""Whole trials on both paths against what the enumerated laws say, and the reports path by hand."""

from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import (
    CASES,
    EXTREMES,
    attack,
    cell,
    counts,
    experiment,
    metrics,
)
from support.count_laws import Poisoned
from support.kinds import CAO_ATTACKS
from support.report_laws import Case

from ldptui.core.attacks import View
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.base.streams import stream
from ldptui.core.cell import Cell
from ldptui.core.collection.counts import block_counts
from ldptui.core.collection.reports import USER_BLOCK
from ldptui.core.metrics import METRICS
from ldptui.core.metrics.results import BLOCK_TRIALS

TARGETS = [1, 4, 2]  # item 4 is held by nobody
SEEDS = 3
ATTACKS = [
    (case, kind, scoring)
    for case in CASES
    for kind, scoring in (
        ("rpa", "anchor"),
        ("ria", "anchor"),
        ("mga", "anchor"),
        *([("mga", "bucket")] if case.hash_range else []),
    )
]
every_attack = pytest.mark.parametrize(("case", "kind", "scoring"), ATTACKS, ids=str)


def poisoned(
    case: Case, kind: str, scoring: Any, share: float, targets: list[int], path: str, seed: int
) -> tuple[Cell, Poisoned]:
    """A cell, and what the enumerated laws expect of it."""
    n = 10_000 if path == "counts" else 1_000
    histogram = [n // 2, 3 * n // 10, 3 * n // 20, n // 20, 0]
    effort = {"seeds": SEEDS, "scoring": scoring} if kind == "mga" else {}
    one = cell(
        histogram,
        case,
        attack(kind, share, targets, **effort),
        simulate={"path": path},
        seed=seed,
    )
    fake = {
        "rpa": lambda: case.random(),
        "ria": lambda: case.held(targets),
        "mga": lambda: case.crafted(targets, SEEDS, scoring),
    }[kind]()
    return one, Poisoned(case, histogram, fake, one.malicious, targets)


@pytest.mark.every(25)
@pytest.mark.parametrize("path", ["counts", "reports"])
@every_attack
def test_measured_metrics_agree_with_the_law(
    case: Case, kind: str, scoring: Any, path: str, seed: int
) -> None:
    """Genuine users and fakes are equally many: their noises of the gain are of one size."""
    one, law = poisoned(case, kind, scoring, 0.5, TARGETS, path, seed)
    assert one.malicious == one.users
    measured = metrics(one, 50 if path == "counts" else 5)
    value, variance = law.gain
    assert budget.mean(measured("gain"), value, variance)
    assert budget.spread(measured("gain"), value, variance)
    aim = np.isin(np.arange(5), TARGETS).astype(float)
    for name, moments in (
        ("target_frequency_clean", law.before),
        ("target_frequency", law.after),
    ):
        expected, scatter = moments.mean @ aim, aim @ moments.covariance @ aim
        assert budget.mean(measured(name), expected, scatter), name
        assert budget.spread(measured(name), expected, scatter), name
    assert budget.mean(measured("mse_clean"), *law.squared_error(law.before))
    assert budget.mean(measured("mse"), *law.squared_error(law.after))
    held = law.truth[TARGETS].sum()
    assert measured("normalised_gain") == pytest.approx(measured("gain") / held + 1)


@pytest.mark.every(19)
@pytest.mark.parametrize("targets", [[3], [4], [0, 1, 2, 3, 4]], ids=str)
@every_attack
def test_one_target_and_all_items(
    case: Case, kind: str, scoring: Any, targets: list[int], seed: int
) -> None:
    one, law = poisoned(case, kind, scoring, 0.1, targets, "counts", seed)
    measured = metrics(one, 20)
    value, variance = law.gain
    variance = variance if variance > 1e-15 else 0.0  # GRR, SS, every item: the sum is fixed
    assert budget.mean(measured("gain"), value, variance)
    assert budget.spread(measured("gain"), value, variance)
    if targets == [4]:
        assert np.isnan(measured("normalised_gain")).all()


# The reports path by hand.


def by_hand(one: Cell, trial: int) -> tuple[Any, Any]:
    """One trial with the documented streams: 65,536 users each, in the order of their items."""
    protocol = one.protocol
    values = np.repeat(np.arange(one.population.domain_size), one.population.histogram)
    clean = np.zeros(one.population.domain_size, dtype=np.int64)
    for block, first in enumerate(range(0, one.users, 65_536)):
        rng = stream(one.seed, one.genuine_address, "genuine", "reports", (trial, block))
        clean += protocol.support_counts(protocol.perturb(values[first : first + 65_536], rng))
    attacked = clean.copy()
    for block, first in enumerate(range(0, one.malicious, 65_536)):
        rng = stream(one.seed, one.malicious_address, "malicious", "reports", (trial, block))
        assert one.attack is not None
        fakes = min(65_536, one.malicious - first)
        reports = one.attack.reports(protocol, View(one.targets), fakes, rng)
        attacked += protocol.support_counts(reports)
    return clean, attacked


@pytest.mark.every(6)
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("kind", CAO_ATTACKS)
def test_the_reports_path_by_hand(case: Case, kind: str) -> None:
    """Slightly more than one block of users, and of fakes."""
    assert USER_BLOCK == 65_536
    effort = {"seeds": 2} if kind == "mga" else {}
    one = cell(
        [65_000, 0, 530, 9, 1],
        case,
        attack(kind, 0.5, [2, 0], **effort),
        simulate={"path": "reports"},
        seed=11,
    )
    assert one.users == one.malicious == 65_540
    clean, attacked = block_counts(one, 1, 2)
    for row in range(2):
        before, after = by_hand(one, BLOCK_TRIALS + row)
        assert clean[row].tolist() == before.tolist()
        assert attacked[row].tolist() == after.tolist()


@pytest.mark.parametrize(
    "histogram",
    [[65_536, 3], [0, 65_535, 0, 1, 1], [1, 0, 0, 200_000, 0], [0, 1], [7] * 600],
    ids=["edge", "empty first", "three blocks", "one user", "many items"],
)
def test_every_user_reports_the_own_item_once(histogram: list[int]) -> None:
    """At ε = 20 nearly every report of GRR is the item itself."""
    one = cell(histogram, Case("grr", len(histogram), 20.0), None, simulate={"path": "reports"})
    clean, _ = block_counts(one, 0, 2)
    assert clean.sum(axis=1).tolist() == [sum(histogram)] * 2
    assert np.abs(clean - histogram).sum() <= 4


# Edges.


@pytest.mark.every(25)
@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("case", EXTREMES, ids=str)
@pytest.mark.parametrize("users", [1, 40])
def test_edges(case: Case, path: str, users: int) -> None:
    """Tiny domains and extreme budgets; everybody holds item 0, every other item is empty."""
    histogram = [users, *[0] * (case.domain_size - 1)]
    fakes: list[dict[str, Any] | None] = [None]
    for targets in ([0], [1], list(range(case.domain_size))):
        fakes += [attack("rpa", 0.4, targets), attack("ria", 0.0, targets)]
        fakes += [attack("mga", 0.4, targets, seeds=2)]
        if case.hash_range:
            fakes += [attack("mga", 0.4, targets, seeds=1, scoring="bucket")]
    for fake in fakes:
        one = cell(histogram, case, fake, simulate={"path": path}, trials=3)
        block = one.block(0, 3)
        rows = {name: block.metrics[name] for name in METRICS}
        for name in ("mse", "mse_clean", "l1_error", "max_error"):
            assert np.isfinite(rows[name]).all(), (name, fake)
        assert np.isfinite(rows["gain"]).all() == (fake is not None)
        defined = fake is not None and 0 in fake["targets"]["items"]
        assert np.isfinite(rows["normalised_gain"]).all() == defined


def test_the_moments_of_a_block_are_those_of_its_estimates() -> None:
    one = experiment([30, 20, 10], None, attack("ria", 0.3, [1])).cells[0]
    clean, attacked = counts(one)
    gap = one.protocol.p - one.protocol.q
    block = one.block(0)
    for drawn, users, moments in (
        (clean, one.users, block.arms[CLEAN]),
        (attacked, one.users + one.malicious, block.arms[ATTACKED]),
    ):
        estimates = (drawn / users - one.protocol.q) / gap
        assert moments.trials == 20
        assert moments.mean == pytest.approx(estimates.mean(axis=0))
        assert moments.std == pytest.approx(estimates.std(axis=0, ddof=1))
