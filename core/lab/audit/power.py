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
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np

from ...law.capabilities import lacking
from ...law.loss import DiscreteLoss, Loss
from ...law.pure import is_pure
from ...law.together import tells_together
from .found import LEAST
from .monte_carlo import epsilon_at_least
from .rounds import LAST, OF_AVERAGE, OF_BOUND, STARTS, at_start, fitting, paired, shares, sizes

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
    """The standard deviation of ln of the ratio of shares: of the bound too, to first order.

    Less than one hit is expected of an event that one item hardly shows: the bound is then as of
    one.
    """
    return math.sqrt(
        sum(
            (1 - chance) / max(chance * of, 1.0)
            for chance in (chances.first, chances.second)
            if chance
        )
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
    bound of the best event of the last round, on a client that spends what it promises. naive :
    that of the naive attacker, who uses all rounds; None where it is not known. like : the
    protocol whose events these are. sure : whether the audit knows its best event, which is that a
    report speaks for one item and against the other. Where items share bits or buckets that event
    is rarer, and of numbers the best two and the best part of the line have to be found.
    """

    samples: int
    refutes: float | None
    asked: float
    needed: int | None
    expected: float
    naive: float | None
    like: str
    sure: bool


@dataclass(frozen=True)
class Setting:
    """An audit: the size of the domain, the promised ε, its samples and its confidence."""

    domain_size: int
    promised: float
    samples: int
    confidence: float


Make: TypeAlias = Callable[[float], tuple[Loss, Any]]
"""The privacy loss of a protocol at an ε, and the protocol; raises LdpError."""


def power_of(make: Make, like: str, audit: Setting, asked: float) -> Power:
    """The power of an audit against clients that follow a protocol with more than is promised.

    asked : an ε whose samples are told. Raises what `make` raises.
    """
    loss, protocol = make(audit.promised)
    best, on_average = _tests(loss, protocol, audit)
    most = min(MOST, protocol.most_epsilon)
    return Power(
        audit.samples,
        _refuted(make, audit, most),
        asked,
        _needed(make(asked), audit) if asked <= most else None,
        best[0],
        None if on_average is None else on_average[0],
        like,
        protocol.place == "item" and lacking(protocol, "estimates", "") is None,
    )


def _tests(
    loss: Loss, protocol: Any, audit: Setting
) -> tuple[tuple[float, float], tuple[float, float] | None]:
    """The bounds of the best event of the last round, and of the naive attacker on all rounds.

    Each comes with its standard deviation, to first order.
    """
    allowed = 1 - audit.confidence
    left = audit.samples - STARTS * at_start(audit.samples)
    rounds = sizes(left)
    of = max(1, paired(rounds[-1], audit.domain_size))
    share = OF_BOUND * shares(len(rounds))[-1]
    lower, chances = best_of(events_of(loss), of, 1 - share * allowed)
    best = lower, spread_of(chances, of)
    guesses = naive(protocol)
    if guesses is None:
        return best, None
    of = max(1, left - fitting(rounds[0]))
    error = OF_AVERAGE * LAST * allowed
    return best, (lower_of(guesses, of, 1 - error), spread_of(guesses, of))


def chance_of(made: tuple[Loss, Any], audit: Setting) -> float:
    """The probability that the last round, or the average, refutes a client; to first order."""
    from scipy.special import ndtr

    return max(
        float(ndtr((test[0] - audit.promised) / max(test[1], 1e-12)))
        for test in _tests(*made, audit)
        if test is not None
    )


def _refuted(make: Make, audit: Setting, most: float) -> float | None:
    """The least ε, up to the most that there is, that is refuted with POWER, by bisection."""
    low, high = audit.promised, min(most, 2 * audit.promised + 1)
    while chance_of(make(high), audit) < POWER:
        if high >= most:
            return None
        high = min(most, 2 * high)
    for _ in range(FINE):
        middle = (low + high) / 2
        found = chance_of(make(middle), audit) >= POWER
        low, high = (low, middle) if found else (middle, high)
        if high - low < 1e-4 * high:
            break
    return high


def _needed(made: tuple[Loss, Any], audit: Setting) -> int | None:
    """The samples with which this client is refuted with POWER."""

    def found(samples: int) -> bool:
        return chance_of(made, replace(audit, samples=samples)) >= POWER

    high = LEAST
    while not found(high):
        high *= 2
        if high > 10**12:
            return None
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return max(high, LEAST)
