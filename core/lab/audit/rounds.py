"""The rounds of a sequential audit: an event is chosen on earlier reports and tested on fresh ones.

Each round has as many reports as all earlier ones together. The reports of the rounds before choose
two inputs and an event; the hits of the round alone bound ε from below (Clopper, Pearson 1934), at
the round's share of the allowed error. So the bounds of all rounds hold together, and an audit may
end as soon as one of them exceeds what was promised (Jagielski, Ullman, Oprea, NeurIPS 2020; the
union bound over rounds).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...base.sampling import Counts, Floats
from ...law.pure import Items, Rng
from .lens import BLOCK, Lens, score
from .monte_carlo import best_threshold, epsilon_at_least

FIRST: Final = 4000
"""Reports of the first round, at least, where there are as many."""
PAIRED: Final = 0.75
"""The share of a round's reports that are of the two items of the event, where there are others."""
LAST: Final = 0.5
"""The share of the error of the bounds, and of the average, that the last round has."""
OF_BOUND, OF_AVERAGE, OF_HABITS = 3 / 8, 1 / 8, 1 / 4
"""The parts of the allowed error: of the bounds of all rounds, of the naive attacker's bound, and
of the tests of coins."""
OF_AGREEMENT, OF_REPEATS, OF_RATES = 1 / 8, 1 / 32, 3 / 32
"""The parts of the chi-square, of reports that come again, and of p, q and bias together.

All parts add up to 1, so that all verdicts on a client hold together."""
STARTS: Final = 3
"""Fresh starts whose reports are compared."""
AT_START: Final = 256
"""Reports of a fresh start, at most."""
NEAR: Final = 12
"""Pairs of items that are tried by each of two quick looks at all pairs."""
CHOOSING: Final = 0.9
"""The confidence of the bound by which an event is chosen; nothing is claimed of it."""
MARGIN: Final = 1.0
"""Standard errors by which the weights of an event are drawn towards 0."""


