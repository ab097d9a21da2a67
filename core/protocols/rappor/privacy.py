"""The privacy of RAPPOR's reports: ε over rounds, and the deniability that is left.

RAP: Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014; its p and q are reversed: q* > p*.
"""

from __future__ import annotations

import math

import numpy as np

from .noise import BitNoise


def epsilon_of_rounds(noise: BitNoise, hashes: int, rounds: int) -> float:
    """ε of `rounds` reports of one value, in nats: exact, between ε₁ and ε∞.

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


def naive_epsilon_of_rounds(noise: BitNoise, hashes: int, rounds: int) -> float:
    """ε of `rounds` reports by composition, as if each drew fresh permanent bits: t ε₁."""
    return rounds * noise.epsilon_one(hashes)


def false_attribution(noise: BitNoise, hashes: int, frequency: float) -> float:
    """Pr[a user does not hold v | all h bits of v are 1 in one report], v of this frequency.

    (1-f_v) p*^h / (f_v q*^h + (1-f_v) p*^h). RAP section 5.3, "attacker of a single report".
    """
    wrong = (1 - frequency) * noise.p_star**hashes
    return wrong / (frequency * noise.q_star**hashes + wrong)


def permanent_false_attribution(noise: BitNoise, hashes: int, frequency: float) -> float:
    """Pr[a user does not hold v | all h permanent bits of v are 1]. RAP section 5.3.

    An attacker learns the permanent bits from very many reports.

    A permanent bit is 1 with probability 1 - f/2 where the true bit is 1, and with f/2 where not.
    """
    wrong = (1 - frequency) * (noise.f / 2) ** hashes
    return wrong / (frequency * (1 - noise.f / 2) ** hashes + wrong)


def denial(noise: BitNoise, ones: int, rounds: int, prior: float = 0.5) -> float:
    """Pr[a user's true bit is 0 | `ones` of `rounds` reports of it are 1], `prior` that of a 1.

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


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -math.inf
