"""Composition, group privacy, sensitivity, clipping and synthetic columns, by enumeration."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize
from support import budget

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.columns import read_columns
from ldptui.core.lab.ledger import (
    LedgerEntry,
    SpentBudget,
    compose_advanced,
    exact,
    group,
    improve_composition,
    of_group,
    sequential,
)
from ldptui.core.lab.sensitivity import QUERIES, clipping, least_bound, of_query
from ldptui.core.lab.synthetic import (
    note,
    synthetic_counts,
    synthetic_items,
    write_synthetic,
)

Rng = np.random.Generator

RELEASES = [LedgerEntry("histogram", 0.3, 1e-7), LedgerEntry("rounds", 0.2, times=4)]


def test_releases_add_up() -> None:
    assert sequential(RELEASES) == SpentBudget(pytest.approx(1.1), pytest.approx(1e-7))
    assert sequential([]) == SpentBudget(0, 0)


def worst_delta(entries: list[LedgerEntry], epsilon: float) -> float:
    """By enumeration of all outcomes of randomised responses, and of the failures of each."""
    trials = [entry for entry in entries for _ in range(entry.times)]
    kept = math.prod(1 - entry.delta for entry in trials)
    spare = 0.0
    for truthful in product([True, False], repeat=len(trials)):
        first = second = 1.0
        for entry, true in zip(trials, truthful, strict=True):
            e = math.exp(entry.epsilon)
            first *= (e if true else 1) / (1 + e)
            second *= (1 if true else e) / (1 + e)
        spare += max(0.0, first - math.exp(epsilon) * second)
    return 1 - kept * (1 - spare)


@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.2])
@pytest.mark.parametrize(
    "entries",
    [
        [LedgerEntry("one", 0.7)],
        [LedgerEntry("ten", 0.2, times=10)],
        [LedgerEntry("a", 0.1, times=3), LedgerEntry("b", 1.0), LedgerEntry("c", 0.25, 1e-7, 5)],
    ],
    ids=str,
)
def test_exact_composition_by_enumeration(entries: list[LedgerEntry], delta: float) -> None:
    found = exact(entries, delta).epsilon
    claimed = optimize.brentq(lambda x: worst_delta(entries, x) - delta, -1, 20, xtol=1e-12)
    assert found == pytest.approx(max(0.0, claimed), abs=1e-8)
    if found:
        assert worst_delta(entries, found - 1e-4) > delta
    # Every simpler bound is above.
    own = sequential(entries)
    slack = 1 - (1 - delta) / (1 - own.delta)
    assert found <= own.epsilon + 1e-12
    for bound in (compose_advanced(entries, slack), improve_composition(entries, slack)):
        assert worst_delta(entries, bound.epsilon) <= bound.delta * (1 + 1e-9)
        assert found <= bound.epsilon + 1e-9


def test_the_order_of_the_bounds() -> None:
    many = [LedgerEntry("many", 0.01, times=10_000)]
    bounds = [f(many, 1e-6).epsilon for f in (exact, improve_composition, compose_advanced)]
    assert bounds == sorted(bounds)
    assert bounds[-1] < sequential(many).epsilon / 10
    # k = 10,000 and ε = 0.01: √(2·10⁴·10⁻⁴·ln 10⁶) + 10⁴·0.01·(e^0.01 - 1)
    assert bounds[-1] == pytest.approx(math.sqrt(2 * math.log(1e6)) + 100 * math.expm1(0.01))


def test_group_privacy() -> None:
    assert group(SpentBudget(0.5, 0.0), 3) == SpentBudget(1.5, 0.0)
    both = group(SpentBudget(0.5, 1e-6), 3)
    assert both.epsilon == 1.5
    assert both.delta == pytest.approx(1e-6 * (1 + math.exp(0.5) + math.exp(1.0)))
    assert group(SpentBudget(0.0, 1e-6), 4).delta == pytest.approx(4e-6)
    assert group(SpentBudget(20.0, 1e-6), 1000).delta == 1
    assert group(SpentBudget(500.0, 1e-6), 2) == SpentBudget(1000.0, 1.0)
    assert group(SpentBudget(math.inf, 1e-6), 1) == SpentBudget(math.inf, 1e-6)
    # e^720 is no double, e^350 is one: δ (1 + e^350)
    assert group(SpentBudget(350.0, 1e-200), 2).delta == pytest.approx(1e-200 * math.exp(350))
    with pytest.raises(ScenarioError, match="people must be"):
        group(SpentBudget(0.5, 0.0), 0)


def test_a_group_is_formed_before_releases_are_composed() -> None:
    """The exact ε of four people, beside the loss of 30 and one responses gone through one by one.

    Both are (ε, δ)-private for four: ε is four times that of one, δ grows by Σ e^(iε), i < 4.
    """
    entries = [LedgerEntry("daily", 0.1, times=30), LedgerEntry("census", 0.5, 1e-8)]
    four = of_group(entries, 4)
    assert four is not None
    grown = 1e-8 * sum(math.exp(0.5 * i) for i in range(4))
    assert four[1].delta == pytest.approx(grown)
    assert sequential(four).epsilon == pytest.approx(14)
    spare = 1 - (1 - 1e-6) / (1 - grown)
    keeps = 1 / (1 + math.exp(-0.4)), 1 / (1 + math.exp(-2.0))

    def delta(epsilon: float) -> float:
        total = 0.0
        for own in range(31):
            for last in (0, 1):
                loss = 0.4 * (2 * own - 30) + 2.0 * (2 * last - 1)
                chance = math.comb(30, own) * keeps[0] ** own * (1 - keeps[0]) ** (30 - own)
                chance *= keeps[1] if last else 1 - keeps[1]
                total += chance * max(0.0, -math.expm1(epsilon - loss))
        return total

    found = exact(four, 1e-6).epsilon
    assert found == pytest.approx(12.960, abs=5e-4)
    assert delta(found) == pytest.approx(spare, rel=1e-6)
    # Composed first, and then a group of four: as true, and looser.
    assert group(exact(entries, 1e-6), 4).delta > 1e-4
    assert of_group([LedgerEntry("a", 10.0, 1e-6)], 4) is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LedgerEntry("a", -0.1), "epsilon must be at least 0"),
        (lambda: LedgerEntry("a", 0.1, 1.0), "delta must be"),
        (lambda: LedgerEntry("a", 0.1, times=0), "times must be"),
        (lambda: compose_advanced([LedgerEntry("a", 0.1)], 0.0), "slack must be"),
        (lambda: exact([LedgerEntry("a", 0.1, 1e-3)], 1e-4), "delta must be in"),
        (
            lambda: exact([LedgerEntry("a", 0.1 + i / 1000) for i in range(30)], 1e-4),
            "too many entries with different ε",
        ),
    ],
)
def test_bad_entries_are_one_sentence(make: Any, words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        make()


# Sensitivity.


def answers(query: str, values: list[float], bins: tuple[float, float]) -> Any:
    if query == "count":
        return np.array([len(values)])
    if query == "sum":
        return np.array([sum(values)])
    if query == "mean":
        return np.array([sum(values) / len(values)])
    return np.histogram(values, bins=4, range=bins)[0]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("bounds", [(-1, 3), (2, 5)])
def test_sensitivity_is_the_largest_change_of_small_tables(
    query: Any, bounds: tuple[float, float]
) -> None:
    grid = np.linspace(*bounds, 4).tolist()
    changed, removed = 0.0, 0.0
    for table in product(grid, repeat=3):
        own = answers(query, list(table), bounds)
        for value in grid:
            other = answers(query, [value, *table[1:]], bounds)
            changed = max(changed, float(np.abs(own - other).sum()))
    for size in (1, 2, 3):
        for table in product(grid, repeat=size):
            for value in grid:
                own = answers(query, list(table), bounds)
                more = answers(query, [*table, value], bounds)
                removed = max(removed, float(np.abs(own - more).sum()))
    assert of_query(query, "change-one", bounds, rows=3) == pytest.approx(changed)
    assert of_query(query, "add-remove", bounds) == pytest.approx(removed)


def test_without_bounds_a_sum_and_a_mean_are_unbounded() -> None:
    for neighbours in ("change-one", "add-remove"):
        for query in ("sum", "mean"):
            assert of_query(query, neighbours) == math.inf  # type: ignore[arg-type]
        assert of_query("histogram", neighbours) < math.inf  # type: ignore[arg-type]


@pytest.mark.parametrize("negative", [True, False])
@pytest.mark.parametrize("neighbours", ["change-one", "add-remove"])
def test_clipping_one_by_one(negative: bool, neighbours: Any, rng: Rng) -> None:
    values = np.round(rng.normal(3, 10, 200), 2)
    bounds = np.array([0.5, 3.0, 10.0, 25.0, 100.0])
    found = clipping(values, 0.5, bounds, neighbours, negative)
    for at, bound in enumerate(bounds.tolist()):
        low = -bound if negative else 0.0
        bias = np.clip(values, low, bound).sum() - values.sum()
        assert found.bias[at] == pytest.approx(bias)
        scale = of_query("sum", neighbours, (low, bound)) / 0.5
        assert found.noise[at] == pytest.approx(math.sqrt(2) * scale)
        assert found.error[at] == pytest.approx(math.hypot(bias, found.noise[at]))


@pytest.mark.parametrize("negative", [True, False])
@pytest.mark.parametrize("neighbours", ["change-one", "add-remove"])
@pytest.mark.parametrize("epsilon", [0.02, 0.5, 10])
def test_no_bound_has_less_than_the_least_error(
    negative: bool, neighbours: Any, epsilon: float, rng: Rng
) -> None:
    for values in (np.round(rng.normal(3, 10, 50)), rng.exponential(10, 4), np.array([5.0])):
        least = least_bound(values, epsilon, neighbours, negative)
        bounds = np.concatenate([np.linspace(1e-3, 2 * np.abs(values).max(), 20_001), [least]])
        found = clipping(values, epsilon, bounds, neighbours, negative).error
        assert found[-1] <= found[:-1].min() * (1 + 1e-9)


def test_the_error_of_a_clipped_sum_by_simulation(rng: Rng) -> None:
    values = rng.exponential(10, 500)
    found = clipping(values, 1.0, np.array([20.0]), negative=False)
    released = np.clip(values, 0, 20).sum() + rng.laplace(0, 20.0, 100_000)
    assert budget.mean(released - values.sum(), found.bias[0], found.noise[0] ** 2)
    assert not budget.mean(released - values.sum(), 0.0, found.noise[0] ** 2)


@pytest.mark.parametrize("bounds", [(1, 1), (0, math.inf)])
def test_bad_bounds_are_one_sentence(bounds: tuple[float, float]) -> None:
    with pytest.raises(ScenarioError, match="bounds must be finite and ascending"):
        of_query("sum", "change-one", bounds)


# Synthetic columns.


def test_a_synthetic_column_follows_its_frequencies(rng: Rng) -> None:
    shares = np.array([0.5, 0.25, 0.2, 0.05, 0.0])
    counts = synthetic_counts(shares, 100_000, rng)
    assert budget.law(counts, shares)
    assert not budget.law(counts, shares[[0, 1, 3, 2, 4]])
    items = synthetic_items(counts, rng)
    assert (np.bincount(items, minlength=5) == counts).all()
    assert budget.proportion((items[:10_000] == 0).sum(), 10_000, 0.5)  # in random order
    with pytest.raises(ScenarioError, match="rows must be"):
        synthetic_counts(shares, 0, rng)


def test_a_column_is_written_with_its_budget(tmp_path: Path, rng: Rng) -> None:
    path = tmp_path / "column.csv"
    items = synthetic_items(np.array([2, 0, 1]), rng)
    about = note(SpentBudget(0.5, 1e-6), "a stability-based histogram", 3)
    beside = write_synthetic(path, "fruit", ("apple, red", "fig", 'the "best"'), items, about)
    (column,) = read_columns(path, ["fruit"])
    assert sorted(column.values[c] for c in column.codes) == ["apple, red"] * 2 + ['the "best"']
    assert beside.name == "column.budget.txt"
    assert "epsilon = 0.5, delta = 1e-6" in beside.read_text(encoding="utf-8")
    assert "delta" not in note(SpentBudget(1.0, 0.0), "estimates", 3)
