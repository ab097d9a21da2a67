"""An upper bound on the δ of shuffled reports (privacy blanket, by FFT), and a lower bound.

Balle, Bell, Gascón, Nissim, CRYPTO 2019, lemma 5.3: for n users of a protocol with the blanket
(γ, ω) the shuffled reports are (ε, δ)-private with

    δ = E[(X₁ + … + X_n)⁺] / (γn),   X = 0 with probability 1 − γ, else (R₀(y) − e^ε R₁(y))/ω(y),

y drawn from ω. The distribution of the sum is one Fourier transform. Four measures keep the number
an upper bound, and sharp:

* X is put on a grid by splitting each value between its two neighbours, which preserves the mean;
  the mean of a convex function can only grow. A sum of many terms is made of blocks, each put on a
  wider grid in the same way, as one grid for all would be too coarse for a term.
* All distributions are tilted by e^(θx), with θ such that sums near 0 are common, so that rounding
  is a small part of the result however small δ is.
* The grid is so wide that a sum beyond it has the tilted probability e^−50 at most (Bernstein).
* Sums of few terms are enumerated, without a grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.sampling import Floats
from ...law.blanket import Blanket, Pair, Sides

POINTS: Final = 1 << 17
"""Points of a grid."""
TOGETHER: Final = 1024
"""The most terms of one kind that are summed on one grid."""
LISTED: Final = 4096
"""The most different sums that are gone through one by one."""
OUTSIDE: Final = 50.0
"""−ln of the tilted probability of a sum that is not on its grid."""
LOWEST: Final = 25.0
"""Terms below −25/θ are raised to it: they hardly ever belong to a sum above 0."""
NOTHING: Final = -500.0
"""ln of a δ that is so small that Chernoff's bound is enough."""
SLACK: Final = 1e-9
"""What rounding and sums outside the grid may add, as a part of δ."""


@dataclass(frozen=True, eq=False)
class _TiltedLaw:
    """A law of sums, tilted: e^scale times `masses`, which add up to 1, at `points`.

    reach : the largest distance from its mean of one of the terms that it is the sum of.
    """

    points: Floats
    masses: Floats
    scale: float
    reach: float

    @property
    def mean(self) -> float:
        return float((self.points * self.masses).sum())

    @property
    def variance(self) -> float:
        return float(((self.points - self.mean) ** 2 * self.masses).sum())


_Terms: TypeAlias = Sequence[tuple[_TiltedLaw, int]]
"""Laws of terms, each with the number of terms that have it."""


def delta_at_most(blanket: Blanket, users: int, epsilon: float) -> float:
    """An upper bound on the δ of n users' shuffled reports at this ε, for one pair of items.

    users : n, the users whose reports hide the others; at least 1.
    """
    terms = blanket.first - math.exp(epsilon) * blanket.second
    if terms.max() <= 0:
        return 0.0
    points = np.append(terms, 0.0)
    masses = np.append(blanket.share * blanket.weights, max(0.0, 1 - blanket.share))
    theta = _tilt(points, masses)
    if theta > 0:
        points = np.maximum(points, -LOWEST / theta)
    term = _law(points, masses, float(np.ptp(points)), theta)
    least = term.scale * users - math.log(blanket.share * users)
    if theta > 0 and least - math.log(theta) - 1 < NOTHING:  # Chernoff: s ≤ e^(θs)/(eθ)
        return math.exp(least - math.log(theta) - 1)
    total = _list_sums(term, users) or _grid_sums(term, users, theta)
    above = total.points > 0
    sums = total.points[above]
    excess = float((sums * np.exp(-theta * sums) * total.masses[above]).sum())
    if not excess:
        return 0.0
    log = total.scale + math.log(excess) - math.log(blanket.share * users)
    return min(1.0, math.exp(min(log, 0.0)) * (1 + SLACK))


def _tilt(points: Floats, masses: Floats) -> float:
    """θ ≥ 0 at which the tilted mean is 0; 0 where the mean is not below 0."""
    top = float(points.max())

    def mean(theta: float) -> float:
        return float(points @ (masses * np.exp(theta * (points - top))))

    if mean(0.0) >= 0:
        return 0.0
    high = 1 / top
    while mean(high) < 0:
        high *= 2
    from scipy.optimize import brentq

    return float(brentq(mean, 0.0, high, xtol=1e-300, rtol=1e-12))


def _law(
    points: Floats, masses: Floats, reach: float, theta: float = 0.0, scale: float = 0.0
) -> _TiltedLaw:
    """The law of these masses times e^(θx), as one that adds up to 1."""
    top = theta * float(points.max())
    tilted = masses * np.exp(theta * points - top)
    total = float(tilted.sum())
    return _TiltedLaw(points, tilted / total, scale + top + math.log(total), reach)


