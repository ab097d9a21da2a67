"""RAPPOR after decoding: what least squares makes of the bits, on average and how far off.

Where a lasso selects candidates first there are no closed forms.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from ..cell import Cell
from ..population import Population
from ..protocols import Rappor
from ..protocols.rappor.decoding import Design, Fit
from ..sampling import Floats
from .bits import attacked_users, cohort_law_of

MOST_COLUMNS: Final = 2048
"""Decoding so many candidates has its expectation computed: a second's work."""


def decodes_linearly(protocol: Rappor) -> bool:
    """Whether decoding is least squares without a selection, so that its expectation is known."""
    design = protocol.design
    return not (design.selects or design.indistinct or design.candidates > MOST_COLUMNS)


def decoded(protocol: Rappor, users: Floats, shares: Floats) -> Floats:
    """float64[d]: what least squares makes of these shares [m, k] of this many users [m].

    Shares are Pr[bit sent as 1] less p*, over q* - p*.
    """
    return _fit(protocol, users).coefficients(shares)[protocol.design.column_of]


def _fit(protocol: Rappor, users: Floats) -> Fit:
    return _fit_of(protocol.design, tuple((users / users.max()).tolist()))


@lru_cache(maxsize=1)
def _fit_of(design: Design, users: tuple[float, ...]) -> Fit:
    """Of cohorts of this relative size: it is the same in all cells of most sweeps."""
    return Fit.of(design.columns, np.array(users), design.bits)


def estimable(cell: Cell) -> bool:
    """Whether the expectation of every decoded frequency is known."""
    protocol = cell.protocol
    assert isinstance(protocol, Rappor)
    users = cell.users * protocol.cohort_law
    return decodes_linearly(protocol) and bool(_fit(protocol, users).known.all())


@lru_cache(maxsize=4)
def clean_decoding_variance(population: Population, protocol: Rappor) -> Floats | None:
    """float64[d]: variance of the decoded frequencies before an attack; None where not all known.

    To first order in m/n, as if the cohorts were as large as expected.
    """
    users, noise = population.users * protocol.cohort_law, protocol.noise
    fit = _fit(protocol, users)
    if not fit.known.all():
        return None
    truth = population.frequencies
    return fit.standard_errors(truth, users, noise.p_star, noise.q_star) ** 2


def decoding_variance(cell: Cell, protocol: Rappor, estimate: Floats) -> Floats:
    """float64[d]: variance of the decoded frequencies under attack, whose expectation is given.

    Least squares solves Σ_users X_J'(y - X_J b) = 0, J a user's cohort: the variance is that of one
    user's term, about its own mean over the cohorts, summed over users, between the inverses of
    X'WX. What the fakes send fits no frequencies, so that the cohorts' sizes matter as well.
    """
    noise, truth, gap = protocol.noise, cell.population.frequencies, protocol.noise.gap
    everyone = attacked_users(cell, protocol)
    fit = _fit(protocol, everyone)
    rows = protocol.design.columns.tocsr()
    fitted = protocol.design.bits_of(estimate)
    parts = []
    for fakes in cell.fakes:
        rates = fakes.strategy.rates(protocol, fakes.targets)
        assert rates is not None
        law = cohort_law_of(protocol, fakes)
        parts.append((fakes, law, (rates - noise.p_star) / gap, np.zeros(truth.size)))
    variance = np.zeros(truth.size)
    each = np.zeros((truth.size, truth.size))
    for cohort, law in enumerate(protocol.cohort_law):
        own = rows[cohort * protocol.bits : (cohort + 1) * protocol.bits]
        pull = own @ fit.inverse
        # What a user who holds u adds to the estimate of v on average, in row u and column v.
        moved = own.T @ pull - fitted[cohort] @ pull
        sent = protocol.honest_scatter(truth, cohort, pull) / gap**2
        mean = truth @ moved
        variance += cell.users * law * (sent + mean**2)
        each += law * moved
        for fakes, fake_law, rates, fake in parts:
            pushed = (rates[cohort] - fitted[cohort]) @ pull
            scatter = fakes.strategy.scatter(protocol, fakes.targets, cohort, pull) / gap**2
            variance += fakes.count * fake_law[cohort] * (scatter + pushed**2)
            fake += fake_law[cohort] * pushed
    variance -= cell.users * (truth @ each**2)
    for fakes, _, _, fake in parts:
        variance -= fakes.count * fake**2
    return np.asarray(variance / everyone.sum() ** 2)
