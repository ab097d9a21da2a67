"""RAPPOR's closed forms: the expected counts of bits, and the expected least-squares estimates.

If a lasso selects candidates first, nothing is known of the decoding.

RAP: Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014; its p and q are reversed: q* > p*.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np

from ...base.errors import format_number
from ...base.sampling import Floats
from ...kernels.threads import one_thread
from ...law.moments import Collection, Moments
from ...law.pure import Items
from .decoding import Design, Fit
from .filters import Filters
from .noise import BitNoise


def bit_count_std(noise: BitNoise, users: float) -> float:
    """The standard deviation of t_ij, a cohort's estimated number of users with a bit that no user
    has.

    √(p*(1-p*) N_j) / (q* - p*) for a cohort of N_j = `users`. RAP section 4.
    """
    return math.sqrt(noise.p_star * (1 - noise.p_star) * users) / noise.gap


def count_std(noise: BitNoise, hashes: int, users: float) -> float:
    """The standard deviation, in users, of the decoded count of a rare item among N = `users`.

    About √(N p*(1-p*) / h) / (q* - p*), for any number m of cohorts: each sees N/m users through h
    bits. Bits that other candidates share make it larger.
    """
    return bit_count_std(noise, users) / math.sqrt(hashes)


def learnable_items(noise: BitNoise, users: float, candidates: int, hashes: int = 1) -> float:
    """The largest number of equally frequent items that N users can reveal.

    N over the smallest count that is significant at level 0.05/M, Q times its deviation
    (`count_std`): √(h N) (q* - p*) / (Q √(p*(1-p*))), Q = Φ⁻¹(1 - 0.05/M), M candidates. About half
    of these items are detected. With one bit for an item, p = 1/2 and no permanent noise that is
    (2q - 1) √N / Q:
    RAP section 5, "learning limits".
    """
    from scipy.special import ndtri

    return users / (-float(ndtri(0.05 / candidates)) * count_std(noise, hashes, users))


def bit_support_gain(
    protocol: Filters, rates: Floats, targets: Items, shares: Floats, frequencies: Floats
) -> float:
    """The gain before decoding: the change of the estimated share of users, averaged over the
    targets' bits.

    Σ_T mean over the target's bits of β_j [(s_ij - p*) / (q* - p*) - F_ij]: a fake report of cohort
    j has bit i with probability s_ij, F_ij of the genuine users have it, and a share β_j of the
    cohort is fake. The common formula of the gain, with S and f_T of bits.

    rates : s, float64[m, k]. shares : β, float64[m]. frequencies : float64[d].
    """
    noise = protocol.noise
    moved = (rates - noise.p_star) / noise.gap - protocol.design.bits_of(frequencies)
    columns = protocol.design.columns[:, protocol.design.column_of[targets]]
    moved *= shares[:, None]
    return float(((columns.T @ moved.ravel()) / columns.sum(axis=0)).sum())


def bit_gain(protocol: Filters, collection: Collection, targets: Items) -> float | None:
    """`bit_support_gain` of a collection; None without an attack, or if the fakes' bits are
    unknown.
    """
    rates = bit_rates(protocol, collection) if collection.fakes else None
    if rates is None:
        return None
    shares = fake_shares(protocol, collection)
    return bit_support_gain(protocol, rates, targets, shares, collection.frequencies)


IdealLaw: TypeAlias = Literal["random", "honest", "crafted"]
"""The laws of fakes' reports whose bits are known for hash functions that nobody has drawn."""


