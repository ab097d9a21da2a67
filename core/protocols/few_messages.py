"""Protocols with few messages: every distribution of reports is a vector of their probabilities.

A message supports items, or speaks against them (weight -1), or does neither. As there are few
messages, all that fakes can send is enumerated, and every closed form is exact.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ..base.sampling import Counts, Floats, uniform_multinomial
from ..law.enumeration import ReportLaw
from ..law.law import Ask, Lack, Law, holding
from ..law.pure import BoolArray, Items, PlacedItems, PureProtocol, Reports, Rng, array_of
from ..law.support import ItemSupport, Support

ROWS: Final = 2**21
"""(trial, message) pairs of counts that are drawn at once."""

TIES: Final = 1e-9
"""Numbers of targets that differ by less are equal but for rounding."""


class Messages(PlacedItems, PureProtocol):
    """The base of protocols that send one of `messages` messages; reports are uint32[n].

    Counts are int64[…, d]: the messages that support an item, less those that speak against it. K
    is `messages`.
    """

    @property
    @abstractmethod
    def messages(self) -> int: ...

    @abstractmethod
    def _honest_law(self, frequencies: Floats) -> Floats:
        """float64[K]: an honest report of an item that is drawn with these probabilities."""

    @abstractmethod
    def _agreeing(self, values: Items, rng: Rng) -> Reports:
        """A uniform message of those that send each of these items without noise: uint32[n]."""

    @abstractmethod
    def _send_truthfully(self, users: Counts, rng: Rng) -> Counts:
        """Messages int64[…, K] of int64[…, d] users who send their items without noise."""

    @abstractmethod
    def _agreed_law(self, frequencies: Floats) -> Floats:
        """float64[K], how likely each message is of one user, by the frequency of each item."""

    @abstractmethod
    def _heard(self, messages: Any) -> Any:
        """[…, d], the sum of what messages [..., K] say of each item; of the type of `messages`."""

    @abstractmethod
    def _weigh_messages(self, weights: Floats) -> Floats:
        """float64[K], the sum of what each message says of the items, by their weights."""

    def _heard_squares(self, law: Floats) -> Floats:
        """float64[d], the expected square of what a message says of each item."""
        return np.asarray(self._heard(law))

    @property
    def report_bits(self) -> float:
        """log2 of the number of messages."""
        return math.log2(self.messages)

    # Laws.

    def law_of(self, ask: Ask) -> Law | Lack:
        chances = self._chances(ask)
        match ask.law:
            case "honest" | "unperturbed":
                law = holding(self, ask, lambda: self._towards(ask, chances()))
            case "random":
                law = Law(self._uniform, self._uniform_counts)
            case "crafted" | "avoided":
                law = self._extreme_messages(ask)
            case _:
                return self.lack(ask)
        return replace(
            law,
            support=lambda counted: self._find_support(chances(), counted),
            towards=lambda: self._towards(ask, chances()),
        )

    def _chances(self, ask: Ask) -> Callable[[], Floats]:
        """float64[K], how likely each message is of a fake, when it is called."""

        def chances() -> Floats:
            if ask.law == "honest":
                return self._honest_law(ask.frequencies(self.domain_size))
            if ask.law == "unperturbed":
                return self._agreed_law(ask.frequencies(self.domain_size))
            likely = np.zeros(self.messages)
            if ask.law == "random":
                likely[:] = 1 / self.messages
            else:
                best = self._best(ask)
                likely[best] = 1 / best.size
            return likely

        return chances

    def _extreme_messages(self, ask: Ask) -> Law:
        """A uniform one of the messages that support most targets, or fewest."""

        def reports(count: int, rng: Rng) -> Reports:
            return rng.choice(self._best(ask), size=count)

        def counts(count: Counts, rng: Rng) -> Counts:
            best = self._best(ask)
            counts = np.empty((count.size, self.domain_size), dtype=np.int64)
            rows = max(1, ROWS // self.messages)
            for at in range(0, count.size, rows):
                part = slice(at, at + rows)
                sent = np.zeros((count[part].size, self.messages), dtype=np.int64)
                if count[part].sum() > sent.size:
                    sent[:, best] = uniform_multinomial(count[part], best.size, rng)
                else:
                    trial = np.repeat(np.arange(len(sent)), count[part])
                    sent = self._tally(trial, rng.choice(best, size=trial.size), len(sent))
                counts[part] = self._heard(sent)
            return counts

        return Law(reports, counts)

    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        nobody = np.zeros((count.size, self.domain_size), dtype=np.int64)
        return self._count_agreeing(nobody, count, rng)

    # Reports.

    def _uniform(self, count: int, rng: Rng) -> Reports:
        return rng.integers(0, self.messages, size=count, dtype=np.uint32)

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        """uint32[n]: for each item a uniformly random message of those that support it."""
        return self._agreeing(values, rng)

    def _best(self, ask: Ask) -> Reports:
        """The messages that say most for the targets, or least to avoid them: uint32[k]."""
        support = self._weigh_messages(self._mark_items(ask.targets))
        support = -support if ask.law == "avoided" else support
        return np.flatnonzero(support > support.max() - TIES).astype(np.uint32)

    def _mark_items(self, items: Items) -> Floats:
        weights = np.zeros(self.domain_size)
        weights[items] = 1.0
        return weights

    def validate_reports(self, reports: object, count: int) -> Reports:
        numbers = array_of(reports, (count,), np.dtype(np.uint32))
        if count and numbers.max() >= self.messages:
            raise ValueError(f"must be in [0, {self.messages}), got {numbers.max()}")
        return numbers

    def look(self, reports: Reports, items: Items) -> BoolArray:
        return np.asarray(self.supports(reports)[:, items] > 0)

    # Counts.

    def support_counts(self, reports: Reports) -> Counts:
        messages = np.bincount(reports, minlength=self.messages)
        return np.asarray(self._heard(messages.astype(np.int64)))

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return self._count_agreeing(histogram, np.zeros(len(histogram), dtype=np.int64), rng)

    def _count_agreeing(self, truthful: Counts, others: Counts, rng: Rng) -> Counts:
        """Counts of users int64[trials, d] whose message agrees, and of those who send any."""
        counts = np.empty(truthful.shape, dtype=np.int64)
        rows = max(1, ROWS // self.messages)
        for at in range(0, len(counts), rows):
            part = slice(at, at + rows)
            held, free = truthful[part], others[part]
            if held.sum() + free.sum() > len(held) * self.messages:
                sent = uniform_multinomial(free, self.messages, rng) + self._send_truthfully(
                    held, rng
                )
            else:  # few users: each draws a message
                trial, values = np.divmod(
                    np.repeat(np.arange(held.size), held.ravel()), held.shape[1]
                )
                sent = self._tally(trial, self._agreeing(values, rng), len(held))
                trial = np.repeat(np.arange(free.size), free)
                sent += self._tally(trial, self._uniform(trial.size, rng), len(held))
            counts[part] = self._heard(sent)
        return counts

    def _tally(self, trial: Items, reports: Reports, trials: int) -> Counts:
        """int64[trials, K], the reports of each trial by message."""
        cells = trial * self.messages + reports
        tally = np.bincount(cells, minlength=trials * self.messages)
        return tally.reshape(trials, self.messages)

    # The law of one report.

    def _towards(self, ask: Ask, law: Floats) -> Support:
        """The law of the numbers of targets, and of other items, that a message supports."""
        r, others = ask.targets.size, self.domain_size - ask.targets.size
        aims = self._mark_items(ask.targets)
        first, other = self._weigh_messages(aims), self._weigh_messages(1.0 - aims)
        one, two = float(law @ first), float(law @ other)
        spread, beyond = float(law @ (first - one) ** 2), float(law @ (other - two) ** 2)
        both = float(law @ ((first - one) * (other - two)))
        return Support(one / r, two / others if others else 0.0, spread, beyond, both)

    def _find_support(self, law: Floats, counted: Items) -> ItemSupport:
        rates = np.asarray(self._heard(law))
        supports = self._weigh_messages(self._mark_items(counted))
        variance = float(law @ supports**2 - (law @ supports) ** 2)
        return ItemSupport(rates, max(variance, 0.0), self._heard_squares(law) - rates**2)

    def placed_variances(self, frequencies: Floats) -> Floats:
        squares = self._heard_squares(self._honest_law(frequencies))
        spread = squares - frequencies * self.p**2 - (1 - frequencies) * self.q**2
        return np.asarray(spread / (self.p - self.q) ** 2)

    def placed_sum_variance(self, frequencies: Floats, targets: Items) -> float:
        supports = self._weigh_messages(self._mark_items(targets))
        own = np.full(self.domain_size, targets.size * self.q)
        own[targets] += self.p - self.q
        spread = self._honest_law(frequencies) @ supports**2 - frequencies @ own**2
        return float(spread / (self.p - self.q) ** 2)

    # Its privacy.

    @abstractmethod
    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item; None if there are too many."""

    @abstractmethod
    def message_name(self, message: int) -> str:
        """A description of a message, such as "message (1, 0, 2)"."""
