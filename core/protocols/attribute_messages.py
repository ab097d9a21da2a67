"""Reports of users who hold a value of each of several attributes: SPL, SMP, RS+FD and RS+RFD.

ACX is Arcolezi, Couchot, Al Bouna, Xiao, "Random Sampling Plus Fake Data", CIKM 2021; AGC is
Arcolezi, Gambs, Couchot, Palamidessi, "On the Risks of Collecting Multidimensional Data Under
LDP", PVLDB 16(5), 2023. Each attribute has an oracle of its own, over the attribute's values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np

from ..base.sampling import Counts, Floats, multinomial
from ..base.secure import generator
from ..law.exchangeable import Exchangeable, IndependentItems
from ..law.law import Ask, Lack, Law, LawName
from ..law.pure import Items, LocalMechanism, Reports, Rng, array_of, items_of
from ..law.support import ItemSupport
from .grr import GRR

Solution: TypeAlias = Literal["spl", "smp", "rs+fd"]
FakeData: TypeAlias = Literal["uniform", "zeros", "realistic"]

Message: TypeAlias = Sequence[Law | None]
"""The law of each attribute's part of a message; None where it has no such part."""

CRAFTED: frozenset[LawName] = frozenset({"crafted", "avoided", "disguised"})
SENT: frozenset[LawName] = CRAFTED | {"random", "honest", "unperturbed"}


