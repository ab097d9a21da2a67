"""Conclusions from reports of real users, a share of whom may be fake.

The reports are read twice. The first time they are counted, and a sample of them is kept, in which
sets of items are looked for that go together; the second time these sets are counted among all.
Memory does not grow with the number of reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.pulse import Pulse, no_pulse
from ..base.sampling import Counts, Floats
from ..base.streams import stream
from ..bounds.claims import Claim, Overturning, overturning_share
from ..bounds.fakes import Chain, Floor, floor_of, floor_of_counts, honest_rates, least_fakes
from ..bounds.robust import ballot_of
from ..defences.floor import count_chain, grow_sets, sizes_of
from ..law.pure import PureProtocol, Reports
from ..law.together import tells_together
from ..theory import Misfit
from ..theory.evidence import Evidence
from .claimed import claim_of

SAMPLED: Final = 1 << 15
"""Reports in which sets are looked for."""

COUNTED: Final = 2
"""Sets of each direction that are counted among all reports, and all that they grow from."""

Read = Callable[[], Iterator[Reports]]
"""Reads all reports from the start, a batch at a time."""


@dataclass(frozen=True, eq=False)
class Heard:
    """The counts of N reports, as the protocol has them, and the floor on the fakes among them."""

    counts: Counts
    reports: int
    floor: Floor


@dataclass(eq=False)
class Sample:
    """A uniform sample of the reports that come by, of at most SAMPLED."""

    rng: np.random.Generator
    held: list[Any] = field(default_factory=list)
    marks: Any = field(default_factory=lambda: np.empty(0))
    above: float = 1.0

    def add(self, reports: Reports) -> None:
        """Take in some reports: those with the smallest of uniform marks stay."""
        marks = self.rng.random(len(reports))
        low = marks < self.above
        self.held.append(reports[low])
        self.marks = np.append(self.marks, marks[low])
        if self.marks.size > 2 * SAMPLED:
            self._drop()

    def _drop(self) -> None:
        every = np.concatenate(self.held)
        if self.marks.size > SAMPLED:
            least = np.sort(np.argpartition(self.marks, SAMPLED)[:SAMPLED])
            every, self.marks = every[least], self.marks[least]
            self.above = float(self.marks.max())
        self.held = [every]

    @property
    def reports(self) -> Reports:
        self._drop()
        made: Reports = self.held[0]
        return made


def heard(
    read: Read, protocol: PureProtocol, confidence: float = 0.95, pulse: Pulse = no_pulse
) -> Heard:
    """The counts of all reports, and the floor on the fakes; raises ScenarioError for none at all.

    A protocol without a support law is refused.
    """
    ballot_of(protocol)
    sample = Sample(stream(0, f"conclude {protocol!r}", "defence", "reports"))
    counts, users, together = None, 0, tells_together(protocol)
    for reports in read():
        pulse()
        more = protocol.support_counts(reports)
        counts = more if counts is None else counts + more
        users += len(reports)
        if together:
            sample.add(reports)
    if counts is None or not users:
        raise ScenarioError("must be at least one, got none", key="reports")
    if not tells_together(protocol):
        return heard_counts(protocol, counts, users, confidence)
    chains = tuple(grow_sets(protocol, sample.reports, pulse))
    if users > SAMPLED:
        chains = _promising(protocol, chains, confidence)
        seen = [np.zeros(chain.items.size, dtype=np.int64) for chain in chains]
        for reports in read():
            pulse()
            for total, chain in zip(seen, chains, strict=True):
                total += count_chain(protocol, reports, chain)
        chains = tuple(
            Chain(chain.items, total, chain.every)
            for chain, total in zip(chains, seen, strict=True)
        )
    floor = floor_of(protocol, chains, users, sizes_of(protocol), confidence)
    return Heard(counts, users, floor)


def heard_counts(
    protocol: PureProtocol, counts: Counts, users: int, confidence: float = 0.95
) -> Heard:
    """The counts of N reports, and the floor that counts alone prove."""
    return Heard(counts, users, floor_of_counts(protocol, counts, users, confidence))


def _promising(
    protocol: PureProtocol, chains: tuple[Chain, ...], confidence: float
) -> tuple[Chain, ...]:
    """The chains of each direction that would prove most if nothing else had been looked for."""
    rates = honest_rates(protocol, sizes_of(protocol))
    unpaid, kept = np.log(1 - confidence), list[Chain]()
    for every, rate in ((True, rates[0]), (False, rates[1])):

        def proves(chain: Chain, rate: Any = rate) -> int:
            least = least_fakes(chain.seen, SAMPLED, rate[: chain.items.size], unpaid)
            return int(least.max())

        some = [chain for chain in chains if chain.every == every]
        kept += sorted(some, key=proves, reverse=True)[:COUNTED]
    return tuple(kept)


@dataclass(frozen=True, eq=False)
class Claimed:
    """A claim in words, and the share of fakes that overturns it."""

    text: str
    overturning: Overturning


@dataclass(frozen=True, eq=False)
class Concluded:
    """What N reports tell if a share of them may be fake.

    labels : the names of d items. estimates : float64[d]. low, high : float64[d], the ends of
    intervals that cover whatever these fakes send. naive_low, naive_high : float64[d], those of
    intervals where nobody is fake. sharp : whether the first ones assume that all reports together
    look honest. confidence : of each interval, each bound and the floor. claims : those that were
    asked about. floor : how many are fake at least; None where no reports or counts tell it.
    misfit : what hardly any reports of the protocol say; None where they can be of it. overturned :
    the share that overturns another claim.
    """

    labels: tuple[str, ...]
    reports: int
    share: float
    estimates: Floats
    low: Floats
    high: Floats
    naive_low: Floats
    naive_high: Floats
    sharp: bool
    confidence: float
    claims: tuple[Claimed, ...] = ()
    floor: Floor | None = None
    misfit: Misfit | None = None
    overturned: Callable[[Claim], Overturning] = field(repr=False, kw_only=True)


def concluded(
    evidence: Evidence,
    share: float,
    *,
    labels: Sequence[str],
    claims: Sequence[str] = (),
    sharp: bool = False,
    confidence: float = 0.95,
    floor: Floor | None = None,
) -> Concluded:
    """The conclusions from what all reports or sums say of each item; raises ScenarioError.

    claims : in the words of `core.lab.claimed`.
    """
    names, estimates = tuple(labels), evidence.estimates

    def overturned(claim: Claim) -> Overturning:
        return overturning_share(
            claim, evidence.means, evidence.ballot, evidence.noise, confidence, evidence.quantile
        )

    half = evidence.halves(confidence)
    low, high = evidence.intervals(share, confidence, sharp)
    return Concluded(
        names, evidence.reports, share, estimates, low, high, estimates - half, estimates + half,
        sharp, confidence,
        tuple(Claimed(text, overturned(claim_of(text, names))) for text in claims),
        floor,
        evidence.misfit(),
        overturned=overturned,
    )  # fmt: skip
