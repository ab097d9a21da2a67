"""PEM on one trial: level by level, the k candidates with the largest estimates survive.

Both arms are computed together, so that they share the genuine users' draws. The survival of some
watched items is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...base.sampling import Counts, Floats
from ...cell import Cell
from ...law.pure import Items, PureProtocol, estimate
from ...metrics.conclusions.hitters import HitterAnswer
from ...population import Population
from .counting import DrawnCounts
from .prefixes import Codes, Encoding, Prefixes, codes_of, places


@dataclass(frozen=True, eq=False)
class LevelResult:
    """One level in one arm: its candidate prefixes, ascending, and the surviving ones.

    counts : for each candidate the number of users who support it. estimates : their frequencies in
    the group. users : in the group, fakes included.
    top : the positions of the survivors among the candidates, the largest estimate first; of equal
        estimates the lower prefix first.
    """

    candidates: Codes
    counts: Counts
    estimates: Floats
    top: Counts
    users: int

    @property
    def survivors(self) -> Codes:
        """The surviving prefixes, ascending."""
        return np.sort(self.candidates[self.top])


Tree = tuple[LevelResult, ...]
"""The levels of one arm in one trial."""


def grow(prefixes: Prefixes, draws: DrawnCounts, attacked: bool) -> tuple[Tree, Tree]:
    """The levels of a trial without and with the fakes; without an attack, one object twice."""
    clean: list[LevelResult] = []
    under_attack: list[LevelResult] = []
    before = after = prefixes.roots
    for number in range(len(prefixes.lengths)):
        listed = prefixes.children(before, number)
        theirs = prefixes.children(after, number) if attacked else listed
        at = places(listed, theirs)
        more = theirs[at < 0]
        counts = draws.genuine_counts(number, listed, more)
        oracle, users = draws.oracle(number), draws.users(number)
        clean.append(_rank_survivors(listed, counts[: listed.size], users, oracle, prefixes.k))
        before = clean[-1].survivors
        if attacked:
            at[at < 0] = listed.size + np.arange(more.size)
            both = counts[at] + draws.fake_counts(number, theirs)
            everyone = users + draws.fakes(number)
            under_attack.append(_rank_survivors(theirs, both, everyone, oracle, prefixes.k))
            after = under_attack[-1].survivors
    tree = tuple(clean)
    return tree, tuple(under_attack) if attacked else tree


def _rank_survivors(
    candidates: Codes, counts: Counts, users: int, oracle: PureProtocol, k: int
) -> LevelResult:
    """The survivors of a level, by the counts of a group of `users`; an empty group ranks none."""
    estimates = estimate(counts, users, oracle) if users else np.zeros(candidates.size)
    top = np.argsort(-counts, kind="stable")[:k]
    return LevelResult(candidates, counts, np.asarray(estimates), top, users)


@lru_cache(maxsize=4)
def prefixes_of(
    population: Population,
    k: int,
    bits: int,
    lengths: tuple[int, ...],
    encoding: Encoding | None,
    seed: int,
) -> Prefixes:
    """The items of a population as bit strings; raises ScenarioError, at a key of the task, for
    invalid codes.
    """
    return Prefixes(codes_of(population, encoding, bits, seed), bits, k, lengths)


@dataclass(frozen=True, eq=False)
class WatchedItems:
    """The items whose survival is recorded level by level: the targets and the true hitters.

    items : int64[w]. targets, hitters : their positions in `items`.
    """

    items: Items
    targets: Items
    hitters: Items


@lru_cache(maxsize=4)
def watch_items(cell: Cell) -> WatchedItems:
    """The targets of a cell, then its k most frequent items."""
    histogram = cell.population.histogram
    first = np.argsort(-histogram, kind="stable")[: cell.top_k]
    hitters = first[histogram[first] > 0]
    items = np.array(list(dict.fromkeys([*cell.targets.tolist(), *hitters.tolist()])))
    at = {item: place for place, item in enumerate(items.tolist())}
    return WatchedItems(
        items,
        np.arange(cell.targets.size),
        np.array([at[item] for item in hitters.tolist()], dtype=np.int64),
    )


def answer_of(trees: Sequence[Tree], prefixes: Prefixes, items: Items) -> HitterAnswer:
    """The server's answers in several trials of one arm, restricted to these items."""
    codes = prefixes.codes[items]
    survived = np.zeros((len(trees), len(prefixes.lengths), items.size), dtype=np.bool_)
    estimates = np.zeros((len(trees), items.size))
    for trial, tree in enumerate(trees):
        for number, level in enumerate(tree):
            survived[trial, number] = places(level.survivors, prefixes.cut(codes, number)) >= 0
        at = places(tree[-1].candidates, codes)
        named = survived[trial, -1]
        estimates[trial, named] = tree[-1].estimates[at[named]]
    return HitterAnswer(survived, estimates, trees[0][-1].top.size)


def keep_measures(answer: HitterAnswer, watched: WatchedItems) -> Floats:
    """float64[trials, (w + 2)·G + w]: for each trial the measures of w watched items and G groups.

    The survival of each item at each level; the number of targets, then of true hitters, that
    survive each level; the estimate of each item, 0 if it is not in the answer.
    """
    survived = answer.survived.astype(np.float64)
    parts = [
        survived.reshape(len(survived), -1),
        survived[:, :, watched.targets].sum(axis=2),
        survived[:, :, watched.hitters].sum(axis=2),
        answer.estimates,
    ]
    return np.concatenate(parts, axis=1)


def kept_size(watched: WatchedItems, groups: int) -> int:
    """The length of the vector of measures that `keep_measures` returns for one trial."""
    return (watched.items.size + 2) * groups + watched.items.size


@dataclass(frozen=True, eq=False)
class LevelMean:
    """The named parts of a vector of mean measures (or of their standard errors).

    survived : float64[G, w]. targets, hitters : float64[G]. estimates : float64[w].
    """

    survived: Floats
    targets: Floats
    hitters: Floats
    estimates: Floats

    @classmethod
    def of(cls, vector: Floats, groups: int) -> LevelMean:
        """The named parts of a vector of measures, as `keep_measures` orders them, with G =
        `groups`.
        """
        items = (vector.size - 2 * groups) // (groups + 1)
        ends = np.cumsum([items * groups, groups, groups])
        survived, targets, hitters, estimates = np.split(vector, ends)
        return cls(survived.reshape(groups, items), targets, hitters, estimates)
