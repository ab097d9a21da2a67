"""RAPPOR after decoding: what least squares makes of the bits, on average and how far off.

Where a lasso selects candidates first there are no closed forms.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from ...base.errors import spelled
from ...base.sampling import Counts, Floats
from ...kernels.threads import one_thread
from ...law.moments import Collection, Moments
from .counted import attacked_shares, attacked_users
from .decoding import Design, Fit
from .filters import Filters
from .laws import honest_bits

MOST_COLUMNS: Final = 2048
"""The most candidates whose expected decoding is computed: a second's work."""


def decodes_linearly(protocol: Filters) -> bool:
    """Return whether decoding is least squares alone, so that its expectation is known."""
    design = protocol.design
    return not (design.selects or design.candidates > MOST_COLUMNS)


def decode_shares(protocol: Filters, users: Floats, shares: Floats) -> Floats:
    """float64[d]: what least squares makes of these shares [m, k] of this many users [m].

    Shares are Pr[bit sent as 1] less p*, over q* - p*.
    """
    return protocol.design.shared_out(_fit(protocol, users).coefficients(shares))


def _fit(protocol: Filters, users: Floats) -> Fit:
    return _fit_of(protocol.design, tuple((users / users.max()).tolist()))


@lru_cache(maxsize=2)
def _fit_of(design: Design, users: tuple[float, ...]) -> Fit:
    """The fit for cohorts of this relative size: the same in all cells of most sweeps."""
    return Fit.of(design, np.array(users))


def estimable(protocol: Filters) -> bool:
    """Return whether the expectation of every decoded frequency is known."""
    if not decodes_linearly(protocol):
        return False
    with one_thread():
        return bool(_fit(protocol, protocol.cohort_law).known.all())


def means(protocol: Filters, collection: Collection) -> Moments | None:
    """Expected estimates before and after the attack, float64[d] each; None where not all known."""
    if not estimable(protocol):
        return None
    design, shares = protocol.design, attacked_shares(protocol, collection)
    clean = design.shared_out(design.together(collection.frequencies))
    if shares is None:
        return clean, None
    with one_thread():
        users = attacked_users(protocol, collection)
        return clean, decode_shares(protocol, users, shares)


def variances(protocol: Filters, collection: Collection) -> Moments | None:
    """Variances of the same in one trial; to first order in m/n, as if the cohorts were as large as
    expected.
    """
    expected = means(protocol, collection)
    if expected is None:
        return None
    with one_thread():
        users = collection.users * protocol.cohort_law
        clean = _clean_variance(protocol, collection.histogram.tobytes())
        clean = clean + _kept_variance(protocol, collection, users, collection.frequencies)
        if not collection.fakes:
            return clean, clean
        estimate = expected[1]
        if estimate is None:
            return clean, None
        everyone = attacked_users(protocol, collection)
        attacked = _attacked_variance(protocol, collection, estimate)
        return clean, attacked + _kept_variance(protocol, collection, everyone, estimate)


@lru_cache(maxsize=4)
def _clean_variance(protocol: Filters, histogram: bytes) -> Floats:
    """float64[d], of the users of each item, int64[d]; kept, as cells of a sweep share it."""
    held: Counts = np.frombuffer(histogram, dtype=np.int64)
    users, noise = held.sum() * protocol.cohort_law, protocol.noise
    fit = _fit(protocol, users)
    design = protocol.design
    together = design.together(held / held.sum())
    errors = fit.standard_errors(together, users, noise.p_star, noise.q_star)
    return design.shared_out(errors) ** 2


