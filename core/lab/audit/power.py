"""The power of an audit, before it is run: the ε that it refutes, and the samples that it takes.

An event of probabilities t and f of two items bounds ε by ln of their bounds (Clopper, Pearson),
which is about ln(t/f) − z √(((1−t)/t + (1−f)/f)/n) of n reports each. The best event of a protocol
is that its privacy loss reaches a value; the naive attacker guesses an item that the report
supports (Gadotti et al. 2022; Arcolezi, Gambs, "Revealing the true cost of locally differentially
private protocols: an auditing perspective", PETS 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...law.loss import DiscreteLoss, Loss
from ...law.pure import is_pure
from ...law.together import tells_together
from .inspection import OF_BOUND
from .monte_carlo import epsilon_at_least
from .rounds import paired, shares, sizes

POWER: Final = 0.9
"""The probability with which an ε that can be refuted is refuted."""
GRID: Final = 64
"""Events of a continuous loss that are looked at."""
FINE: Final = 40
"""Steps of a bisection."""
MOST: Final = 20.0
"""The largest ε that is looked at."""


@dataclass(frozen=True)
class Chances:
    """An event's probabilities, of the item that makes it likelier and of the other one."""

    first: float
    second: float


def events_of(loss: Loss) -> list[Chances]:
    """The events that a privacy loss reaches a value, for each value or for many."""
    if isinstance(loss, DiscreteLoss):
        values, likely = loss.values[::-1], loss.probabilities[::-1]
        first = np.cumsum(likely)
        second = np.cumsum(np.where(np.isfinite(values), likely * np.exp(-values), 0.0))
        return [Chances(*pair) for pair in zip(first.tolist(), second.tolist(), strict=True)]
    # Pr[L' ≥ t] of the other item by parts: ∫ e^-s dF(s) from t on.
    grid = np.linspace(-loss.maximum, loss.maximum, 8 * GRID + 1)
    tail = np.array([1.0, *(loss.tail(float(t) - 1e-12) for t in grid[1:]), 0.0])
    mass = tail[:-1] - tail[1:]
    middle = np.append((grid[:-1] + grid[1:]) / 2, grid[-1])
    second = np.cumsum((mass * np.exp(-middle))[::-1])[::-1]
    return [Chances(*pair) for pair in zip(tail[:-1].tolist(), second.tolist(), strict=True)][::8]


def lower_of(chances: Chances, of: int, confidence: float) -> float:
    """The bound on ε that an event proves where its shares are as expected, of so many reports."""
    hits = round(chances.first * of), round(chances.second * of)
    return float(epsilon_at_least(hits[0], hits[1], of, confidence))


def best_of(events: list[Chances], of: int, confidence: float) -> tuple[float, Chances]:
    """The largest such bound of several events, and its event."""
    return max(
        ((lower_of(each, of, confidence), each) for each in events), key=lambda pair: pair[0]
    )


def spread_of(chances: Chances, of: int) -> float:
    """The standard deviation of ln of the ratio of shares: of the bound too, to first order."""
    return math.sqrt(
        sum((1 - chance) / (chance * of) for chance in (chances.first, chances.second) if chance)
    )


def naive(protocol: Any) -> Chances | None:
    """The naive attacker's chances: to guess the user's item, and a given other one.

    He guesses one of the items that a report supports, each as likely, and any item where it
    supports none; None where the number of these items is not known.
    """
    if not is_pure(protocol):
        return None
    d = protocol.domain_size
    if tells_together(protocol):
        numbers, law = protocol.beside(d - 1, True)
        right = protocol.p * float((law / (1 + numbers)).sum())
        numbers, law = protocol.beside(d - 1, False)
        right += (1 - protocol.p) * float(law[numbers == 0].sum()) / d
    elif math.isclose(protocol.p + (d - 1) * protocol.q, 1.0):  # it supports one item, always
        right = protocol.p
    else:
        return None
    return Chances(right, (1 - right) / (d - 1))


@dataclass(frozen=True)
class Power:
    """What an audit can do with a number of samples.

    refutes : the least ε that it refutes with POWER; None where it refutes none. asked, needed :
    an ε, and the samples that refute it with POWER; None where more than 10^12. expected : the
    bound of the best event on a client that spends what it promises, and naive : that of the naive
    attacker with as many reports; None where it is not known. like : the protocol whose events
    these are.
    """

    samples: int
    refutes: float | None
    asked: float
    needed: int | None
    expected: float
    naive: float | None
    like: str


def power_of(
    make: Callable[[float], tuple[Loss, Any]],
    like: str,
    domain_size: int,
    promised: float,
    asked: float,
    samples: int,
    confidence: float,
) -> Power:
    """The power of an audit against clients that follow a protocol with more than is promised.

    make : the loss of the protocol at an ε, and the protocol. Raises what `make` raises.
    """
    loss, protocol = make(promised)
    of, error = _last_round(samples, domain_size, confidence)
    chances = naive(protocol)
    return Power(
        samples,
        _refuted(make, domain_size, promised, samples, confidence),
        asked,
        _needed(make(asked)[0], domain_size, promised, confidence),
        best_of(events_of(loss), of, 1 - error)[0],
        None if chances is None else lower_of(chances, of, 1 - error),
        like,
    )


def _last_round(samples: int, domain_size: int, confidence: float) -> tuple[int, float]:
    """The reports of each of both items in the last round, and its allowed error."""
    rounds = sizes(samples)
    error = OF_BOUND * (1 - confidence) * shares(len(rounds))[-1]
    return max(1, paired(rounds[-1], domain_size)), error


def chance_of(
    loss: Loss, domain_size: int, promised: float, samples: int, confidence: float
) -> float:
    """The probability that the last round refutes a client of this loss, to first order."""
    from scipy.special import ndtr

    of, error = _last_round(samples, domain_size, confidence)
    lower, chances = best_of(events_of(loss), of, 1 - error)
    return float(ndtr((lower - promised) / max(spread_of(chances, of), 1e-12)))


def _refuted(
    make: Callable[[float], tuple[Loss, Any]],
    domain_size: int,
    promised: float,
    samples: int,
    confidence: float,
) -> float | None:
    """The least ε that is refuted with POWER, by bisection."""
    low, high = promised, min(MOST, 2 * promised + 1)

    def found(epsilon: float) -> bool:
        loss = make(epsilon)[0]
        return chance_of(loss, domain_size, promised, samples, confidence) >= POWER

    while not found(high):
        if high >= MOST:
            return None
        high = min(MOST, 2 * high)
    for _ in range(FINE):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
        if high - low < 1e-4 * high:
            break
    return high


def _needed(loss: Loss, domain_size: int, promised: float, confidence: float) -> int | None:
    """The samples with which a client of this loss is refuted with POWER."""
    high = 1000
    while chance_of(loss, domain_size, promised, high, confidence) < POWER:
        high *= 2
        if high > 10**12:
            return None
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if chance_of(loss, domain_size, promised, middle, confidence) >= POWER:
            high = middle
        else:
            low = middle
    return high
