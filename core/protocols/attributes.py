"""Protocols for several attributes of one user: the server's estimates, and their privacy loss.

ACX is Arcolezi, Couchot, Al Bouna, Xiao, "Random Sampling Plus Fake Data", CIKM 2021.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.moments import Collection, EstimateMoments, Moments
from ..law.pure import BoolArray, Estimates, Items, Reports, Rng
from .attribute_messages import AttributeMessages
from .grr import GRR


@dataclass(frozen=True)
class SeveralAttributes(AttributeMessages, EstimateMoments):
    """The base of protocols for several attributes: the server's estimates and their closed forms.

    The estimate of an item is (C/N - b)/a, where C of the N reports of its attribute support it. A
    report supports an item of frequency f with probability b + a f.
    """

    @cached_property
    def scale(self) -> tuple[Floats, Floats]:
        """(a, b), float64[d] each: a report supports an item of frequency f with probability b + a
        f.
        """
        p, q = (np.repeat([getattr(o, name) for o in self.oracles], self.sizes) for name in "pq")
        if self.solution != "rs+fd":
            return p - q, q
        k, nothing = len(self.oracles), np.empty(0, dtype=np.int64)
        made_up = np.concatenate([law.support(nothing).rates for law in self._fakes])  # type: ignore[union-attr]
        return (p - q) / k, (q + (k - 1) * made_up) / k

    def estimates(self, counts: Counts, users: int) -> Estimates:  # noqa: ARG002
        """The estimated frequencies (C/N - b)/a, float64[…, d]; uniform for an attribute without
        reports.
        """
        gap, base = self.scale
        reports = np.repeat(counts[..., self.domain_size :], self.sizes, axis=-1)
        rates = counts[..., : self.domain_size] / np.maximum(reports, 1)
        return Estimates(np.where(reports > 0, (rates - base) / gap, 1 / self._alike))

    @cached_property
    def _alike(self) -> Counts:
        """int64[d], the number of values of each item's attribute."""
        return np.repeat(self.sizes, self.sizes)

    # Closed forms.

    def means(self, collection: Collection) -> Moments:
        clean, attacked = self._moments(collection)
        return clean[0], None if attacked is None else attacked[0]

    def variances(self, collection: Collection) -> Moments:
        clean, attacked = self._moments(collection)
        return clean[1], None if attacked is None else attacked[1]

    def _moments(
        self, collection: Collection
    ) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats] | None]:
        """Mean and variance of each estimate, before and after the attack.

        Every user holds one value of each attribute. Exact for SPL and RS+FD, of which each report
        counts for each attribute. With SMP the number of reports of an attribute is random, and the
        estimate a ratio: its moments are those of its expansion, with an error of order 1/n.
        """
        gap, base = self.scale
        users, w = collection.users / len(self.oracles), self.report_probability
        truth = collection.histogram / users
        genuine = [(users * truth, w, base + gap), (users * (1 - truth), w, base)]
        clean = self._ratio_moments(genuine)
        if not collection.is_foreseen:
            return clean, None
        fakes = []
        for count, law in collection.fakes:
            sent = np.repeat(law.rates[self.domain_size :], self.sizes)
            rates = law.rates[: self.domain_size] / np.where(sent > 0, sent, 1.0)
            fakes.append((count, sent, rates))
        return clean, self._ratio_moments([*genuine, *fakes])

    @property
    def report_probability(self) -> float:
        """The probability that a message contains a report of a given attribute."""
        return 1 / len(self.oracles) if self.solution == "smp" else 1.0

    def _ratio_moments(self, groups: Sequence[tuple[Any, Any, Any]]) -> tuple[Floats, Floats]:
        """Mean and variance of the estimates from groups of users.

        Each group has its number, how likely a message has a part for the attribute, and how likely
        such a part supports the item.
        """
        gap, base = self.scale
        reports = sum(count * w for count, w, _ in groups)
        rate = sum(count * w * s for count, w, s in groups) / reports
        lean = sum(count * w * (1 - w) * (s - rate) for count, w, s in groups) / reports**2
        spread = sum(
            count * (w * (s * (1 - rate) ** 2 + (1 - s) * rate**2) - (w * (s - rate)) ** 2)
            for count, w, s in groups
        )
        return (rate - lean - base) / gap, spread / (reports * gap) ** 2

    # Privacy.

    def attribute_loss(self) -> float:
        """The privacy loss ε, in nats, between two records that differ in one attribute.

        A part is R times as likely if it is true as if it is made up: e^ε₁ x of the user's value, x
        of another value; s is the sum of the other attributes' R. ACX state ε, which is right only
        if R depends on nothing but whether the part supports the value.
        """
        if self.solution != "rs+fd":
            return float(self.oracles[0].epsilon)
        x, s = self.worst_ratios
        return math.log((math.exp(self.oracles[0].epsilon) * x + s) / (x + s))

    @cached_property
    def worst_ratios(self) -> tuple[float, float]:
        """(x, s) of the attribute with the largest privacy loss: its largest likelihood ratio, and
        the sum of the other attributes' smallest ratios.
        """
        ends = [self._ratio_ends(at) for at in range(len(self.oracles))]
        least = math.fsum(low for low, _ in ends)
        return max(((high, least - low) for low, high in ends), key=lambda each: each[0] / each[1])

    def record_loss(self) -> float:
        """The privacy loss ε, in nats, between any two records; with RS+FD, of the honest report in
        the message.
        """
        hidden = self.solution == "rs+fd"
        return float(self.oracles[0].epsilon) if hidden else self.epsilon

    def _ratio_ends(self, at: int) -> tuple[float, float]:
        """The least and the largest ratio R of a part that does not support the user's value."""
        oracle, prior = self.oracles[at], np.sort(self._prior(at))
        odds = math.expm1(oracle.epsilon)
        if self.fake_data == "realistic" and isinstance(oracle, GRR):
            return oracle.q / prior[-1], oracle.q / max(prior[0], 1e-300)
        w, d = oracle.report_size, oracle.domain_size
        fewest, most = (1, d - 1) if w is None else (w, w)
        return 1 / (1 + odds * prior[d - most :].sum()), 1 / (1 + odds * prior[:fewest].sum())

    def _prior(self, at: int) -> Floats:
        """float64[values]: how likely each value is made up; 0 where none is."""
        size = self.oracles[at].domain_size
        match self.fake_data:
            case "realistic":
                return self.frequencies[self.slices[at]]
            case "uniform":
                return np.full(size, 1 / size)
        return np.zeros(size)

    def likelihood_ratios(self, reports: Reports) -> Floats:
        """float64[n, k]: the likelihood ratio that each attribute's report is the true one, not
        fake data.

        The observer knows the true frequencies. A part is e^ε times as likely from a user whose
        value it supports as from another user, so that only the supported values matter.

        reports : n messages of `report_type`, of RS+FD.
        """
        ratios = np.empty((len(reports), len(self.oracles)))
        for at, oracle in enumerate(self.oracles):
            supports = oracle.supports(np.ascontiguousarray(reports[str(at)]))
            odds, truth = math.expm1(oracle.epsilon), self.frequencies[self.slices[at]]
            made_up = supports @ self._prior(at)
            ratios[:, at] = (1 + odds * (supports @ truth)) / (1 + odds * made_up)
            if self.fake_data == "realistic" and isinstance(oracle, GRR):
                ratios[:, at] = oracle.q * (1 + odds * (supports @ truth)) / made_up
            elif self.fake_data == "zeros":
                ratios[:, at] *= oracle.absence_probability / (1 - oracle.q)
        return ratios

    def infer_attributes(self, values: Items, rng: Rng) -> BoolArray:
        """bool[n]: whether an observer who knows the frequencies guesses the attribute that each
        user reports.

        The observer names the likeliest attribute of a message of RS+FD, which is the best guess.

        values : int64[n], the number of each user's record.
        """
        drawn = self.draw_attributes(len(values), rng)
        reports = self.report_records(values, drawn, rng)
        return np.asarray(self.likelihood_ratios(reports).argmax(axis=1) == drawn)

    @property
    def warnings(self) -> tuple[str, ...]:
        if self.solution != "rs+fd":
            return ()
        k = len(self.oracles)
        sentence = (
            "RS+FD keeps the ε that is set between no two records that differ in every attribute: "
            f"they have ln({k} (e^ε − 1) + 1)"
        )
        return (sentence,)