@dataclass(frozen=True)
class AttributeMessages(LocalMechanism):
    """The protocols for k attributes (SPL, SMP, RS+FD, RS+RFD): one frequency oracle for each
    attribute.

    SPL reports every attribute, each with ε/k. SMP reports one, drawn at random, and says which.
    RS+FD reports one, drawn at random, and made-up data for the others, which hides the choice. The
    items are the values of all attributes, one attribute after the other. Users are numbered by
    their records. Counts are int64[d + k]: the reports that support each item, and the reports of
    each attribute.

    epsilon : ε of a message; of RS+FD see `attribute_loss`.
    fake_data : the values that RS+FD makes up: uniform values; no value, so that every item is
        supported with probability q; or values with the true frequencies (RS+RFD). They are
        perturbed like true values, except values with true frequencies under GRR, as in AGC.
    oracles : the protocol of each attribute, with the budget that it has for a report.
    records : int64[m, k], the value of each attribute in each record that occurs among the users.
    frequencies : float64[d], the true frequency of each item.
    """

    family: ClassVar[str] = "attributes"
    called: ClassVar[str] = "several attributes"

    epsilon: float
    solution: Solution
    fake_data: FakeData
    oracles: tuple[Any, ...]
    records: Items = field(repr=False, compare=False)
    frequencies: Floats = field(repr=False, compare=False)

    @cached_property
    def sizes(self) -> Counts:
        """int64[k], the number of values of each attribute."""
        return np.array([oracle.domain_size for oracle in self.oracles])

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """The positions of each attribute's values among all items."""
        ends = np.cumsum(self.sizes).tolist()
        return tuple(slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True))

    @property
    def domain_size(self) -> int:  # type: ignore[override]
        return int(self.sizes.sum())

    @property
    def report_bits(self) -> float:
        bits = [oracle.report_bits for oracle in self.oracles]
        return math.log2(len(bits)) + max(bits) if self.solution == "smp" else math.fsum(bits)

    @cached_property
    def report_type(self) -> np.dtype[Any]:
        """The dtype of a message: one field for each attribute's report, and the attribute's number
        for SMP.
        """
        nobody, rng = np.empty(0, dtype=np.int64), np.random.default_rng(0)
        parts = [oracle.perturb(nobody, rng) for oracle in self.oracles]
        names = [(str(at), part.dtype, part.shape[1:]) for at, part in enumerate(parts)]
        return np.dtype([*names, ("attribute", np.int64)] if self.solution == "smp" else names)

    # Reports of genuine users.

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        return self.report_records(values, self.draw_attributes(len(values), rng), rng)

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        return self.report_records(
            values, self.draw_attributes(len(values), rng), rng, "unperturbed"
        )

    def draw_attributes(self, users: int, rng: Rng) -> Items:
        """int64[n], the attribute that each user reports; SPL reports all of them."""
        return rng.integers(0, len(self.oracles), size=users)

    def report_records(
        self, values: Items, drawn: Items, rng: Rng, method: str = "perturb"
    ) -> Reports:
        """Messages of n users, an array of `report_type`.

        values : int64[n], the number of each user's record. drawn : int64[n], the attribute that
        each user reports. method : the oracle's method that makes a report.
        """
        held = self.records[items_of(values, len(self.records))]
        users = len(held)
        reports = np.zeros(users, dtype=self.report_type)
        for at, oracle in enumerate(self.oracles):
            true = np.full(users, True) if self.solution == "spl" else drawn == at
            part = reports[str(at)]
            part[true] = getattr(oracle, method)(held[true, at], rng)
            if self.solution == "rs+fd":
                part[~true] = self._fakes[at].reports(int((~true).sum()), rng)
        if self.solution == "smp":
            reports["attribute"] = drawn
        return reports

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return self._count_records(histogram, rng, "sample_counts")

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return self._count_records(histogram, rng, "unperturbed_counts")

    def _count_records(self, histogram: Counts, rng: Rng, method: str) -> Counts:
        """The attributes of different users are drawn apart, those of one are not independent."""
        users, k = histogram.sum(axis=1), len(self.oracles)
        held = [np.empty((len(histogram), size), dtype=np.int64) for size in self.sizes]
        for trial, records in enumerate(histogram):
            senders = records[:, None].repeat(k, axis=1)
            if self.solution != "spl":
                senders = rng.multinomial(records, np.full(k, 1 / k))
            for at, size in enumerate(self.sizes):
                sums = np.bincount(self.records[:, at], senders[:, at], minlength=size)
                held[at][trial] = sums
        counts = np.empty((len(histogram), self.domain_size + k), dtype=np.int64)
        for at, (oracle, own) in enumerate(zip(self.oracles, held, strict=True)):
            made, reported = getattr(oracle, method)(own, rng), own.sum(axis=1)
            if self.solution == "rs+fd":
                made, reported = made + self._fakes[at].counts(users - reported, rng), users
            counts[:, self.slices[at]], counts[:, self.domain_size + at] = made, reported
        return counts

    @cached_property
    def _fakes(self) -> tuple[Law, ...]:
        """The laws of the parts that RS+FD makes up."""
        return tuple(map(self._fake_part, range(len(self.oracles))))

    def _fake_part(self, at: int) -> Law:
        oracle, truth = self.oracles[at], self.frequencies[self.slices[at]]
        every = np.arange(oracle.domain_size)
        if self.fake_data == "zeros":
            return _support_nothing(oracle)
        if self.fake_data == "uniform":
            return cast("Law", oracle.find_law(Ask("honest", every)))
        name: LawName = "unperturbed" if isinstance(oracle, GRR) else "honest"
        law: Law = oracle.find_law(Ask(name, every, held=truth))
        if name == "honest":
            return law
        return replace(law, support=lambda counted: _one_of(truth, counted))

    # Reports of fake users.

    def law_of(self, ask: Ask) -> Law | Lack:
        """The distribution of fakes' messages; a Lack if an oracle has no such distribution.

        In attributes without a target, the fakes' values are uniform and perturbed honestly. A
        crafted message has a crafted part for every attribute; with SMP for the one whose targets
        it moves most.
        """
        if ask.law not in SENT or ask.held is not None:
            return self.lack(ask)
        laws = []
        for at, oracle in enumerate(self.oracles):
            local, every = self._local(ask.targets, at), np.arange(oracle.domain_size)
            name: LawName = ask.law if local.size or ask.law == "random" else "honest"
            law = oracle.law_of(replace(ask, law=name, targets=local if local.size else every))
            if isinstance(law, Lack):
                return law
            laws.append(law)
        messages = self._messages(ask, laws)
        return Law(
            partial(self._send, messages),
            partial(self._draw, messages),
            partial(self._support, messages),
        )

    def _local(self, items: Items, at: int) -> Items:
        """The items of one attribute, counted from its first value."""
        part = self.slices[at]
        inside = (items >= part.start) & (items < part.stop)
        return np.asarray(items[inside] - part.start)

    def _messages(self, ask: Ask, laws: Sequence[Law]) -> list[tuple[float, Message]]:
        """The messages of fakes, and how likely each is."""
        k = len(laws)
        if self.solution == "smp":
            chances = np.full(k, 1 / k)
            if ask.law in CRAFTED:
                chances = np.eye(k)[self._most_moved(ask, laws)]
            alone = [[law if i == at else None for i in range(k)] for at, law in enumerate(laws)]
            return list(zip(chances.tolist(), alone, strict=True))
        if self.solution == "spl" or ask.law != "honest":
            return [(1.0, laws)]
        return [
            (1 / k, [law if i == at else self._fakes[i] for i, law in enumerate(laws)])
            for at in range(k)
        ]

    def _most_moved(self, ask: Ask, laws: Sequence[Law]) -> int:
        """The attribute whose targets one part of a message moves most."""
        moves = []
        for at, (oracle, law) in enumerate(zip(self.oracles, laws, strict=True)):
            local, support = self._local(ask.targets, at), law.support(np.empty(0, dtype=np.int64))
            assert support is not None
            moves.append((support.rates[local] - oracle.q).sum() / (oracle.p - oracle.q))
        with_targets = [at for at in range(len(moves)) if self._local(ask.targets, at).size]
        return (min if ask.law == "avoided" else max)(with_targets, key=moves.__getitem__)

    def _send(self, messages: list[tuple[float, Message]], count: int, rng: Rng) -> Reports:
        reports = np.zeros(count, dtype=self.report_type)
        chances = np.array([chance for chance, _ in messages])
        drawn = rng.choice(len(messages), size=count, p=chances)
        for at in range(len(self.oracles)):
            for law, numbers in _by_law(messages, at):
                rows = np.isin(drawn, numbers)
                reports[str(at)][rows] = law.reports(int(rows.sum()), rng)
        if self.solution == "smp":
            reports["attribute"] = drawn
        return reports

    def _draw(self, messages: list[tuple[float, Message]], count: Counts, rng: Rng) -> Counts:
        counts = np.zeros((count.size, self.domain_size + len(self.oracles)), dtype=np.int64)
        drawn = multinomial(count, np.array([chance for chance, _ in messages]), rng)
        for at, part in enumerate(self.slices):
            for law, numbers in _by_law(messages, at):
                senders = drawn[:, numbers].sum(axis=1)
                counts[:, part] += law.counts(senders, rng)
                counts[:, self.domain_size + at] += senders
        return counts

    def _support(self, messages: list[tuple[float, Message]], counted: Items) -> ItemSupport:
        """The support of a message: `rates` float64[d + k], in the order of the counts."""
        rates, mean, square = np.zeros(self.domain_size + len(self.oracles)), 0.0, 0.0
        for chance, message in messages:
            hits, variance = 0.0, 0.0
            for at, law in enumerate(message):
                if law is None:
                    continue
                local = self._local(counted, at)
                support = law.support(local)
                assert support is not None
                rates[self.slices[at]] += chance * support.rates
                rates[self.domain_size + at] += chance
                hits, variance = hits + support.rates[local].sum(), variance + support.variance
            mean, square = mean + chance * hits, square + chance * (variance + hits**2)
        return ItemSupport(rates, square - mean**2)

    # Reports as the server reads them.

    def validate_reports(self, reports: object, count: int) -> Reports:
        messages = array_of(reports, (count,), self.report_type)
        for at, (oracle, sent) in enumerate(zip(self.oracles, self._parts(messages), strict=True)):
            messages[str(at)][self._rows(messages, at)] = oracle.validate_reports(sent, len(sent))
        return messages

    def _rows(self, reports: Reports, at: int) -> Any:
        """The messages that have a part for an attribute."""
        return reports["attribute"] == at if self.solution == "smp" else slice(None)

    def _parts(self, reports: Reports) -> list[Reports]:
        """The reports of each attribute."""
        parts = [reports[str(at)][self._rows(reports, at)] for at in range(len(self.oracles))]
        return list(map(np.ascontiguousarray, parts))

    def support_counts(self, reports: Reports) -> Counts:
        parts = self._parts(reports)
        supports = [o.support_counts(part) for o, part in zip(self.oracles, parts, strict=True)]
        return np.concatenate([*supports, list(map(len, parts))])


