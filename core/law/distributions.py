"""The distribution of users' numbers, fitted to counts of their reports.

The distribution that makes the reports likeliest, by expectation maximisation (EM), smoothed (EMS)
or not. Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li, "Estimating Numerical Distributions under Local
Differential Privacy", SIGMOD 2020, section 5, with its stopping rules: a step that changes the
log-likelihood by less than 10⁻³ e^ε (EM) or 10⁻³ (EMS); with more than a million reports, by less
than that for each million. A report's distribution over bins is flat except at the ends of a
window, so that a step costs the number of bins plus items, and not their product.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ..base.sampling import Counts, Floats

STEPS: Final = 10_000
"""Steps of a fit at most."""
CHANGE: Final = 1e-3
"""The change of the log-likelihood below which a smoothed fit stops, of a million reports."""
MILLION: Final = 1e6


@dataclass(frozen=True, eq=False)
class ReportTable:
    """A table of report distributions, float64[reports, inputs], stored by its few change points.

    forward : the distribution of all reports, float64[K, trials], from distributions of inputs
    float64[d, trials].
    backward : the transpose, float64[d, trials] from float64[K, trials].
    """

    forward: Callable[[Floats], Floats]
    backward: Callable[[Floats], Floats]


@lru_cache(maxsize=4)
def table_of(protocol: Any) -> ReportTable:
    """The table of report distributions of a protocol of numbers."""
    from scipy.sparse import csr_array

    least = protocol.table.min(axis=1)
    rest = protocol.table - least[:, None]
    changes = np.diff(rest, axis=0, prepend=0.0)
    changes[np.abs(changes) <= 1e-9 * rest.max()] = 0.0
    if np.count_nonzero(changes) > changes.size / 8:
        table = protocol.table
        return ReportTable(
            lambda given: np.asarray(table @ given), lambda found: np.asarray(table.T @ found)
        )
    few, turned = csr_array(changes), csr_array(changes.T)

    column = least[:, None]

    def forward(given: Floats) -> Floats:
        law = (few @ given).cumsum(axis=0)
        law += column * given.sum(axis=0)
        np.maximum(law, 1e-300, out=law)
        return np.asarray(law)

    def backward(found: Floats) -> Floats:
        above = found[::-1].cumsum(axis=0)[::-1]
        return np.asarray(turned @ above + least @ found)

    return ReportTable(forward, backward)


def fit_distribution(protocol: Any, counts: Floats | Counts, smooth: bool) -> Floats:
    """float64[trials, d]: the distributions of numbers fitted to report counts [trials, K].

    smooth : whether to smooth each step (EMS instead of EM).
    """
    table, seen = table_of(protocol), np.ascontiguousarray(counts.T, dtype=np.float64)
    d, trials = protocol.domain_size, len(counts)
    change = CHANGE if smooth else CHANGE * math.exp(protocol.epsilon)
    changes = change * np.maximum(counts.sum(axis=1) / MILLION, 1.0)
    made = np.full((d, trials), 1 / d)
    # Of the trials that have not stopped: their places, fits, and last log-likelihoods.
    going, fits, before = np.arange(trials), made.copy(), np.full(trials, -np.inf)
    law = table.forward(fits)
    for _ in range(STEPS):
        fits *= table.backward(seen / law)
        fits = _smooth_fits(fits) if smooth else fits
        fits /= fits.sum(axis=0)
        law = table.forward(fits)
        likely = np.einsum("kt,kt->t", seen, np.log(law))
        left = np.abs(likely - before) >= changes
        before = likely
        if left.all():
            continue
        made[:, going] = fits
        if not left.any():
            return made.T
        going, before, changes = going[left], before[left], changes[left]
        fits, seen, law = fits[:, left], seen[:, left], law[:, left]
    made[:, going] = fits
    return made.T


def fitted_with_poison(protocol: Any, counts: Floats, poisoned: Any) -> Floats:
    """float64[trials, K]: the honest part of the reports in each bin, by a joint fit of honest
    users and poison.

    The likeliest mixture of honest users and of any distribution over the poisoned bins, by EM from
    half and half.

    counts : float64[trials, K]. poisoned : bool[K], the bins that fakes may report.
    """
    table, seen = table_of(protocol), counts.T
    trials, d = len(counts), protocol.domain_size
    changes = CHANGE * math.exp(protocol.epsilon) * np.maximum(seen.sum(axis=0) / MILLION, 1.0)
    fits = np.full((d, trials), 0.5 / d)
    poison = np.repeat(np.where(poisoned, 0.5 / poisoned.sum(), 0.0)[:, None], trials, axis=1)
    before = np.full(trials, -np.inf)
    honest = table.forward(fits)
    for _ in range(STEPS):
        ratio = seen / (honest + poison)
        fits = fits * table.backward(ratio)
        poison = poison * ratio
        total = fits.sum(axis=0) + poison.sum(axis=0)
        fits, poison = fits / total, poison / total
        honest = table.forward(fits)
        likely = (seen * np.log(honest + poison)).sum(axis=0)
        if (np.abs(likely - before) < changes).all():
            break
        before = likely
    return np.asarray((honest / (honest + poison)).T)


def _smooth_fits(fits: Floats) -> Floats:
    """Each entry with half its weight, a quarter for both neighbours; [d, trials].

    They do not add up to 1.
    """
    made, quarter = fits / 2, fits / 4
    made[1:] += quarter[:-1]
    made[:-1] += quarter[1:]
    made[:: len(made) - 1] *= 4 / 3  # an end has one neighbour
    return np.asarray(made)


def chi_square(protocol: Any, counts: Floats | Counts, fits: Floats) -> tuple[Floats, Floats]:
    """The chi-square of the counts that a fit expects, and its degrees of freedom, float64[trials]
    each.

    Bins that expect less than 5 reports are joined. Honest reports of a known population have K − 1
    degrees of freedom; a fit by EM follows their noise, so that its chi-square is smaller.

    counts : [trials, K]. fits : float64[trials, d].
    """
    expected = table_of(protocol).forward(fits.T) * counts.sum(axis=1)
    parts = np.where(expected >= 5, (counts.T - expected) ** 2 / expected, 0.0).sum(axis=0)
    rare = expected < 5
    over = np.where(rare, counts.T - expected, 0.0).sum(axis=0) ** 2
    parts += over / np.maximum(np.where(rare, expected, 0.0).sum(axis=0), 1.0)
    return parts, np.maximum((~rare).sum(axis=0) - 1, 1)


def misfit(protocol: Any, counts: Floats | Counts, fits: Floats) -> Floats:
    """float64[trials]: the chi-square of a fit, less its degrees of freedom, in its standard
    deviations.

    For a fit of honest reports it is 0 or less on average, except for a smoothed fit of very many.

    counts : [trials, K]. fits : float64[trials, d].
    """
    parts, free = chi_square(protocol, counts, fits)
    return np.asarray((parts - free) / np.sqrt(2 * free))
