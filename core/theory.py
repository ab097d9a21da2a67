"""Closed forms: variance, gain, expected error, privacy, the choice of a protocol.

W17: Wang, Blocki, Li, Jha, USENIX Security 2017. CJG: Cao, Jia, Gong, USENIX Security 2021.
RAP: Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014; its p and q are reversed: q* > p*.
Everything uses the protocol's own p, q (the actual integer g) and the realised share and f_T.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from .attacks import Fakes, ItemSupport, played
from .cell import Cell
from .central import Curator
from .decoding import Fit, one_thread
from .metrics import METRICS
from .protocols import BitNoise, Rappor
from .pure import Items, PureProtocol, Support, item_variance
from .release import clean_release, expected_release, released
from .sampling import Floats


def count_variance(protocol: PureProtocol) -> float:
    """Var*/n of the estimated count of an item that nobody holds: q(1-q)/(p-q)². W17 theorem 2."""
    return float(item_variance(protocol, 1))


def frequency_std(protocol: PureProtocol, users: int, frequency: float = 0.0) -> float:
    """Standard deviation of one estimated frequency; √(Var*/n) at frequency 0."""
    return math.sqrt(item_variance(protocol, users, frequency))


def item_shift(
    protocol: PureProtocol | Curator, rate: float, share: float, frequency: float
) -> float:
    """Expected change of one item's estimate when fakes support it with probability `rate`."""
    p, q = _chances(protocol)
    return share * ((rate - q) / (p - q) - frequency)


def _chances(protocol: PureProtocol | Curator) -> tuple[float, float]:
    """p and q: who tells a curator their item supports it and no other one."""
    return (1.0, 0.0) if isinstance(protocol, Curator) else (protocol.p, protocol.q)


def gain(
    protocol: PureProtocol | Curator,
    support: Support,
    r: int,
    share: float,
    target_frequency: float,
) -> float:
    """G = β[(S - rq)/(p - q) - f_T], S the expected targets one fake supports. CJG equation 7.

    With a curator p = 1 and q = 0, S = r/d for RPA and 1 for RIA and MGA: G = β(S - f_T). That is
    of a release that withholds nothing; of the stability mechanism see `expected_metrics`.
    """
    return r * item_shift(protocol, support.target, share, target_frequency / r)


def gain_std(
    protocol: PureProtocol | Curator,
    support: Support | ItemSupport,
    r: int,
    users: int,
    malicious: int,
    target_frequency: float,
) -> float:
    """Standard deviation of the gain of one run, before and after from the same genuine reports.

    β² Var[Σ_T f~] + m Var(S) / ((n+m)² (p-q)²); the two releases of a curator share their noise.
    """
    everyone = users + malicious
    p, q = _chances(protocol)
    if isinstance(protocol, Curator):
        spread = r * float(protocol.squared_error(np.full(1, 2**53))[0]) / users
    else:
        spread = protocol.target_sum_variance(r, target_frequency)
    genuine = (malicious / everyone) ** 2 * spread / users
    fake = malicious * support.variance / (everyone * (p - q)) ** 2
    return math.sqrt(genuine + fake)


@lru_cache(maxsize=4)
def expected_estimate(cell: Cell) -> Floats | None:
    """Expectation of the attacked estimate: float64[d]; the true frequencies without an attack.

    None where it is not known what the fakes support. Of RAPPOR's Bloom filters only where
    `decodes_linearly`.
    """
    truth = cell.population.frequencies
    if isinstance(cell.protocol, Rappor):
        users, shares = _attacked_users(cell, cell.protocol), _attacked_shares(cell, cell.protocol)
        with one_thread():
            return None if shares is None else decoded(cell.protocol, users, shares)
    if isinstance(cell.protocol, Curator):
        moments = released(cell, cell.protocol, _each_support)
        return None if moments is None else moments[0]
    if cell.attack is None:
        return truth
    p, q = cell.pure.p, cell.pure.q
    supported = fake_support(cell)
    if supported is None:
        return None
    return np.asarray(truth + cell.share * ((supported.rates - q) / (p - q) - truth))


def clean_variance(cell: Cell) -> Floats:
    """Variance of the estimate of each item before an attack, in one trial: float64[d].

    Permanent bits that RAPPOR's users keep over several rounds make it larger, by
    2 (f/2)(1-f/2) / ((1-f)² n²) for every user and every two rounds that the user takes part in.
    """
    spread = np.asarray(item_variance(cell.pure, cell.users, cell.population.frequencies))
    if cell.noise is None or not cell.rounds:
        return spread
    f = cell.noise.f
    return np.asarray(spread + f * (1 - f / 2) * _meetings(cell) / ((1 - f) * cell.users) ** 2)