def _list_sums(term: _TiltedLaw, count: int) -> _TiltedLaw | None:
    """The sum of `count` terms, each possible sum once; None where there are too many."""
    if math.comb(count + term.points.size - 1, term.points.size - 1) > LISTED:
        return None
    points, masses = term.points, term.masses
    for _ in range(count - 1):
        sums = np.add.outer(points, term.points).ravel()
        likely = np.multiply.outer(masses, term.masses).ravel()
        points, place = np.unique(sums.round(12), return_inverse=True)
        masses = np.zeros(points.size)
        np.add.at(masses, place.ravel(), likely)
    return _TiltedLaw(points, masses, count * term.scale, term.reach)


def _grid_sums(term: _TiltedLaw, count: int, theta: float) -> _TiltedLaw:
    """The sum of `count` terms on a grid: blocks of terms, blocks of blocks, and what is left."""
    levels = max(1, math.ceil(math.log(count, TOGETHER) - 1e-9))
    each = math.ceil(count ** (1 / levels) - 1e-9)
    part, left, rest = term, count, list[tuple[_TiltedLaw, int]]()
    for _ in range(levels - 1):
        left, single = divmod(left, each)
        rest += [(part, single)] if single else []
        part = _add_terms([(part, each)], theta)
    return _add_terms([(part, left), *rest] if left else rest, theta)


def _add_terms(terms: _Terms, theta: float) -> _TiltedLaw:
    """The sum of all terms, on the multiples of a step that reach far enough around its mean."""
    centre = sum(count * law.mean for law, count in terms)
    step = 2 * _width(terms) / (POINTS - 2)
    spectrum = np.ones(POINTS // 2 + 1, dtype=np.complex128)
    scale = 0.0
    for law, count in terms:
        spectrum *= _power(np.fft.rfft(_split(law, step, theta)), count)
        scale += count * law.scale
    masses = np.maximum(np.fft.irfft(spectrum, POINTS), 0.0)
    first = round(centre / step) - POINTS // 2
    points = np.arange(first, first + POINTS)
    reach = max(law.reach for law, _ in terms) + step
    return _law((points * step).astype(np.float64), masses[points % POINTS], reach, scale=scale)


def _power(values: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    """Each value to the power of a whole number, by squaring."""
    result = np.ones_like(values)
    while count:
        if count & 1:
            result = result * values
        count >>= 1
        values = values * values if count else values
    return result


def _width(terms: _Terms) -> float:
    """How far the sum can be from its mean, but for a probability of e^−50: Bernstein."""
    variance = sum(count * law.variance for law, count in terms)
    reach = max(law.reach for law, _ in terms)
    linear = OUTSIDE * reach / 3
    return linear + math.sqrt(linear**2 + 2 * OUTSIDE * variance)


def _split(law: _TiltedLaw, step: float, theta: float) -> Floats:
    """float64[POINTS], the masses on the multiples of a step, modulo the length of the grid.

    Each point goes to its two neighbours, so that the mean without the tilt stays.
    """
    below = np.floor(law.points / step)
    above = law.points / step - below
    at = below.astype(np.int64) % POINTS
    lower = law.masses * (1 - above) * np.exp(-theta * step * above)
    upper = law.masses * above * np.exp(theta * step * (1 - above))
    masses = np.bincount(at, lower, minlength=POINTS)
    return np.asarray(masses + np.bincount((at + 1) % POINTS, upper, minlength=POINTS))


# A lower bound on what a shuffled collection gives away: two data sets and one statistic.
#
# The data sets differ in one user. Whoever sees the shuffled reports can count the reports that
# speak for the first of that user's two items, and those that speak for the second: any two data
# sets and any statistic bound the loss from below. The law of the two counts is known, and how far
# it lies from that of the other data set is a sum over the number of both (Wang et al., VLDB 2024,
# who take it for an upper bound: it is none, see `docs/lab.md`).

MANY: Final = 10**5
"""From so many users on, fewer of their counts are gone through: what is left out is 0.3 % of δ."""


def delta_at_least(pair: Pair, users: int, epsilon: float) -> float:
    """A lower bound on the δ of n users' shuffled reports at this ε, from two neighbouring data
    sets.
    """
    return max(divergence(each, users, epsilon) for each in both_ways(pair))


def both_ways(pair: Pair) -> tuple[Pair, ...]:
    """The pair of data sets in both orders; one if both orders are the same."""
    if pair.others.up == pair.others.down:
        mirrored = Sides(pair.first.down, pair.first.up)
        if mirrored == pair.second:
            return (pair,)
    return pair, Pair(pair.second, pair.first, pair.others)


def divergence(pair: Pair, users: int, epsilon: float) -> float:
    """Σ (P₀ − e^ε P₁)⁺ over the counts (A, B) of reports that support the first or the second item.

    The other users' counts are multinomial; given these, (P₀ − e^ε P₁) is a sum of three terms, for
    the user's report in A, in B or in neither. For a given A + B it grows with A.
    """
    others, odds = pair.others, math.exp(epsilon)
    one_sided = min(1.0, others.up + others.down)
    if not others.up or not others.down:
        return 0.0
    up, down = pair.first.up - odds * pair.second.up, pair.first.down - odds * pair.second.down
    silent = _find_silent_share(pair.first) - odds * _find_silent_share(pair.second)
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


def _find_silent_share(sides: Sides) -> float:
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
