"""The attack solver: the most targets that fake reports support under given constraints.

Crafted reports of a bit for each item fall into classes j = 0, …, r: j of the targets, a uniform
subset, and padding elsewhere. With z_j the share of the fakes in class j it is a linear programme:
max Σ j z_j subject to rows that are linear in z. Our derivation; `docs/theory.md` has the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import ENTRIES
from ..base.sampling import Counts, Floats, binomial_law

KEPT: Final = 512
"""Programmes whose answers are kept."""


@dataclass(frozen=True)
class Programme:
    """The linear programme of fakes whose reports must pass given defences.

    p, q : of the protocol, whose reports are `items` bits. users, fakes : n and m.
    held : the targets' true frequencies, largest first; there are r of them.
    thresholds : for s = 1, 2, … the number of reports that is too many to support a set of s
    targets.
    slack : the margin below the thresholds, in standard deviations.
    sizes : whether the number of ones has the distribution of honest reports. mass : whether the
    mean number of ones is at most that of honest reports. padding : int64[r + 1], as a tuple, the
    ones
        elsewhere of each class if their number is free.
    """

    p: float
    q: float
    items: int
    users: int
    fakes: int
    held: tuple[float, ...]
    thresholds: tuple[int, ...] = ()
    slack: float = 3.0
    sizes: bool = False
    mass: bool = False
    padding: tuple[int, ...] = ()

    @property
    def targets(self) -> int:
        return len(self.held)


def honest_together(programme: Programme) -> tuple[Floats, Floats]:
    """Mean and variance of the number of honest reports that support all of s targets,
    float64[sizes] each, s = 1, 2, ….

    n q^(s−1) [q + (p − q) Σ f], over the s most frequent targets.
    """
    sizes = np.arange(1, len(programme.thresholds) + 1)
    p, q, n = programme.p, programme.q, programme.users
    held = np.cumsum(programme.held)[sizes - 1]
    own, other = p * q ** (sizes - 1), q**sizes
    # Users who hold one of them, and those who hold none, are binomial each.
    spread = n * (held * own * (1 - own) + (1 - held) * other * (1 - other))
    return n * (other + held * (own - other)), spread


def room(programme: Programme) -> Floats:
    """float64[s]: the largest share of fakes that may all support a set of s targets.

    The largest x with m x + k √(V + m x) ≤ τ − 1 − H: the number of such fakes varies too, by less
    than their number. k is so large that all C(r, s) sets stay below with the same probability as
    one set with `slack`. Negative if honest reports alone come too close.
    """
    from scipy.special import binom, log_ndtr, ndtri_exp

    honest, spread = honest_together(programme)
    left = np.array(programme.thresholds) - 1 - honest
    sets = binom(programme.targets, np.arange(1, left.size + 1))
    deviations = -ndtri_exp(log_ndtr(-programme.slack) - np.log(sets))
    under = np.sqrt(np.maximum(left + spread + deviations**2 / 4, 0))
    kept = np.where(left > 0, left + deviations**2 / 2 - deviations * under, left)
    return np.asarray(kept / max(programme.fakes, 1))


def together(targets: int, sizes: int) -> Floats:
    """float64[sizes, r + 1]: C(j, s)/C(r, s), the probability that a report of j targets supports a
    given set of s.

    targets : r.
    """
    j = np.arange(targets + 1)
    rows, row = [], np.ones(targets + 1)
    for s in range(sizes):
        row = row * np.maximum(j - s, 0) / (targets - s)
        rows.append(row)
    return np.array(rows).reshape(sizes, targets + 1)


def ones_law(programme: Programme) -> Floats:
    """float64[d + 1]: the distribution of the number of ones of an honest report, Bern(p) + Bin(d −
    1, q).
    """
    law = np.zeros(programme.items + 1)
    ones, likely = binomial_law(programme.items - 1, programme.q)
    law[ones] += likely * (1 - programme.p)
    law[ones + 1] += likely * programme.p
    return law


def _tails(programme: Programme) -> tuple[Floats, Floats]:
    """The least and the largest Pr[J ≥ t], t = 1, …, r, of targets among an honest number of ones.

    Such a J has 0 ≤ K − J ≤ d − r for some K of the honest law, and each that has is one of them.
    """
    law, r = ones_law(programme), programme.targets
    tail = np.append(np.cumsum(law[::-1])[::-1], np.zeros(r + 1))
    t = np.arange(1, r + 1)
    return np.minimum(tail[t + programme.items - r], 1.0), np.minimum(tail[t], 1.0)


def check(programme: Programme) -> None:
    """Raise ScenarioError for constraints that no report satisfies, or for too many constraints.

    Without solving: class 0 alone is feasible if anything is; with an honest number of ones, the
    fewest targets that it allows.
    """
    r, sizes = programme.targets, len(programme.thresholds)
    entries = (r + 1) * (sizes + 2 * r * programme.sizes + 2)
    if entries > ENTRIES:
        rule = f"must be solved over at most {ENTRIES} entries: leave out targets"
        raise ScenarioError(f"{rule}, got {entries}", key="targets")
    if not sizes:
        return
    fewest = np.zeros(r + 1)
    if programme.sizes:
        fewest[:-1] = -np.diff(np.append(1.0, _tails(programme)[0]))
    fewest[-1] = 1 - fewest[:-1].sum()
    if not programme.sizes:
        fewest = np.eye(r + 1)[0]
    over = together(r, sizes) @ fewest - room(programme)
    worst = int(np.argmax(over))
    if over[worst] > 1e-12:
        honest = honest_together(programme)[0][worst]
        raise ScenarioError(
            f'must leave out "fiad": honest reports alone support {worst + 1} targets together '
            f"{honest:.4g} times, too close to the threshold, got {programme.thresholds[worst]}",
            key="constraints",
        )


_SOLVED: Final[dict[Programme, Floats]] = {}
"""The programmes that were solved last, with z."""


def is_solved(programme: Programme) -> bool:
    """Whether the programme's solution is cached."""
    return programme in _SOLVED


