"""A panel of kept answers, as a family tells it: what they give away, and at which price."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..charts.series import Plot


@dataclass(frozen=True)
class Fact:
    """One number: its symbol, what it is, its value as text, and where it comes from."""

    symbol: str
    label: str
    value: str
    why: str


@dataclass(frozen=True)
class Group:
    """Facts under one heading."""

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Bargain:
    """One choice of the numbers of a noise: its privacy, and what that costs.

    epsilon_one, epsilon_infinity (None: without bound) : what it gives away. std : σ of one
    estimated frequency. strings : the number of equally frequent items that can be learnt. room :
    the number of candidates that can be estimated together, None where each has its own bit.
    """

    name: str
    epsilon_one: float
    epsilon_infinity: float | None
    std: float
    strings: float
    room: float | None


@dataclass(frozen=True)
class Panel:
    """A panel of kept answers.

    groups, bargains : its numbers, and what other ones would buy; worked out when they are seen.
    rounds : ε over many reports.
    """

    groups: Callable[[], tuple[Group, ...]]
    rounds: Plot
    bargains: Callable[[], tuple[Bargain, ...]] = tuple