def _by_law(messages: list[tuple[float, Message]], at: int) -> list[tuple[Law, list[int]]]:
    """The laws of an attribute's part, each with the numbers of the messages that have it."""
    groups: dict[int, tuple[Law, list[int]]] = {}
    for number, (_, message) in enumerate(messages):
        law = message[at]
        if law is not None:
            groups.setdefault(id(law), (law, []))[1].append(number)
    return list(groups.values())


def _one_of(frequencies: Floats, counted: Items) -> ItemSupport:
    """The support of a report of one item, drawn with these frequencies."""
    hit = float(frequencies[counted].sum())
    return ItemSupport(frequencies, hit * (1 - hit))


def _support_nothing(oracle: Exchangeable) -> Law:
    """A report that supports every item with probability q, as of a user who holds none."""
    assert isinstance(oracle, IndependentItems)

    def reports(count: int, rng: Rng) -> Reports:
        return oracle.sample_background(
            np.zeros(count, np.int64), rng.random(count) < oracle.q, rng
        )

    def counts(count: Counts, rng: Rng) -> Counts:
        held = np.zeros((count.size, oracle.domain_size), dtype=np.int64)
        held[:, 0] = rng.binomial(count, oracle.q)
        spared = np.zeros_like(held)
        spared[:, 0] = count - held[:, 0]
        return oracle.conditioned_counts(held, spared, rng)

    def support(counted: Items) -> ItemSupport:
        q = float(oracle.q)
        return ItemSupport(np.full(oracle.domain_size, q), counted.size * q * (1 - q))

    return Law(reports, counts, support)
