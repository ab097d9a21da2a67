"""What an audit has seen of a client: sums over its reports, whose size does not grow with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...base.sampling import Counts, Floats
from ...law.capabilities import looks, speaks
from ...law.pure import BoolArray, Items, LocalMechanism, Reports, Rng, is_pure
from ..repeats import marks_of
from .lens import BLOCK, Lens, column_names, low_digits
from .rounds import Event

WATCHED: Final = 64
"""Items of which every pair is looked at, at most."""
CELLS: Final = 1 << 23
"""Categories of single reports that are kept for thresholds, in a round."""
TABLE: Final = 1 << 25
"""Supports (reports × items) that are held at once."""
SUPPORTS: Final = 1 << 28
"""Supports (reports × items) that are looked at."""
REFERENCE: Final = 1 << 18
"""Reports of the protocol itself that a client's are compared with."""
COPIES: Final = 4
"""Honest reports for each of a client's, at most."""
SERIES: Final = 1 << 16
"""Reports of one start whose order is looked at."""
MATCHED: Final = 512
"""Reports of which it is looked at which column says that an item is supported."""
LOUDEST: Final = 8
"""Levels at which a report speaks for its own item, or against it, that are told apart."""
RAW: Final = 1 << 14
"""Reports that are kept as they are, to try other readings of them."""


@dataclass(frozen=True, eq=False)
class Claim:
    """What a client claims to be.

    domain_size, epsilon : d, and what one report spends at most. kind, protocol : the protocol that
    it says it follows; "" and None where it names none. sent : honest reports of that protocol.
    """

    domain_size: int
    epsilon: float
    kind: str = ""
    protocol: LocalMechanism | None = None
    sent: Callable[[Items, Rng], Reports] | None = None

    def look(self, watched: Items) -> Callable[[Any], NDArray[Any]]:
        """What is looked at besides the reports: supported items that are watched, low digits."""

        def seen(reports: Any) -> NDArray[Any]:
            cells = low_digits(np.asarray(reports))
            supported = self._supported(reports, watched)
            return cells if supported is None else np.hstack([supported, cells])

        return seen

    def _supported(self, reports: Any, watched: Items) -> NDArray[Any] | None:
        """What reports say of the watched items, where they do not say so themselves."""
        if watched.size < self.domain_size and is_pure(self.protocol):
            return np.asarray(self.protocol.supports(reports)[:, watched])
        return self._looked(reports, watched)

    def _looked(self, reports: Any, items: Items) -> NDArray[Any] | None:
        if speaks(self.protocol):
            return self.protocol.speaks(reports, items)
        return np.asarray(self.protocol.look(reports, items)) if looks(self.protocol) else None

    def says(self, reports: Reports) -> NDArray[np.int8] | None:
        """int8[n, d], how much reports speak for items, below 0 against; None where it is not told.

        An item that a report speaks for is one that it supports.
        """
        if is_pure(self.protocol):
            return np.asarray(self.protocol.supports(reports) > 0, dtype=np.int8)
        said = self._looked(reports, np.arange(self.domain_size))
        if said is None or said.shape[1] != self.domain_size:
            return None
        return np.asarray(said, dtype=np.int8)

    def names(self, lens: Lens, reports: Reports, watched: Items) -> list[str]:
        """The name of each column of a lens of these reports."""
        if lens.examples is not None:
            return ["the report"]
        place = "column" if self.protocol is None else self.protocol.place
        said = self._supported(reports[:1], watched)
        looked = [] if said is None or not said.shape[1] else watched.tolist()
        names = column_names(np.asarray(reports), place, lens.most)
        digits = low_digits(np.asarray(reports[:1])).shape[1]
        names += [f"what it says of item {item}" for item in looked]
        return [*names, *(f"the low digits of {place} {at}" for at in range(digits))]


@dataclass(eq=False)
class Supported:
    """Sums over the supports of reports.

    held, own, counts : int64[d], the reports of each item, those that support their own item, and
    those that support the item whoever holds it. others, squares : Σ s and Σ s², s the number of
    other items that a report supports. right, wrong, guesses : of an attacker who guesses an item
    that the report supports: how often it is the user's, and how often a given other one, of how
    many reports.
    """

    held: Counts
    own: Counts
    counts: Counts
    others: int = 0
    squares: int = 0
    right: int = 0
    wrong: int = 0
    guesses: int = 0

    @classmethod
    def of(cls, domain_size: int) -> Supported:
        held, own, counts = np.zeros((3, domain_size), dtype=np.int64)
        return cls(held, own, counts)

    @property
    def reports(self) -> int:
        return int(self.held.sum())

    def add(self, items: Items, others: Items, supports: BoolArray, rng: Rng) -> None:
        """Add reports of items. others : the given other item of each, -1 where nobody guesses."""
        d, rows = len(self.held), np.arange(len(items))
        own = supports[rows, items]
        number = supports.sum(axis=1)
        self.held += np.bincount(items, minlength=d)
        self.own += np.bincount(items[own], minlength=d)
        self.counts += supports.sum(axis=0)
        beside = number - own
        self.others += int(beside.sum())
        self.squares += int((beside * beside).sum())
        # One of the supported items, each as likely; any item where the report supports none.
        rank = (rng.random(len(items)) * number).astype(np.int64)
        guess = (np.cumsum(supports, axis=1, dtype=np.int32) > rank[:, None]).argmax(axis=1)
        guess = np.where(number > 0, guess, rng.integers(d, size=len(items)))
        asked = others >= 0
        self.guesses += int(asked.sum())
        self.right += int((asked & (guess == items)).sum())
        self.wrong += int((asked & (guess == others)).sum())