def ideal_bit_support_gain(
    law: IdealLaw,
    noise: BitNoise,
    bits: int,
    hashes: int,
    r: int,
    share: float,
    target_frequency: float,
) -> float:
    """`bit_support_gain` of r targets, averaged over all hash functions.

    With c = 1 - (1 - 1/k)^h the chance that another item's filter has a given bit: G = β[(S - r p*)
    / (q* - p*) - f_T - (r - f_T) c], with S = r/2 for random reports, r for crafted reports (before
    padding), and q* + (r-1)(p* + c (q* - p*)) for honest reports of a target, which gives β (1 -
    f_T)(1 - c). Our derivation.

    law : the distribution of a fake report. bits : k. hashes : h. share : β. target_frequency :
    f_T.
    """
    shared = 1 - (1 - 1 / bits) ** hashes
    supported = {
        "random": r / 2,
        "honest": noise.q_star + (r - 1) * (noise.p_star + shared * noise.gap),
        "crafted": float(r),
    }[law]
    held = target_frequency + (r - target_frequency) * shared
    return share * ((supported - r * noise.p_star) / noise.gap - held)


def cohort_share(users: int, malicious: int, cohorts: int, cohort: float | None) -> float:
    """The expected share of fakes in a cohort, averaged over the cohorts.

    users : the genuine users alone.
    cohort : the fraction of the fakes that all claim the same cohort, None for 0; the other fakes
    and the genuine users are uniform over the cohorts.
    """
    crowd = cohort or 0.0
    each = malicious * (1 - crowd) / cohorts
    genuine = users / cohorts
    favoured = each + malicious * crowd
    return (favoured / (genuine + favoured) + (cohorts - 1) * each / (genuine + each)) / cohorts


def ideal_bit_gain(
    protocol: Filters,
    law: str,
    r: int,
    users: int,
    malicious: int,
    cohort: float | None,
    held: float,
) -> float | None:
    """`ideal_bit_support_gain` of a protocol; None for an attack whose bits depend on the hash
    functions.
    """
    if law not in get_args(IdealLaw):
        return None
    known: Any = law
    share = cohort_share(users, malicious, protocol.cohorts, cohort)
    return ideal_bit_support_gain(
        known, protocol.noise, protocol.bits, protocol.hashes, r, share, held
    )


def attacked_users(protocol: Filters, collection: Collection) -> Floats:
    """float64[m]: the expected number of users in each cohort, fakes included."""
    users = collection.users * protocol.cohort_law
    for count, law in collection.fakes:
        users = users + count * law.cohorts
    return np.asarray(users)


def fake_shares(protocol: Filters, collection: Collection) -> Floats:
    """float64[m]: the expected share of fakes in each cohort."""
    genuine = collection.users * protocol.cohort_law
    return np.asarray(1 - genuine / attacked_users(protocol, collection))


def bit_rates(protocol: Filters, collection: Collection) -> Floats | None:
    """float64[m, k]: the probability that a fake of each cohort sets each bit, averaged over all
    fakes.

    None if it is not known.
    """
    if not collection.is_foreseen:
        return None
    users = np.zeros(protocol.cohorts)
    ones = np.zeros((protocol.cohorts, protocol.bits))
    for count, law in collection.fakes:
        if len(collection.fakes) == 1:
            return np.asarray(law.rates)
        claimed = count * law.cohorts
        users += claimed
        ones += claimed[:, None] * law.rates
    return np.asarray(ones / np.maximum(users, np.finfo(float).tiny)[:, None])


def attacked_shares(protocol: Filters, collection: Collection) -> Floats | None:
    """float64[m, k]: the expected estimated share of each cohort's users with each bit, fakes
    included.

    None if the fakes' bits are not known.
    """
    held = protocol.design.bits_of(collection.frequencies)
    if not collection.fakes:
        return held
    rates = bit_rates(protocol, collection)
    if rates is None:
        return None
    fake = (rates - protocol.noise.p_star) / protocol.noise.gap
    return np.asarray(held + fake_shares(protocol, collection)[:, None] * (fake - held))