def solve_classes(programme: Programme) -> Floats:
    """float64[r + 1], read-only: the optimal share of the fakes whose report supports j of r
    targets, j = 0..r.

    Raises ScenarioError if there is no solution.
    """
    shares = _SOLVED.get(programme)
    if shares is None:
        check(programme)
        shares = _optimum(programme)
        shares.setflags(write=False)
        _SOLVED[programme] = shares
        while len(_SOLVED) > KEPT:
            del _SOLVED[next(iter(_SOLVED))]
    return shares


def _optimum(programme: Programme) -> Floats:
    from scipy.optimize import linprog

    r = programme.targets
    j = np.arange(r + 1)
    rows, most = [together(r, len(programme.thresholds))], [room(programme)]
    if programme.sizes:
        low, high = _tails(programme)
        tail = (j >= np.arange(1, r + 1)[:, None]).astype(float)
        rows += [tail, -tail]
        most += [high, -low]
    elif programme.mass:
        rows.append((j + np.array(programme.padding))[None, :])
        most.append(np.array([programme.p + (programme.items - 1) * programme.q]))
    matrix, bounds = np.concatenate(rows), np.concatenate(most)
    # Rows of one size, so that a tolerance means the same for each of them.
    scale = np.where(np.abs(bounds) > 1e-9, np.abs(bounds), 1.0)
    answer = linprog(
        -j.astype(float),
        A_ub=matrix / scale[:, None],
        b_ub=bounds / scale,
        A_eq=np.ones((1, r + 1)),
        b_eq=[1.0],
        bounds=(0, 1),
        method="highs",
    )
    if not answer.success:
        raise ScenarioError(f"cannot be kept to: {answer.message}", key="constraints")
    # Rounded, so that every release of HiGHS has the same digits.
    shares = np.round(np.maximum(answer.x, 0), 12)
    return np.asarray(shares / shares.sum())


@lru_cache(maxsize=KEPT)
def list_sizes(programme: Programme) -> tuple[Counts, Counts, Floats]:
    """The joint distribution of ones among the targets and ones elsewhere: int64[k] twice, and
    probabilities float64[k].

    With an honest number of ones K, the number of targets J rises with K: that preserves both
    distributions, and 0 ≤ K − J ≤ d − r holds wherever it can.
    """
    shares, j = solve_classes(programme), np.arange(programme.targets + 1)
    if not programme.sizes:
        kept = shares > 0
        return j[kept], np.array(programme.padding)[kept], shares[kept]
    ones = ones_law(programme)
    steps = np.unique(np.concatenate([np.cumsum(shares), np.cumsum(ones)]).clip(0, 1))
    law = np.diff(np.append(0.0, steps))
    middles = steps - law / 2
    inside = np.searchsorted(np.cumsum(shares), middles).clip(0, programme.targets)
    whole = np.searchsorted(np.cumsum(ones), middles).clip(0, programme.items)
    outside = (whole - inside).clip(0, programme.items - programme.targets)
    kept = law > 0
    return inside[kept], outside[kept], law[kept] / law[kept].sum()