@dataclass(eq=False)
class Series:
    """The first reports of a start, in their order.

    items, marks : the item of each, and a number that is equal for equal reports. codes : a small
    number that tells a little of the report. supports : bool[n, d], None where unknown.
    """

    items: Items = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    marks: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    codes: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    supports: BoolArray | None = None

    def add(self, items: Items, reports: Reports, codes: NDArray[np.intp], supports: Any) -> None:
        room = SERIES - len(self.items)
        if room <= 0:
            return
        self.items = np.concatenate([self.items, items[:room]])
        self.marks = np.concatenate([self.marks, marks_of(reports[:room])])
        self.codes = np.concatenate([self.codes, codes[:room]])
        if supports is not None and supports.shape[1] <= WATCHED:
            before = [] if self.supports is None else [self.supports]
            self.supports = np.concatenate([*before, supports[:room]])


class Evidence:
    """What was seen of a client so far.

    watched : int64[k], the items whose pairs are looked at. table : float64[k, width], how often
    each category of the lens was seen of each; reference : the same of the protocol's own reports.
    joint, joint_reference : float64[1, …], of the own item, the number of others and the next two
    items together. own, own_reference : float64[d, levels], how loudly the reports of each item
    speak for it; parts, parts_reference : the same by the category of the first column, such as the
    cohort. copies : honest reports for each of the client's. supporting : float64[k, width], how
    much a category speaks for an item; None where that is not known. hits, of : of the event of
    this round.
    """

    def __init__(
        self,
        claim: Claim,
        watched: Items,
        lens: Lens,
        joint: Lens | None,
        supporting: Floats | None = None,
        copies: int = 1,
    ) -> None:
        self.claim, self.watched, self.lens, self.joint_lens = claim, watched, lens, joint
        self.supporting, self.copies = supporting, copies
        self.row_of = np.full(claim.domain_size, -1, dtype=np.intp)
        self.row_of[watched] = np.arange(watched.size)
        self.table = np.zeros((watched.size, lens.width))
        self.reference = np.zeros_like(self.table)
        width = 0 if joint is None else joint.width
        self.joint, self.joint_reference = np.zeros((1, width)), np.zeros((1, width))
        levels = 2 * LOUDEST + 1
        self.own, self.own_reference = np.zeros((2, claim.domain_size, levels))
        self.parts, self.parts_reference = np.zeros((2, int(lens.starts[1]), levels))
        self.supported = Supported.of(claim.domain_size)
        self.series = Series()
        self.samples = 0
        self.compared = 0
        self.raw: list[tuple[Items, Reports]] = []
        self.start_round(None)

    def start_round(self, event: Event | None) -> None:
        """Forget what belongs to one round; its reports come from one start."""
        self.event = event
        self.hits, self.of = [0, 0], [0, 0]
        self.kept: list[tuple[NDArray[np.intp], NDArray[np.int32]]] = []
        self.cells = 0
        self.series = Series()

    def add(self, items: Items, others: Items, reports: Reports, rng: Rng) -> None:
        """Add reports of these items, beside each of which another one stands.

        rng : draws the attacker's guesses, and honest reports.
        """
        step = max(64, min(BLOCK, TABLE // self.claim.domain_size))
        for at in range(0, len(items), step):
            end = at + step
            self._add(items[at:end], others[at:end], reports[at:end], rng)

    def _add(self, items: Items, others: Items, reports: Reports, rng: Rng) -> None:
        self.samples += len(items)
        if sum(len(held) for held, _ in self.raw) < RAW:
            self.raw.append((items, reports))
        codes, rows = self.lens.codes(reports), self.row_of[items]
        seen = rows >= 0
        self._count(self.table, codes[:, seen], rows[seen])
        if self.event is not None:
            for at, item in enumerate((self.event.first, self.event.second)):
                own = items == item
                self.hits[at] += int(self.event.hits(self.lens, codes[:, own]).sum())
                self.of[at] += int(own.sum())
        if self.cells < CELLS:
            self.kept.append((rows[seen], codes[:, seen].astype(np.int32)))
            self.cells += codes.size
        said = None
        if self.supported.reports * self.claim.domain_size < SUPPORTS:
            said = self.claim.says(reports)
        supports = None if said is None else said > 0
        if supports is not None:
            self.supported.add(items, others, supports, rng)
        self.series.add(items, reports, _coarse(codes[0], items, supports), supports)
        if self.claim.sent is not None and self.compared < REFERENCE:
            self._compare(items, codes[0], said, rng)

    def _compare(
        self, items: Items, codes: NDArray[np.intp], said: NDArray[np.int8] | None, rng: Rng
    ) -> None:
        """Count honest reports of the same items. codes, said : of the client's reports.

        What reports say of items depends on the items: of both as many, in proportion, are counted.
        """
        assert self.claim.sent is not None
        n, rows = len(items), self.row_of[items]
        every = np.tile(items, self.copies)
        honest = self.claim.sent(every, rng)
        seen, coded = rows >= 0, self.lens.codes(honest)
        self._count(self.reference, coded[:, :n][:, seen], rows[seen])
        self.compared += n
        if self.joint_lens is not None and said is not None:
            self._join(self.joint, items, said)
            self._say(self.own, self.parts, items, codes, said)
            said = self.claim.says(honest)
            assert said is not None
            self._join(self.joint_reference, items, said[:n])
            self._say(self.own_reference, self.parts_reference, every, coded[0], said)

    def _count(self, table: Floats, codes: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        places = codes + rows * table.shape[1]
        table += np.bincount(places.ravel(), minlength=table.size).reshape(table.shape)

    def _join(self, table: Floats, items: Items, said: NDArray[np.int8]) -> None:
        assert self.joint_lens is not None
        codes = self.joint_lens.codes(joint_of(items, said > 0))
        table += np.bincount(codes.ravel(), minlength=table.size)

    def _say(
        self, own: Floats, parts: Floats, items: Items, codes: NDArray[np.intp], said: Any
    ) -> None:
        """Count what reports say of their own items. codes : the first column of the lens."""
        loud = said[np.arange(len(items)), items]
        levels = np.clip(loud, -LOUDEST, LOUDEST).astype(np.intp) + LOUDEST
        for table, rows in ((own, items), (parts, codes)):
            self._count(table, levels, rows)

    @property
    def kept_codes(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """The rows and the codes of some reports of this round."""
        rows, codes = zip(*self.kept, strict=True)
        return np.concatenate(rows), np.concatenate(codes, axis=1)


def _coarse(codes: NDArray[np.intp], items: Items, supports: BoolArray | None) -> NDArray[np.intp]:
    """intp[n]: a small number that tells something of each report."""
    if supports is None:
        return codes
    return np.asarray((joint_of(items, supports) & 7) + 8 * np.minimum(codes, 31), dtype=np.intp)


def joint_of(items: Items, supports: BoolArray) -> NDArray[np.int16]:
    """int16[n]: what a report says of its own item, the next two, and the number of all others."""
    d, rows = supports.shape[1], np.arange(len(items))
    own, one, two = (supports[rows, (items + step) % d].astype(np.int64) for step in (0, 1, 2))
    number = np.minimum(supports.sum(axis=1) - own, 4000)
    return np.asarray(number * 8 + own * 4 + one * 2 + two, dtype=np.int16)


def watched_of(claim: Claim, items: Items, reports: Reports) -> Items:
    """The items whose pairs are looked at: all, or those that stand out, and some others."""
    d = claim.domain_size
    if d <= WATCHED:
        return np.arange(d)
    spread = np.unique(np.linspace(0, d - 1, WATCHED // 2).round().astype(np.int64))
    chosen_ones: Sequence[int] = []
    said = claim.says(reports)
    if said is not None:
        own = said[np.arange(len(items)), items] > 0
        held = np.bincount(items, minlength=d)
        rate = (np.bincount(items[own], minlength=d) + own.mean()) / (held + 1)
        surprise = np.abs(rate - own.mean()) * np.sqrt(held + 1)
        chosen_ones = np.argsort(-surprise, kind="stable")[: WATCHED - spread.size].tolist()
    return np.unique([*spread.tolist(), *chosen_ones]).astype(np.int64)


def supporting_of(
    claim: Claim, watched: Items, lens: Lens, reports: Reports, said: NDArray[np.int8]
) -> Floats | None:
    """float64[k, width], how much a category speaks for a watched item.

    said : int8[n, d], of these reports. None where some item has no column that says it.
    """
    told = np.zeros((watched.size, lens.width))
    if lens.examples is not None:
        known = claim.says(lens.examples)
        assert known is not None
        told[:, : len(known)] = known[:, watched].T
        return told
    values = lens.decoded(reports[:MATCHED])
    for row, item in enumerate(watched.tolist()):
        found = np.flatnonzero((values == said[: values.shape[1], item]).all(axis=1))
        if not found.size:
            return None
        at = int(found[0])
        start = lens.starts[at]
        told[row, start : start + lens.values[at].size] = lens.values[at]
    return told
