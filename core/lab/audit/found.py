"""The question and the result of an audit, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from ...base.ranges import ALPHA, Range, require
from .conformity import Agreement, Bias, Interval
from .evidence import Evidence
from .rounds import Bound

Verdict = Literal["broken", "not-refuted", "proved"]
LEAST: Final = 1000
"""Reports of an audit, at least."""


@dataclass(frozen=True)
class Finding:
    """Something that an audit found. broken : whether it breaks the promise. samples : reports
    that it took."""

    kind: str
    text: str
    broken: bool
    samples: int


@dataclass(frozen=True)
class Asked:
    """The question of an audit. proved : whether the promise is known to be kept in law."""

    samples: int
    confidence: float = 0.999
    seed: int = 0
    proved: bool = False

    def __post_init__(self) -> None:
        require("confidence", self.confidence, ALPHA)
        require("samples", self.samples, Range(LEAST))

    @property
    def error(self) -> float:
        """The probability that a verdict is wrong, at most."""
        return 1 - self.confidence


@dataclass(frozen=True)
class Progress:
    """How far an audit is. lower : the largest bound on ε so far."""

    client: str
    samples: int
    of: int
    lower: float


@dataclass(frozen=True, eq=False)
class Inspection:
    """The result of an audit.

    epsilon_low : ε is at least that, with the confidence, over all pairs of items and all events
    that were looked at; 0 if nothing was found. bound : the round that it comes from. average_low,
    average : the same of a user whose item is drawn at random, which hides what happens to single
    items. rates, worst_bias : p and q, and the largest bias, of a protocol with supports. agrees :
    with the protocol that it claims to follow; None without one. pairs, events : looked at. speed :
    reports a second of the client alone. whole : whether the audit ran to its end.
    """

    client: str
    verdict: Verdict
    epsilon_low: float
    confidence: float
    samples: int
    conforms: bool | None
    findings: tuple[Finding, ...]
    bound: Bound | None = None
    rounds: tuple[Bound, ...] = ()
    average_low: float | None = None
    average: float | None = None
    rates: tuple[Interval, Interval] | None = None
    worst_bias: Bias | None = None
    agrees: Agreement | None = None
    pairs: int = 0
    events: int = 0
    speed: float = 0.0
    whole: bool = True
    seen: Evidence | None = field(default=None, repr=False)

    @property
    def agrees_words(self) -> str:
        """The part of a report that is farthest off the protocol, in words."""
        if self.agrees is None:
            return ""
        return f"farthest off: {self.agrees.worst}, p = {self.agrees.p_value:.2g}"