def _meetings(cell: Cell) -> float:
    """How many pairs of rounds the users of a campaign are expected to take part in, all together.

    An item's users stay from one round to the next with the same probability, whoever they are.
    """
    meetings, earlier = 0.0, np.zeros(cell.population.domain_size)
    for before, now in pairwise(cell.rounds):
        held = before.population.histogram
        assert now.left is not None
        earlier = (earlier + held) * (1 - now.left / np.maximum(held, 1))
        meetings += float(earlier.sum())
    return meetings


def attacked_variance(cell: Cell) -> Floats | None:
    """Variance of the attacked estimate of each item in one trial: float64[d]; None if not known.

    Fakes of one kind support item v independently with probability s_v, so that
    Var = [Σ_genuine support variances + Σ_kinds m s_v (1 - s_v)] / ((n+m) (p-q))².
    """
    protocol, spread = cell.pure, clean_variance(cell)
    everyone, fake = cell.users + cell.malicious, np.zeros(spread.size)
    for count, supported in _each_support(cell):
        if supported is None:
            return None
        rate = supported.rates
        fake += count * rate * (1 - rate) / (everyone * (protocol.p - protocol.q)) ** 2
    return np.asarray((1 - cell.share) ** 2 * spread + fake)


def _each_support(cell: Cell) -> Iterator[tuple[int, ItemSupport | None]]:
    """How many fakes of each kind there are, and what one of them supports."""
    assert not isinstance(cell.protocol, Rappor)
    for fakes in cell.fakes:
        law = None
        if _foreseen(cell, fakes):
            law = fakes.strategy.item_support(cell.protocol, fakes.targets, cell.targets)
        yield fakes.count, law


def _foreseen(cell: Cell, fakes: Fakes) -> bool:
    """Whether it is known what these fakes aim at: of who reacts, in the first round alone."""
    return not fakes.strategy.reacts or (cell.round == 0 and len(cell.rounds) < 2)


def fake_support(cell: Cell) -> ItemSupport | None:
    """What one fake report supports on average over all fakes; None where that is not known.

    The number of fakes of each kind is fixed, so that their variances add up.
    """
    assert not isinstance(cell.protocol, Rappor)
    if not all(_foreseen(cell, fakes) for fakes in cell.fakes):
        return None
    return support_of(cell.protocol, cell.fakes, cell.targets)


def support_of(
    protocol: PureProtocol | Curator, fakes: Sequence[Fakes], counted: Items
) -> ItemSupport | None:
    """The same of any fakes; the variance is of how many of the `counted` targets are supported."""
    rates, variance, malicious = np.zeros(protocol.domain_size), 0.0, sum(f.count for f in fakes)
    for some in fakes:
        supported = some.strategy.item_support(protocol, some.targets, counted)
        if supported is None:
            return None
        weight = some.count / malicious if malicious else 1 / len(fakes)
        rates += weight * supported.rates
        variance += weight * supported.variance
    return ItemSupport(rates, variance)


def cell_gain(cell: Cell, supported: ItemSupport) -> float:
    """G of a cell, from what one of its fakes supports on average."""
    return rates_gain(cell.pure, supported, cell.targets, cell.share, cell.target_frequency)


def rates_gain(
    protocol: PureProtocol | Curator,
    supported: ItemSupport,
    targets: Items,
    share: float,
    target_frequency: float,
) -> float:
    """G = Σ_T β[(s_t - q)/(p - q) - f_t], from the rate at which a fake supports each item."""
    r, hit = targets.size, float(supported.rates[targets].sum())
    return r * item_shift(protocol, hit / r, share, target_frequency / r)


def expected_mse(cell: Cell) -> float | None:
    """Expected mean squared error of the attacked estimate, over the items: bias² + variance.

    None where it is not known what the fakes support.
    """
    estimate, variance = expected_estimate(cell), attacked_variance(cell)
    if estimate is None or variance is None:
        return None
    return float(((estimate - cell.population.frequencies) ** 2 + variance).mean())