def bit_counts(protocol: Filters, collection: Collection) -> Floats | None:
    """float64[m, k + 1]: the expected counts of a trial, fakes included; None if they are not
    known.

    The number of users of each cohort who send each bit as 1; in the last column, of all its users.
    """
    shares = attacked_shares(protocol, collection)
    if shares is None:
        return None
    users = attacked_users(protocol, collection)[:, None]
    sent = protocol.noise.p_star + protocol.noise.gap * shares
    return np.concatenate([users * sent, users], axis=1)


def bit_count_variances(protocol: Filters, collection: Collection) -> Floats | None:
    """float64[m, k + 1]: the variances of the counts of `bit_counts`, exact; None if they are not
    known.

    A count is of independent users, each in the cohort and with the bit with probability P: Σ
    P(1-P). For n genuine users with cohort probability λ, F of whom have the bit, Σ P = nλ(p*(1-F)
    + q*F) and Σ P² = nλ²(p*²(1-F) + q*²F).
    """
    if not collection.is_foreseen:
        return None
    p, q, law = protocol.noise.p_star, protocol.noise.q_star, protocol.cohort_law[:, None]
    held = protocol.design.bits_of(collection.frequencies)
    ones = law * (p * (1 - held) + q * held) - law**2 * (p**2 * (1 - held) + q**2 * held)
    variances = collection.users * np.concatenate([ones, law * (1 - law)], axis=1)
    for count, sent in collection.fakes:
        claimed = sent.cohorts[:, None]
        chance = claimed * np.concatenate([sent.rates, np.ones_like(claimed)], axis=1)
        variances += count * chance * (1 - chance)
    return np.asarray(variances)


# After decoding.

MOST_COLUMNS: Final = 2048
"""The most candidates whose expected decoding is computed: a second's work."""


def decodes_linearly(protocol: Filters) -> bool:
    """Whether decoding is plain least squares, so that its expectation is known."""
    design = protocol.design
    return not (design.selects or design.candidates > MOST_COLUMNS)


def decode_shares(protocol: Filters, users: Floats, shares: Floats) -> Floats:
    """float64[d]: the least-squares frequencies of the items.

    users : float64[m]. shares : float64[m, k], of each cohort's users with each bit: (Pr[bit sent
    as 1] - p*) / (q* - p*).
    """
    return protocol.design.shared_out(_fit(protocol, users).coefficients(shares))


def _fit(protocol: Filters, users: Floats) -> Fit:
    return _fit_of(protocol.design, tuple((users / users.max()).tolist()))


@lru_cache(maxsize=2)
def _fit_of(design: Design, users: tuple[float, ...]) -> Fit:
    """The fit for cohorts of this relative size: the same in all cells of most sweeps."""
    return Fit.of(design, np.array(users))


def estimable(protocol: Filters) -> bool:
    """Whether the expectation of every decoded frequency is known."""
    if not decodes_linearly(protocol):
        return False
    with one_thread():
        return bool(_fit(protocol, protocol.cohort_law).known.all())


def means(protocol: Filters, collection: Collection) -> Moments | None:
    """Expected estimates before and after the attack, float64[d] each; None if some are unknown."""
    if not estimable(protocol):
        return None
    design, shares = protocol.design, attacked_shares(protocol, collection)
    clean = design.shared_out(design.together(collection.frequencies))
    if shares is None:
        return clean, None
    with one_thread():
        users = attacked_users(protocol, collection)
        return clean, decode_shares(protocol, users, shares)


def doubts(protocol: Filters, users: int) -> tuple[str, ...]:
    """The reasons why decoding with n users may be unreliable, a sentence each."""
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
            f"{format_number(0.8 * protocol.bits * protocol.cohorts, 6)} bits can tell apart: "
            "a lasso "
            "selects some first, and the others are estimated as 0"
        )
    empty = protocol.cohorts * (1 - 1 / protocol.cohorts) ** users
    if empty >= 0.5:
        reasons.append(
            f"{users} users leave about {empty:.0f} of {protocol.cohorts} cohorts without a user: "
            "their bits are left out"
        )
    return tuple(reasons)