def at_start(samples: int) -> int:
    """The reports of each fresh start, in an audit of this number of reports."""
    return min(AT_START, samples // 16)


def fitting(first: int) -> int:
    """The reports of the first round that the lens is fitted to, and nothing else; of `first`."""
    return max(1, min(BLOCK, first // 2))


def sizes(samples: int) -> list[int]:
    """The reports of each round: the last has half of all, each other half of what is left."""
    rounds: list[int] = []
    left = samples
    while left >= 2 * FIRST:
        rounds.append(left - left // 2)
        left //= 2
    if not rounds:
        return [samples // 2, samples - samples // 2]
    return [left, *rounds[::-1]]


def shares(rounds: int) -> list[float]:
    """The share of the allowed error of each round; the first one tests nothing."""
    if rounds == 2:
        return [0.0, 1.0]
    return [0.0, *[(1 - LAST) / (rounds - 2)] * (rounds - 2), LAST]


def looks(rounds: int) -> list[float]:
    """The share of the naive attacker's error, should the audit end with each round."""
    return [*[(1 - LAST) / (rounds - 1)] * (rounds - 1), LAST]


def paired(count: int, domain_size: int) -> int:
    """The reports of each of the event's two items in a round of `count` reports, expected."""
    if domain_size == 2:
        return count // 2
    several = int(PAIRED * count)
    return several // 2 + (count - several) // domain_size


def items_of_round(
    count: int, domain_size: int, event: Event | None, rng: Rng
) -> tuple[Items, Items]:
    """The items of a round in a random order, as many of each and most of the event's two.

    Each comes with another item, which a report of it is no evidence of: the event's other one, or
    any. As often as u stands beside v, v stands beside u, so that guesses of both bound ε.
    """
    several = 0 if event is None or domain_size == 2 else int(PAIRED * count)
    rest = (np.arange(count - several) + rng.integers(domain_size)) % domain_size
    chosen, others = [rest], [(rest + rng.integers(1, domain_size, rest.size)) % domain_size]
    if event is not None:
        pair = np.array([event.first, event.second])
        which = np.arange(several) % 2
        chosen.append(pair[which])
        others.append(pair[1 - which])
    order = rng.permutation(count)
    return (
        np.concatenate(chosen)[order].astype(np.int64),
        np.concatenate(others)[order].astype(np.int64),
    )


def others_of(items: Items, held: Counts, rng: Rng) -> Items:
    """Another item for each, or -1, for items that nobody chose; held : int64[d], of all reports.

    Any other u is as likely, and stands beside v with the chance min(1, held_u / held_v): as often
    as u stands beside v, v stands beside u (Metropolis et al. 1953).
    """
    others = (items + rng.integers(1, len(held), items.size)) % len(held)
    kept = rng.random(items.size) * held[items] < held[others]
    return np.where(kept, others, -1)


@dataclass(frozen=True, eq=False)
class Event:
    """An event of a report: that its score reaches a threshold.

    first, second : the item that makes it likelier, and the one that makes it less likely.
    weights : float64[width] of the lens, the score of each category.
    """

    first: int
    second: int
    weights: Floats
    threshold: float

    def hits(self, lens: Lens, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """bool[n]: the reports that are in the event. codes : of all columns."""
        telling = self.columns(lens)
        return np.asarray(score(self.weights, codes[telling]) >= self.threshold)

    def columns(self, lens: Lens) -> NDArray[np.intp]:
        return lens.telling(self.weights)


@dataclass(frozen=True)
class Bound:
    """What the reports of one round prove about an event chosen before.

    lower : ε is at least that, but for `error`, the probability that this is wrong. estimate : ln
    of the ratio of the shares seen. hits : of both items, of so many reports each. looked : the
    pairs and the events among which it was chosen.
    """

    lower: float
    estimate: float
    first: int
    second: int
    event: str
    hits: tuple[int, int]
    of: tuple[int, int]
    error: float
    samples: int


def bound(
    lens: Lens, event: Event, hits: tuple[int, int], of: tuple[int, int], error: float, samples: int
) -> Bound | None:
    """The bound that hits of fresh reports prove; None where an item has none. samples : so far."""
    if not min(of):
        return None
    lower = float(epsilon_at_least(hits[0], hits[1], of[0], 1 - error, 0.0, of[1]))
    estimate = math.inf if hits[0] else 0.0
    if min(hits):
        estimate = max(0.0, math.log(hits[0] / of[0]) - math.log(hits[1] / of[1]))
    told = lens.describe(event.weights, event.threshold)
    return Bound(lower, estimate, event.first, event.second, told, hits, of, error, samples)


def chosen(
    lens: Lens,
    items: Items,
    table: Floats,
    codes: NDArray[np.integer],
    of_codes: NDArray[np.intp],
    now: Event | None,
    supporting: Floats | None,
) -> Event | None:
    """The event that tells two items apart best, of all pairs of items.

    items : int64[k], those that are looked at. table : float64[k, width], how often each category
    was seen of each. codes : int[columns, n], reports for the thresholds, of the items in the rows
    `of_codes`, intp[n]. now : the event of the round before, whose items are tried again.
    supporting : float64[k, width], how much a category speaks for the item; None where that is not
    known. What supports one item and not the other is the best event of a pure protocol (Wang et
    al. 2017).
    """
    # Every second report is for thresholds, the others for weights: no report flatters itself.
    spare = np.arange(of_codes.size) % 2 == 1
    whole = codes, of_codes
    codes, of_codes = codes[:, spare], of_codes[spare]
    table = table - np.bincount(
        (codes + of_codes * table.shape[1]).ravel(), minlength=table.size
    ).reshape(table.shape)
    numbers = table[:, lens.starts[0] : lens.starts[1]].sum(axis=1)
    seen = np.flatnonzero(numbers)
    if seen.size < 2:
        return None
    rows = {item: row for row, item in enumerate(items.tolist())}
    pairs = dict.fromkeys(_near(lens, table[seen] / numbers[seen, None], numbers[seen]))
    tried = {(int(seen[a]), int(seen[b])) for a, b in pairs}
    if now is not None and min(numbers[rows[now.first]], numbers[rows[now.second]]) > 0:
        tried.add((rows[now.first], rows[now.second]))
    best: tuple[float, Event | None] = (-1.0, None)
    for a, b in sorted(tried):
        weights = lens.weights(table[a], table[b], numbers[a] / numbers[b], MARGIN)
        ways = [(weights, codes, of_codes, -math.inf)]
        if supporting is not None:  # a score above 0 speaks for the one and against the other
            ways.append((supporting[a] - supporting[b], *whole, 0.0))
        for weights, some, rows_of, least in ways:
            telling = lens.telling(weights)
            if not (telling.size and (rows_of == a).any() and (rows_of == b).any()):
                continue
            first, second = (
                np.maximum(score(weights, some[telling][:, rows_of == row]), least)
                for row in (a, b)
            )
            # The best of many thresholds looks better than it is: all of them are paid for.
            thresholds = np.unique(first)
            sure = 1 - (1 - CHOOSING) / max(1, int((thresholds > least).sum()))
            lower, threshold = best_threshold(first, second, sure, 0.0)
            if lower > best[0]:
                best = (lower, Event(int(items[a]), int(items[b]), weights, threshold))
    return best[1]


def _near(lens: Lens, rates: Floats, numbers: Floats) -> list[tuple[int, int]]:
    """The pairs of rows that a quick look at all of them finds: by one category, and by all."""
    noise = np.sqrt(rates / numbers[:, None])
    low = np.maximum(rates - 2 * noise, 0.0)
    high = rates + 2 * noise + 3 / numbers[:, None]
    ratio = low.max(axis=0) / high.min(axis=0)
    firsts, seconds = low.argmax(axis=0), high.argmin(axis=0)
    pairs: list[tuple[int, int]] = []
    for at in np.argsort(-ratio, kind="stable")[: 4 * NEAR].tolist():
        pair = (int(firsts[at]), int(seconds[at]))
        if pair[0] != pair[1] and pair not in pairs and len(pairs) < NEAR:
            pairs.append(pair)
    roots = np.sqrt(rates)
    apart = len(lens.values) - roots @ roots.T
    # The distance of two samples of one law: of each category a quarter of both variances.
    apart = apart - (1 / numbers[:, None] + 1 / numbers) * lens.width / 8
    upper = np.triu_indices(len(rates), 1)
    for at in np.argsort(-apart[upper], kind="stable")[:NEAR].tolist():
        a, b = int(upper[0][at]), int(upper[1][at])
        pairs += [(a, b), (b, a)]
    return pairs