def expected_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed form of each metric of a cell; None where there is none."""
    expected: dict[str, float | None] = dict.fromkeys(METRICS)
    if isinstance(cell.protocol, Rappor):
        return expected | _expected_decoding(cell)
    if isinstance(cell.protocol, Curator):
        return expected | expected_release(cell, cell.protocol, _each_support)
    expected["mse_clean"] = float(clean_variance(cell).mean())
    expected["mse"] = expected_mse(cell)
    supported = fake_support(cell) if cell.targets.size else None
    if supported is not None:
        gained, held = cell_gain(cell, supported), cell.target_frequency
        expected["gain"] = gained
        expected["normalised_gain"] = (gained + held) / held if held > 0 else None
        expected["target_frequency"] = held + gained
    if cell.targets.size:
        expected["target_frequency_clean"] = cell.target_frequency
    return expected


def recommended(domain_size: int, epsilon: float) -> Literal["grr", "oue"]:
    """The protocol with the least Var*: GRR if d < 3e^ε + 2, else OUE (or OLH). W17 section 5."""
    return "grr" if domain_size < 3 * math.exp(epsilon) + 2 else "oue"


def safer_domain_size(r: int, epsilon: float) -> float:
    """OUE and OLH gain less from MGA than GRR if d exceeds this. CJG theorem 2."""
    return (2 * r - 1) * (math.exp(epsilon) - 1) + 3 * r


def epsilon_of_unary(p: float, q: float) -> float:
    """ε = ln(p(1-q) / ((1-p)q)) of a unary encoding, in nats. W17 section 4.2."""
    return math.log(p * (1 - q) / ((1 - p) * q))


def epsilon_of_direct(p: float, q: float) -> float:
    """ε = ln(p/q) of direct encoding, in nats; also of hashing with its p' and q'."""
    return math.log(p / q)


# RAPPOR: what each number of a scenario buys.


def bit_count_std(noise: BitNoise, users: float) -> float:
    """Deviation of t_ij, the estimated number of a cohort's users that have a bit, if none has.

    √(p*(1-p*) N_j) / (q* - p*) for a cohort of N_j users. RAP section 4.
    """
    return math.sqrt(noise.p_star * (1 - noise.p_star) * users) / noise.gap


def count_std(noise: BitNoise, hashes: int, users: float) -> float:
    """Deviation of the decoded count of a rare item among N users, for any number of cohorts.

    About √(N p*(1-p*) / h) / (q* - p*): each cohort sees N/m users through h bits, and there are m
    of them. Bits that other candidates share make it larger.
    """
    return bit_count_std(noise, users) / math.sqrt(hashes)


def learnable_items(noise: BitNoise, users: float, candidates: int, alpha: float = 0.05) -> float:
    """How many equally frequent items N users can reveal at best. RAP section 5, "learning limits".

    N over the smallest count that a test at level α/M notices, Q times its deviation: with one bit
    an item, √N (q* - p*) / (Q √(p*(1-p*))), Q = Φ⁻¹(1 - α/M). At p = 1/2 and without permanent
    noise that is (2q - 1) √N / Q.
    """
    from scipy.special import ndtri

    return users / (-float(ndtri(alpha / candidates)) * bit_count_std(noise, users))


def false_attribution(noise: BitNoise, hashes: int, frequency: float) -> float:
    """Pr[a user does not hold v | all h bits of v are 1 in one report], v of this frequency.

    (1-f_v) p*^h / (f_v q*^h + (1-f_v) p*^h). RAP section 5.3, "attacker of a single report".
    """
    wrong = (1 - frequency) * noise.p_star**hashes
    return wrong / (frequency * noise.q_star**hashes + wrong)


def permanent_false_attribution(noise: BitNoise, hashes: int, frequency: float) -> float:
    """The same for who has learnt the permanent bits from very many reports. RAP section 5.3.

    A permanent bit is 1 with probability 1 - f/2 where the true bit is 1, and with f/2 where not.
    """
    wrong = (1 - frequency) * (noise.f / 2) ** hashes
    return wrong / (frequency * (1 - noise.f / 2) ** hashes + wrong)


def denial(noise: BitNoise, ones: int, rounds: int, prior: float = 0.5) -> float:
    """Pr[a user's true bit is 0 | `ones` of so many reports of it are 1], `prior` that of a 1.

    With fresh noise alone (f = 0) deniability is soon gone, which is why the permanent noise is
    memoised: whatever the reports say, (f/2) / (1 - f/2) remains of the prior odds. RAP section 1.
    """

    def reports(sent: float) -> float:
        zeros = rounds - ones
        return (ones * _log(sent) if ones else 0.0) + (zeros * _log(1 - sent) if zeros else 0.0)

    high, low = reports(noise.q), reports(noise.p)
    kept, flipped = _log(1 - noise.f / 2), _log(noise.f / 2)
    true_one = float(np.logaddexp(kept + high, flipped + low)) + _log(prior)
    true_zero = float(np.logaddexp(flipped + high, kept + low)) + _log(1 - prior)
    return math.exp(true_zero - float(np.logaddexp(true_one, true_zero)))


def signal_lost(noise: BitNoise, hashes: int) -> float:
    """Pr[none of the h bits of a user's item is 1 after the permanent noise]: (f/2)^h."""
    return (noise.f / 2) ** hashes


def epsilon_of_rounds(noise: BitNoise, hashes: int, rounds: int) -> float:
    """ε of so many reports of one value, in nats: exact, between ε₁ and ε∞.

    The reports of one bit are drawn from one memoised bit, so that only their number of ones
    counts; t reports favour a true bit 1 most if all of them are ones, a true bit 0 if none is:
    ε = h [ln L(t ones) - ln L(no ones)], L = Pr[reports | true bit 1] / Pr[reports | true bit 0].
    Two values differ in 2h bits at most, half of them in each direction.
    """
    f, p, q = noise.f, noise.p, noise.q

    def likelihood(one: float, zero: float) -> float:
        """ln L of t equal bits, sent with these probabilities from a permanent 1, a permanent 0."""
        high, low = rounds * _log(one), rounds * _log(zero)
        kept, flipped = _log(1 - f / 2), _log(f / 2)
        return float(
            np.logaddexp(kept + high, flipped + low) - np.logaddexp(flipped + high, kept + low)
        )

    return hashes * (likelihood(q, p) - likelihood(1 - q, 1 - p))


def privacy_spent(cell: Cell) -> list[float]:
    """ε spent after each round of a campaign, in nats, of a user who takes part in all of them.

    Sequential composition of fresh reports, and of a curator's releases; `epsilon_of_rounds` where
    RAPPOR memoises bits.
    """
    rounds = range(1, len(cell.rounds) + 1)
    if cell.noise is None:
        assert not isinstance(cell.protocol, Rappor)
        return [number * cell.protocol.epsilon for number in rounds]
    return [epsilon_of_rounds(cell.noise, cell.hashes, number) for number in rounds]


def naive_epsilon_of_rounds(noise: BitNoise, hashes: int, rounds: int) -> float:
    """ε of so many reports by composition, as if every one drew fresh permanent bits: t ε₁."""
    return rounds * noise.epsilon_one(hashes)


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -math.inf


def bit_support_gain(
    protocol: Rappor, rates: Floats, targets: Items, shares: Floats, frequencies: Floats
) -> float:
    """Gain before decoding: of the mean over each target's bits of the estimated share of users.

    Σ_T mean over the target's bits of β_j [(s_ij - p*) / (q* - p*) - F_ij], where a fake report of
    cohort j has bit i with probability s_ij (`rates`), F_ij of the genuine users have it, and
    fakes are a share β_j (`shares`, float64[m]) of the cohort. The common formula, S and f_T of
    bits.
    """
    noise = protocol.noise
    moved = (rates - noise.p_star) / noise.gap - protocol.design.bits_of(frequencies)
    columns = protocol.design.columns[:, protocol.design.column_of[targets]]
    moved *= shares[:, None]
    return float(((columns.T @ moved.ravel()) / columns.sum(axis=0)).sum())


def bit_gain(cell: Cell) -> float | None:
    """`bit_support_gain` of a cell; None without an attack, without Bloom filters, if unknown."""
    if not isinstance(cell.protocol, Rappor) or cell.attack is None:
        return None
    rates, shares = _bit_rates(cell, cell.protocol), _shares(cell, cell.protocol)
    if rates is None:
        return None
    truth = cell.population.frequencies
    return bit_support_gain(cell.protocol, rates, cell.targets, shares, truth)


def ideal_bit_support_gain(
    attack: Literal["rpa", "ria", "mga"],
    noise: BitNoise,
    bits: int,
    hashes: int,
    r: int,
    share: float,
    target_frequency: float,
) -> float:
    """`bit_support_gain` averaged over all hash functions, of r targets.

    With c = 1 - (1 - 1/k)^h the chance that another item's filter has a given bit:
    G = β[(S - r p*) / (q* - p*) - f_T - (r - f_T) c], with S = r/2 for RPA, r for MGA (before
    padding), and q* + (r-1)(p* + c (q* - p*)) for RIA, which gives β (1 - f_T)(1 - c).
    """
    shared = 1 - (1 - 1 / bits) ** hashes
    supported = {
        "rpa": r / 2,
        "ria": noise.q_star + (r - 1) * (noise.p_star + shared * noise.gap),
        "mga": float(r),
    }[attack]
    held = target_frequency + (r - target_frequency) * shared
    return share * ((supported - r * noise.p_star) / noise.gap - held)


def cohort_share(users: int, malicious: int, cohorts: int, cohort: float | None) -> float:
    """The expected share of fakes in a cohort, averaged over the cohorts.

    `cohort` is the share of the fakes that all claim one cohort; the others, and all of them where
    it is None, and the genuine users claim any.
    """
    crowd = cohort or 0.0
    each = malicious * (1 - crowd) / cohorts
    genuine = users / cohorts
    one = each + malicious * crowd
    return (one / (genuine + one) + (cohorts - 1) * each / (genuine + each)) / cohorts


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
    return Fit.of(protocol.design.columns, users, protocol.bits)


def _attacked_users(cell: Cell, protocol: Rappor) -> Floats:
    """float64[m]: how many users of each cohort to expect, fakes included."""
    users = cell.users * protocol.cohort_law
    for fakes in cell.fakes:
        users = users + fakes.count * _cohort_law(protocol, fakes)
    return np.asarray(users)


def _cohort_law(protocol: Rappor, fakes: Fakes) -> Floats:
    """float64[m]: how likely one of these fakes claims each cohort."""
    theirs = played(protocol, fakes.strategy.cohort)
    assert isinstance(theirs, Rappor)
    return theirs.cohort_law


def _bit_rates(cell: Cell, protocol: Rappor) -> Floats | None:
    """float64[m, k]: how likely a fake of each cohort has each bit, over all kinds of fakes.

    None where that is not known.
    """
    users = np.zeros(protocol.cohorts)
    ones = np.zeros((protocol.cohorts, protocol.bits))
    for fakes in cell.fakes:
        rates = fakes.strategy.rates(protocol, fakes.targets) if _foreseen(cell, fakes) else None
        if rates is None or len(cell.fakes) == 1:
            return rates
        claimed = fakes.count * _cohort_law(protocol, fakes)
        users += claimed
        ones += claimed[:, None] * rates
    return np.asarray(ones / np.maximum(users, np.finfo(float).tiny)[:, None])


def _attacked_shares(cell: Cell, protocol: Rappor) -> Floats | None:
    """float64[m, k]: the expected estimate of the share of each cohort that has each bit."""
    held = protocol.design.bits_of(cell.population.frequencies)
    if cell.attack is None:
        return held
    rates = _bit_rates(cell, protocol)
    if rates is None:
        return None
    fake = (rates - protocol.noise.p_star) / protocol.noise.gap
    return np.asarray(held + _shares(cell, protocol)[:, None] * (fake - held))


def expected_bit_counts(cell: Cell) -> Floats | None:
    """float64[m, k + 1]: the expected counts of a trial, fakes included; None without filters.

    How many users of each cohort send each bit as 1; in the last column, how many there are.
    """
    protocol = cell.protocol
    if not isinstance(protocol, Rappor):
        return None
    users, shares = _attacked_users(cell, protocol)[:, None], _attacked_shares(cell, protocol)
    if shares is None:
        return None
    sent = protocol.noise.p_star + protocol.noise.gap * shares
    return np.concatenate([users * sent, users], axis=1)


def bit_count_variances(cell: Cell) -> Floats | None:
    """float64[m, k + 1]: the variances of the counts of `expected_bit_counts`, exact.

    A count is of users who are in the cohort and send the bit, each on their own with a probability
    P: Σ P(1-P). Of n genuine users with cohort law λ, F of whom have the bit,
    Σ P = nλ(p*(1-F) + q*F) and Σ P² = nλ²(p*²(1-F) + q*²F).
    """
    protocol = cell.protocol
    if not isinstance(protocol, Rappor):
        return None
    p, q, law = protocol.noise.p_star, protocol.noise.q_star, protocol.cohort_law[:, None]
    held = protocol.design.bits_of(cell.population.frequencies)
    ones = law * (p * (1 - held) + q * held) - law**2 * (p**2 * (1 - held) + q**2 * held)
    variances = cell.users * np.concatenate([ones, law * (1 - law)], axis=1)
    for fakes in cell.fakes:
        rates = fakes.strategy.rates(protocol, fakes.targets)
        if rates is None:
            return None
        claimed = _cohort_law(protocol, fakes)[:, None]
        chance = claimed * np.concatenate([rates, np.ones_like(claimed)], axis=1)
        variances += fakes.count * chance * (1 - chance)
    return np.asarray(variances)


def _shares(cell: Cell, protocol: Rappor) -> Floats:
    """float64[m]: the expected share of fakes in each cohort."""
    return np.asarray(1 - cell.users * protocol.cohort_law / _attacked_users(cell, protocol))


@lru_cache(maxsize=4)
def estimate_variances(cell: Cell) -> tuple[Floats, Floats] | None:
    """Variance of each item's estimate in one trial, before and after the attack: float64[d] each.

    None where there is no closed form of decoding, or of what the fakes do. Of Bloom filters to
    first order in m/n, as if the cohorts were as large as expected.
    """
    protocol = cell.protocol
    if isinstance(protocol, Curator):
        poisoned = released(cell, protocol, _each_support)
        return None if poisoned is None else (clean_release(cell, protocol)[1], poisoned[1])
    if not isinstance(protocol, Rappor):
        after = attacked_variance(cell)
        return None if after is None else (clean_variance(cell), after)
    if cell.rounds or not decodes_linearly(protocol):
        return None
    with one_thread():
        return _decoding_variances(cell, protocol)


def _decoding_variances(cell: Cell, protocol: Rappor) -> tuple[Floats, Floats] | None:
    truth = cell.population.frequencies
    users = cell.users * protocol.cohort_law
    fit = _fit(protocol, users)
    if not fit.known.all():
        return None
    noise = protocol.noise
    clean = fit.standard_errors(truth, users, noise.p_star, noise.q_star) ** 2
    if cell.attack is None:
        return clean, clean
    estimate = expected_estimate(cell)
    return None if estimate is None else (clean, _decoding_variance(cell, protocol, estimate))


def _decodes(cell: Cell) -> bool:
    """Whether the expectation of every decoded frequency is known."""
    protocol = cell.protocol
    assert isinstance(protocol, Rappor)
    users = cell.users * protocol.cohort_law
    return decodes_linearly(protocol) and bool(_fit(protocol, users).known.all())


def _expected_decoding(cell: Cell) -> dict[str, float | None]:
    """The closed forms of the metrics of Bloom filters; none where decoding has none.

    Of several rounds together only those that need no variance: users keep cohort and bits.
    """
    variances = estimate_variances(cell)
    if variances is None and not (cell.rounds and _decodes(cell.first)):
        return {}
    estimate = expected_estimate(cell)
    if estimate is None:
        return {}
    truth = cell.population.frequencies
    expected: dict[str, float | None] = {}
    if variances is not None:
        before, after = variances
        expected["mse_clean"] = float(before.mean())
        expected["mse"] = float(((estimate - truth) ** 2 + after).mean())
    if cell.targets.size:
        held, reached = cell.target_frequency, float(estimate[cell.targets].sum())
        expected["gain"] = reached - held
        expected["normalised_gain"] = reached / held if held > 0 else None
        expected["target_frequency"] = reached
        expected["target_frequency_clean"] = held
    return expected


def _decoding_variance(cell: Cell, protocol: Rappor, estimate: Floats) -> Floats:
    """float64[d]: variance of the decoded frequencies under attack, whose expectation is given.

    Least squares solves Σ_users X_J'(y - X_J b) = 0, J a user's cohort: the variance is that of one
    user's term, about its own mean over the cohorts, summed over users, between the inverses of
    X'WX. What the fakes send fits no frequencies, so that the cohorts' sizes matter as well.
    """
    noise, truth, gap = protocol.noise, cell.population.frequencies, protocol.noise.gap
    everyone = _attacked_users(cell, protocol)
    fit = _fit(protocol, everyone)
    rows = protocol.design.columns.tocsr()
    fitted = protocol.design.bits_of(estimate)
    parts = []
    for fakes in cell.fakes:
        rates = fakes.strategy.rates(protocol, fakes.targets)
        assert rates is not None
        law = _cohort_law(protocol, fakes)
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
