"""The budget ledger: the privacy budget that several releases about the same people spend together.

DR: Dwork, Roth, "The Algorithmic Foundations of Differential Privacy", 2014. KOV: Kairouz, Oh,
Viswanath, "The Composition Theorem for Differential Privacy", ICML 2015. Post-processing costs
nothing (DR proposition 2.1): it is an entry with ε = δ = 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np

from ..base.errors import ScenarioError, format_number, got
from ..base.ranges import ALPHA, Range, check_bounds, require
from ..base.sampling import Floats
from ..law.loss import DiscreteLoss

SPENT: Final = Range(0)
TIMES: Final = Range(1, 10**9)
MOST_VALUES: Final = 1 << 18
"""Values of a privacy loss in the exact composition."""


@dataclass(frozen=True)
class LedgerEntry:
    """`times` releases of one kind, each of them (ε, δ)-private."""

    name: str
    epsilon: Annotated[float, SPENT]
    delta: Annotated[float, Range(0, 1, "[)")] = 0.0
    times: Annotated[int, TIMES] = 1

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True)
class SpentBudget:
    """The budget that was spent: the releases together are (ε, δ)-private."""

    epsilon: float
    delta: float


def sequential(entries: Sequence[LedgerEntry]) -> SpentBudget:
    """The budget Σ ε, Σ δ of all releases by sequential composition. DR theorem 3.16."""
    return SpentBudget(
        math.fsum(entry.times * entry.epsilon for entry in entries),
        min(1.0, math.fsum(entry.times * entry.delta for entry in entries)),
    )


def group(spent: SpentBudget, people: int) -> SpentBudget:
    """The privacy of k people together: kε, and δ Σ_i e^(iε) over i < k. DR theorem 2.2.

    people : k, at least 1, else ScenarioError. The δ follows from k steps from neighbour to
    neighbour.
    """
    require("people", people, Range(1))
    if people == 1:
        return spent
    if not spent.delta:
        return SpentBudget(people * spent.epsilon, 0.0)
    # Above 1 it promises nothing: no need to go further than the doubles do.
    if spent.epsilon * (people - 1) > 700:
        return SpentBudget(people * spent.epsilon, 1.0)
    grown = float(people)
    if spent.epsilon:  # a geometric series, from its largest term down
        shrink = math.expm1(-people * spent.epsilon) / math.expm1(-spent.epsilon)
        grown = math.exp((people - 1) * spent.epsilon) * shrink
    return SpentBudget(people * spent.epsilon, min(1.0, spent.delta * grown))


def of_group(entries: Sequence[LedgerEntry], people: int) -> tuple[LedgerEntry, ...] | None:
    """The (ε, δ) of each release for k people together; None if one release gives a group no
    guarantee.

    Composing these holds for the group, and costs less than the group privacy of the composition.
    """
    grouped = []
    for entry in entries:
        spent = group(SpentBudget(entry.epsilon, entry.delta), people)
        if spent.delta >= 1:
            return None
        grouped.append(replace(entry, epsilon=spent.epsilon, delta=spent.delta))
    return tuple(grouped)


def compose_advanced(entries: Sequence[LedgerEntry], slack: float) -> SpentBudget:
    """The budget by advanced composition: √(2 ln(1/δ') Σε²) + Σ ε(e^ε - 1), and Σδ + δ'.

    DR theorem 3.20, which is for equal ε; its proof sums over unequal ones. It can exceed Σε.

    slack : δ' in (0, 1), what the smaller ε costs in δ; else ScenarioError.
    """
    require("slack", slack, ALPHA)
    squares = math.fsum(e.times * e.epsilon * e.epsilon for e in entries)
    drift = math.fsum(e.times * e.epsilon * _square_growth(e.epsilon) for e in entries)
    total = math.sqrt(-2 * math.log(slack) * squares) + drift
    return SpentBudget(total, min(1.0, sequential(entries).delta + slack))


def improve_composition(entries: Sequence[LedgerEntry], slack: float) -> SpentBudget:
    """The budget of all releases by KOV theorem 3.5.

    Its ε is the least of Σε, D + √(2 ln(1/δ') S) and D + √(2 ln(e + √S/δ') S), where S = Σε² and
    D = Σ ε (e^ε - 1)/(e^ε + 1); its δ is 1 - (1 - δ') Π (1 - δ_i).

    slack : δ' in (0, 1), else ScenarioError.
    """
    require("slack", slack, ALPHA)
    squares = math.fsum(e.times * e.epsilon * e.epsilon for e in entries)
    drift = math.fsum(e.times * e.epsilon * math.tanh(e.epsilon / 2) for e in entries)
    wider = math.log(math.e + math.sqrt(squares) / slack)
    root = math.sqrt(2 * min(-math.log(slack), wider) * squares)
    delta = -math.expm1(math.log1p(-slack) + _log_kept(entries))
    return SpentBudget(min(sequential(entries).epsilon, root + drift), delta)


def exact(entries: Sequence[LedgerEntry], delta: float) -> SpentBudget:
    """The smallest ε of all releases together, given only their ε and δ. KOV theorem 3.3.

    Every ε-private release is post-processed randomised response of ε (KOV section 3), so that the
    joint loss of these responses is the worst: a convolution, whose (ε, δ) curve is inverted.

    delta : the δ of all releases together; at least 1 - Π (1 - δ_i).

    Raises ScenarioError if δ is too small for the entries, or if there are too many different ε.
    """
    kept = _log_kept(entries)
    least = -math.expm1(kept)
    if not least <= delta < 1:
        raise ScenarioError(
            f"must be in [{format_number(least, 6)}, 1), of which the entries' own δ is the start, "
            f"{got(delta)}",
            key="delta",
        )
    times: Counter[float] = Counter()
    for entry in entries:
        if entry.epsilon:
            times[entry.epsilon] += entry.times
    if not times:
        return SpentBudget(0.0, delta)
    if math.prod(count + 1 for count in times.values()) > MOST_VALUES:
        raise ScenarioError(
            f"must give at most {MOST_VALUES} different losses: too many entries with different ε",
            key="entries",
        )
    loss: DiscreteLoss | None = None
    for epsilon, count in times.items():
        part = _responses(epsilon, count)
        loss = part if loss is None else loss.then(part)
    assert loss is not None
    # 1 - (1 - spare) Π (1 - δ_i) = δ
    spare = -math.expm1(math.log1p(-delta) - kept)
    return SpentBudget(_epsilon_for(loss, spare), delta)


def _responses(epsilon: float, count: int) -> DiscreteLoss:
    """The loss of `count` randomised responses: (2j - count) ε, j binomial."""
    from scipy.special import gammaln

    ones = np.arange(count + 1)
    binomial = gammaln(count + 1) - gammaln(ones + 1) - gammaln(count - ones + 1)
    truth = -math.log1p(math.exp(-epsilon))
    law: Floats = np.exp(binomial + ones * truth + (count - ones) * (truth - epsilon))
    values = epsilon * (2.0 * ones - count)
    return DiscreteLoss.of(np.asarray(values), np.asarray(law / law.sum(), dtype=np.float64))


def _epsilon_for(loss: DiscreteLoss, delta: float) -> float:
    """The least ε ≥ 0 with E[max(0, 1 - e^(ε-L))] ≤ δ: falling in ε, so by halving."""
    if loss.delta(0.0) <= delta:
        return 0.0
    if delta <= 0:
        return loss.maximum
    low, high = 0.0, loss.maximum
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if loss.delta(middle) <= delta else (middle, high)
    return high


def _square_growth(epsilon: float) -> float:
    return math.expm1(epsilon) if epsilon < 700 else math.inf


def _log_kept(entries: Sequence[LedgerEntry]) -> float:
    """ln Π (1 - δ_i)."""
    return math.fsum(entry.times * math.log1p(-entry.delta) for entry in entries)
