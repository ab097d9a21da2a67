"""Coded protocols: a report is the number of one of few messages, more than one item fits each.

A code says which messages agree with each item, which speak against it, and which are silent on
it. A user sends a uniform message that agrees with the own item with probability τ, else a uniform
one of all: a message that agrees is e^ε times as likely as any other.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.sampling import Counts, Floats, binomial
from ..base.secure import generator
from ..law.enumeration import CELLS, ReportLaw, item_name
from ..law.pure import Items, OverItems, Reports, Rng, items_of
from .messages import Messages

MESSAGES: Final = 2**22
"""Messages of a code at most: a vector over them is 32 MiB."""


@dataclass(frozen=True)
class Coded(OverItems, Messages):
    """A protocol whose messages are those of a code; `agreeing` of them agree with each item."""

    @property
    @abstractmethod
    def agreeing(self) -> int: ...

    @property
    def truthful(self) -> float:
        """τ, how often a message is picked from those that agree alone."""
        more = math.expm1(self.epsilon) * self.agreeing
        return more / (more + self.messages)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.messages > MESSAGES:
            rule = f"must be small enough for a code of at most 2^22 messages, {got(self.epsilon)}"
            raise ScenarioError(f"{rule}, which takes {self.messages}", key="epsilon")

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        truthful = rng.random(values.size) < self.truthful
        reports = self._uniform(values.size, rng)
        reports[truthful] = self._agreeing(values[truthful], rng)
        return reports

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        truthful = binomial(histogram, self.truthful, rng)
        others = histogram.sum(axis=-1) - truthful.sum(axis=-1)
        return self._counted(truthful, others, rng)

    def _honest_law(self, frequencies: Floats) -> Floats:
        """float64[K]: an honest report of an item that is drawn with these probabilities."""
        any_message = (1 - self.truthful) / self.messages
        return np.asarray(self.truthful * self._agreed_law(frequencies) + any_message)

    def enumerate_reports(self) -> ReportLaw | None:
        """The law of every report; None where there are too many."""
        if self.domain_size * self.messages > CELLS:
            return None
        agrees = self.supports(np.arange(self.messages, dtype=np.uint32)).T > 0
        any_message = (1 - self.truthful) / self.messages
        law = any_message + np.where(agrees, self.truthful / self.agreeing, 0.0)
        return ReportLaw(law, item_name, self.message_name)