def _attacked_variance(protocol: Filters, collection: Collection, estimate: Floats) -> Floats:
    """float64[d]: variance of the decoded frequencies under attack, whose expectation is given.

    Least squares solves Σ_users X_J'(y - X_J b) = 0, J a user's cohort: the variance is that of one
    user's term, about its own mean over the cohorts, summed over users, between the inverses of
    X'WX. What the fakes send fits no frequencies, so that the cohorts' sizes matter as well.
    """
    noise, gap, design_of = protocol.noise, protocol.noise.gap, protocol.design
    truth = design_of.together(collection.frequencies)
    everyone = attacked_users(protocol, collection)
    fit = _fit(protocol, everyone)
    fitted = design_of.bits_of(estimate)
    honest = honest_bits(protocol, collection.frequencies)
    parts = [
        (count, law, (law.rates - noise.p_star) / gap, np.zeros(truth.size))
        for count, law in collection.fakes
    ]
    variance = np.zeros(truth.size)
    each = np.zeros((truth.size, truth.size))
    for cohort, chance in enumerate(protocol.cohort_law):
        rows, across = design_of.by_cohort[cohort]
        pull = rows @ fit.inverse
        # The mean that a user who holds u adds to the estimate of v, in row u and column v.
        moved = across @ pull - fitted[cohort] @ pull
        sent = honest.scatter(cohort, pull) / gap**2
        mean = truth @ moved
        variance += collection.users * chance * (sent + mean**2)
        each += chance * moved
        for count, law, rates, fake in parts:
            pushed = (rates[cohort] - fitted[cohort]) @ pull
            scatter = law.scatter(cohort, pull) / gap**2
            variance += count * law.cohorts[cohort] * (scatter + pushed**2)
            fake += law.cohorts[cohort] * pushed
    variance -= collection.users * (truth @ each**2)
    for count, _, _, fake in parts:
        variance -= count * fake**2
    return np.asarray(design_of.shared_out(np.sqrt(variance) / everyone.sum()) ** 2)


def _kept_variance(
    protocol: Filters, collection: Collection, everyone: Floats, estimate: Floats
) -> Floats | float:
    """float64[d]: what the users add to the variance who keep cohort and bits over several rounds.

    The reports of one user are alike but for the noise of each: any two of them have the covariance
    that cohort and permanent bits alone give to one. everyone : float64[m], the users of each
    cohort in all rounds, fakes included. estimate : the expected one, float64[d].
    """
    if collection.meetings is None or not collection.meetings.any():
        return 0.0
    design_of, chain = protocol.design, protocol.noise.chain
    met = design_of.together(collection.meetings)
    bit = chain.p1 * (1 - chain.p1) / (chain.p1 - chain.q1) ** 2
    fit, fitted = _fit(protocol, everyone), design_of.bits_of(estimate)
    variance = np.zeros(met.size)
    each = np.zeros((met.size, met.size))
    for cohort, chance in enumerate(protocol.cohort_law):
        rows, across = design_of.by_cohort[cohort]
        pull = rows @ fit.inverse
        moved = across @ pull - fitted[cohort] @ pull
        variance += chance * (met @ moved**2 + met.sum() * bit * (pull**2).sum(axis=0))
        each += chance * moved
    variance -= met @ each**2
    return np.asarray(design_of.shared_out(np.sqrt(2 * variance) / everyone.sum()) ** 2)


def doubts(protocol: Filters, users: int) -> tuple[str, ...]:
    """The reasons to doubt decoding with n users, a sentence each."""
    reasons = []
    same = protocol.design.indistinct
    if same:
        reasons.append(
            f"{same} of {protocol.domain_size} candidates set the same bits as another one in all "
            f"{protocol.cohorts} cohorts: they share one estimate and are never detected; use more "
            "bits, hashes or cohorts"
        )
    if protocol.design.selects:
        reasons.append(
            f"{protocol.domain_size} candidates are more than 0.8·k·m = "
            f"{spelled(0.8 * protocol.bits * protocol.cohorts, 6)} bits can tell apart: a lasso "
            "selects some first, and the others are estimated as 0"
        )
    empty = protocol.cohorts * (1 - 1 / protocol.cohorts) ** users
    if empty >= 0.5:
        reasons.append(
            f"{users} users leave about {empty:.0f} of {protocol.cohorts} cohorts without a user: "
            "their bits are left out"
        )
    return tuple(reasons)
