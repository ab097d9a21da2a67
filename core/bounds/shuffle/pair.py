"""A lower bound on what a shuffled collection gives away: two data sets and one statistic.

The data sets differ in one user. Whoever sees the shuffled reports can count the reports that speak
for the first of that user's two items, and those that speak for the second: any two data sets and
any statistic bound the loss from below. The law of the two counts is known, and how far it lies
from that of the other data set is a sum over the number of both (Wang et al., VLDB 2024, who take
it for an upper bound: it is none, see `docs/lab.md`).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ...base.sampling import Floats
from ...law.blanket import Pair, Sides

MANY: Final = 10**5
"""From so many users on, fewer of their counts are gone through: what is left out is 0.3 % of δ."""


def delta_at_least(pair: Pair, users: int, epsilon: float) -> float:
    """The δ that these two data sets of n users need at this ε; less what is left out."""
    return max(divergence(each, users, epsilon) for each in both_ways(pair))


def both_ways(pair: Pair) -> tuple[Pair, ...]:
    """The pair, and the same with the data sets in the other order; one where that is the same."""
    if pair.others.up == pair.others.down:
        mirrored = Sides(pair.first.down, pair.first.up)
        if mirrored == pair.second:
            return (pair,)
    return pair, Pair(pair.second, pair.first, pair.others)


def divergence(pair: Pair, users: int, epsilon: float) -> float:
    """Σ (P₀ − e^ε P₁)⁺ over the counts (A, B) of reports that speak for either item.

    The others' counts are multinomial; with theirs given, (P₀ − e^ε P₁) is a sum of three terms,
    for the user's report in A, in B or in neither. For a given A + B it grows with A.
    """
    others, odds = pair.others, math.exp(epsilon)
    one_sided = min(1.0, others.up + others.down)
    if not others.up or not others.down:
        return 0.0
    up, down = pair.first.up - odds * pair.second.up, pair.first.down - odds * pair.second.down
    silent = _silent(pair.first) - odds * _silent(pair.second)
    total = _central(users, one_sided)
    fair, rest = others.up / one_sided, max(0.0, 1 - one_sided)
    least = _thresholds(up / others.up, down / others.down, silent, rest, users, total)
    before, now = _chance(total - 1, users - 1, one_sided), _chance(total, users - 1, one_sided)
    # Of the others' A + B − 1 reports this many speak for the first item, or one more than needed.
    enough = _at_least(least, total - 1, fair)
    almost = enough + np.where(total >= 1, _chance(least - 1, np.maximum(total - 1, 0), fair), 0.0)
    almost = np.where(least <= 0, 1.0, almost)
    all_others = np.where(total >= 1, fair * almost + (1 - fair) * enough, least <= 0)
    parts = before * (up * almost + down * enough) + silent * now * all_others
    return float(np.maximum(parts, 0.0).sum())


def _silent(sides: Sides) -> float:
    return max(0.0, 1 - sides.up - sides.down)


def _central(users: int, rate: float) -> Floats:
    """float64[k], the likely values of A + B."""
    mean, spread = (users - 1) * rate, math.sqrt((users - 1) * rate * (1 - rate))
    reach = (3.0 if users > MANY else 6.5) * spread + 20
    low, high = max(0, math.floor(mean - reach)), min(users, math.ceil(mean + reach))
    return np.arange(low, high + 1, dtype=np.float64)


def _thresholds(
    up: float, down: float, silent: float, rest: float, users: int, total: Floats
) -> Floats:
    """float64[k], the least A of each total at which the first data set is e^ε times likelier."""
    room = -silent * (users - total) / rest if rest > 0 else np.zeros_like(total)
    if up <= down:
        return total + 1
    return np.clip(np.ceil((room - down * total) / (up - down) - 1e-9), 0, total + 1)


def _chance(number: Floats, of: int | Floats, rate: float) -> Floats:
    """float64[k], the probability of each number under Bin(of, rate); 0 outside."""
    from scipy.special import gammaln, xlog1py, xlogy

    inside = np.clip(number, 0, of)
    log = gammaln(of + 1) - gammaln(inside + 1) - gammaln(of - inside + 1)
    log += xlogy(inside, rate) + xlog1py(of - inside, -rate)
    return np.where((number >= 0) & (number <= of), np.exp(log), 0.0)


def _at_least(least: Floats, of: Floats, rate: float) -> Floats:
    """float64[k], the probability that Bin(of, rate) reaches a number."""
    from scipy.special import betainc

    tail = betainc(np.clip(least, 1, np.maximum(of, 1)), np.maximum(of - least + 1, 1), rate)
    return np.where(least <= 0, 1.0, np.where(least > of, 0.0, tail))
