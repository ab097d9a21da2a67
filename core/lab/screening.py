"""Reports of real users, screened: what independent honest reports hardly ever show.

The screens of pairs, sizes and repeats have false-alarm rates that are proved, whatever users hold.
Alarms and filters of scenarios are asked as well, about estimates and about as many reports as can
be held; their rates are simulated, of users as frequent as the estimates say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.pulse import Pulse, no_pulse
from ..base.sampling import Floats
from ..defences import ALARMS, FILTERS, Received, known
from ..defences.floor import CertifiedFloor
from ..defences.itemsets import pair_counts, report_columns, sizes_of, unpack_bits, users_in
from ..defences.pairs import Pairs
from ..defences.suspects import MOST, Suspects, least_number, restore_counts, suspects
from ..kernels.bits import binomial_threshold
from ..law.moments import Unbiased
from ..law.pure import BoolArray, Items, Reports
from ..law.together import PairLaw, numbers, tells_together
from ..protocols.hashing import LocalHashing
from ..theory.defended import paired
from .defending import SIFTED, Foe, Rates, of_alarm, of_filter, trials_of
from .repeats import largest, likeliest, marks, often, too_many

CHANCE: Final = 0.001
"""The false-alarm rate of each screen that has a proof: of all together 0.003 at most."""

DRAWN: Final = 2000
"""Crafted reports whose sizes and repeats are looked at, at most."""

HELD: Final = 2**25
"""Items times users that filters are asked about, which need all reports at once: of more users
every second, fourth, … report is a part that filters are asked about."""

Read = Callable[[], Iterator[Reports]]
"""Reads all reports from the start, a batch at a time."""


@dataclass(frozen=True)
class Screen:
    """The verdict of one screen.

    alarm : None where it claims nothing. users : the reports that it was asked about.
    false_alarm : its rate where nobody attacks, a bound where it is `proved`, else measured.
    power : its alarm rate against SHARE of MGA. cost : the share of honest reports that it drops
    where nobody attacks. None where it is not known.
    rates : the simulated collections that the last three were measured on; None where they are
    proved, or in closed form, or were not asked for.
    """

    kind: str
    alarm: bool | None
    users: int
    false_alarm: float | None = None
    power: float | None = None
    cost: float | None = None
    proved: bool = False
    rates: Rates | None = None

    @classmethod
    def measured(cls, kind: str, alarm: bool | None, users: int, rates: Rates | None) -> Screen:
        """One whose rates were simulated."""
        if rates is None:
            return cls(kind, alarm, users)
        false, power = (
            None if alarms is None else alarms / rates.trials
            for alarms in (rates.false_alarms, rates.alarms)
        )
        return cls(kind, alarm, users, false, power, rates.cost.mean, rates=rates)


@dataclass(frozen=True, eq=False)
class Screened:
    """The verdicts on N reports, and what they name.

    suspects : the pairs and items. rows : int64[k], the suspicious reports by their place. before,
    after : float64[d], the estimates from all reports and without those.
    """

    users: int
    screens: tuple[Screen, ...]
    suspects: Suspects
    rows: Items
    before: Floats
    after: Floats

    @property
    def alarm(self) -> bool:
        """Whether any screen alarms whose false-alarm rate is proved."""
        return any(bool(each.alarm) for each in self.screens if each.proved)


@dataclass(eq=False)
class Part:
    """At most this number of the reports that come by: all, or every second, every fourth, …"""

    most: int
    every: int = 1
    seen: int = 0
    held: list[Reports] = field(default_factory=list)

    def add(self, reports: Reports) -> None:
        """Take in some reports."""
        if not self.most:
            return
        first = -self.seen % self.every
        self.held.append(reports if self.every == 1 else reports[first :: self.every].copy())
        self.seen += len(reports)
        while sum(map(len, self.held)) > self.most:
            self.held = [np.concatenate(self.held)[::2].copy()]
            self.every *= 2

    @property
    def reports(self) -> Reports:
        return np.concatenate(self.held)


@dataclass(eq=False)
class _Gathered:
    """All that is kept of the reports of a first reading."""

    protocol: Any
    users: int = 0
    single: Any = 0
    together: Any = 0
    sizes: Any = 0
    marks: list[Any] = field(default_factory=list)
    part: Part = field(init=False)

    def __post_init__(self) -> None:
        self.part = Part(HELD // self.protocol.domain_size)

    def add(self, reports: Reports, pulse: Pulse) -> None:
        protocol, d = self.protocol, self.protocol.domain_size
        self.users += len(reports)
        self.part.add(reports)
        if not tells_together(protocol):
            self.single = self.single + protocol.support_counts(reports)
            return
        columns = report_columns(protocol, reports)
        sizes = sizes_of(columns, len(reports))
        self.single = self.single + np.array([users_in(column) for column in columns])
        self.sizes = self.sizes + np.bincount(sizes, minlength=d + 1)
        self.marks.append(marks(protocol, reports))
        if d <= MOST:
            self.together = self.together + pair_counts(columns, np.arange(d), pulse)


def memory(protocol: Any, users: int) -> int:
    """The bytes that screening N reports needs beyond a batch of them, about.

    A mark of each report is kept, twice while they are put in one array and sorted, its number of
    suspicious items and whether it comes too often; and the support of all pairs.
    """
    if not tells_together(protocol):
        return 0
    mark, d = 4 if isinstance(protocol, LocalHashing) else 8, protocol.domain_size
    return users * (3 * mark + 13) + (40 * d**2 if d <= MOST else 0)


def screened(
    read: Read, protocol: Unbiased, pulse: Pulse = no_pulse, trials: int = SIFTED
) -> Screened:
    """The verdicts of every screen; the reports are read twice where one names some of them.

    trials : the simulated collections of each filter, of each sort, at most; 0 for none.
    """
    seen = _Gathered(protocol)
    for reports in read():
        pulse()
        seen.add(reports, pulse)
    if not seen.users:
        raise ScenarioError("must be at least one, got none", key="reports")
    before = protocol.estimates(seen.single[None], seen.users).frequencies[0]
    foe = Foe(protocol, seen.users, before)
    named, repeated, screens = Suspects.none(), np.zeros(seen.users, dtype=np.bool_), []
    if tells_together(protocol):
        if protocol.domain_size <= MOST:
            law, every = PairLaw.of(protocol), np.arange(protocol.domain_size)
            named = suspects(law, seen.single, every, seen.together, seen.users, CHANCE)
            screens.append(_proved("pairs", named.alarm, foe, _pair_power))
        screens += _sizes(seen, foe)
        repeats, repeated = _repeats(seen, foe)
        screens.append(repeats)
    screens += [*_alarms(foe, before), *_filters(seen, before, trials, pulse)]
    rows, after = np.flatnonzero(repeated), before
    if named.alarm:
        rows, after = _without(read, seen, named, repeated)
    return Screened(seen.users, tuple(screens), named, rows, before, after)


def _proved(kind: str, alarm: bool, foe: Foe, power: Callable[[Foe], float]) -> Screen:
    cost = 0.0 if kind == "sizes" else CHANCE
    return Screen(kind, alarm, foe.users, CHANCE, power(foe), cost, proved=True)


def _pair_power(foe: Foe) -> float:
    """The power of the screen of pairs, by its closed form."""
    ask = foe.ask
    law, r = foe.protocol.find_law(ask).towards(), ask.targets.size
    if r < 2:
        return 0.0
    both = paired(r, law.target, law.variance)
    held, honest = foe.frequencies[ask.targets], foe.users - foe.malicious
    step = Pairs(CHANCE)
    return step.power(foe.protocol, held, 2 * law.target, both, honest, foe.malicious)


def _sizes(seen: _Gathered, foe: Foe) -> list[Screen]:
    """Numbers of supported items that more reports have than honest ones would: exact tails.

    The law of that number does not depend on the user's item.
    """
    protocol, users = seen.protocol, seen.users
    law = numbers(protocol, protocol.domain_size, held=True)
    if law.max() > 1 - 1e-12:
        return []
    chance = CHANCE / law.size
    limits = np.array([binomial_threshold(users, rate, chance) for rate in law])

    def power(foe: Foe) -> float:
        from scipy.special import ndtr

        made, m = foe.crafted(foe.rng("sizes"), min(foe.malicious, DRAWN)), foe.malicious
        ones = sizes_of(report_columns(protocol, made), len(made))
        fakes = np.bincount(ones, minlength=law.size) / len(made)
        mean = (users - m) * law + m * fakes
        noise = np.sqrt((users - m) * law * (1 - law) + m * fakes * (1 - fakes) + 1e-12)
        return float(ndtr((mean - limits + 0.5) / noise).max())

    return [_proved("sizes", bool((seen.sizes >= limits).any()), foe, power)]


def _repeats(seen: _Gathered, foe: Foe) -> tuple[Screen, BoolArray]:
    """Reports, or seeds, that come too often, and bool[N], which reports these are."""
    every = np.concatenate(seen.marks)
    seen.marks.clear()
    limit = too_many(seen.users, likeliest(seen.protocol), CHANCE)
    over = often(every, limit)

    def power(foe: Foe) -> float:
        made = foe.crafted(foe.rng("repeats"), min(foe.malicious, DRAWN))
        alike = largest(marks(seen.protocol, made))
        return float(alike > 1 and alike / len(made) * foe.malicious >= limit)

    kind = "seeds" if isinstance(seen.protocol, LocalHashing) else "rows"
    return _proved(kind, bool(over.size), foe, power), np.isin(every, over)


def _alarms(foe: Foe, estimates: Floats) -> Iterator[Screen]:
    """The alarms of scenarios that read the estimates of one collection."""
    about = known(foe.protocol, foe.users, np.empty(0, dtype=np.int64))
    for kind, make in ALARMS.items():
        step = make()
        try:
            step.check(about)
        except ScenarioError:
            continue
        claim = step.alarmed(estimates[None], about)
        if claim is not None:
            yield Screen.measured(kind, bool(claim[0]), foe.users, of_alarm(step, foe))


def _filters(seen: _Gathered, estimates: Floats, trials: int, pulse: Pulse) -> Iterator[Screen]:
    """The other filters of scenarios, asked about as many reports as can be held.

    The certified floor is `concluding`'s.
    """
    protocol, part = seen.protocol, seen.part
    if not part.held:
        return
    reports = part.reports
    foe = Foe(protocol, len(reports), estimates)
    for kind, make in FILTERS.items():
        step = make()
        if (
            kind in (Pairs.kind, CertifiedFloor.kind)
            or step.asks_twice
            or step.reads(protocol) is not None
        ):
            continue
        alarm = step.sift(Received(protocol, reports, foe.rng(kind), pulse)).alarm
        many = trials_of(foe, trials)
        rates = of_filter(step, foe, many, pulse) if many else None
        yield Screen.measured(kind, alarm, foe.users, rates)


def scores(protocol: Any, reports: Reports, items: Items) -> Items:
    """int64[n]: the number of suspicious items that each report supports."""
    columns = report_columns(protocol, reports)
    return np.asarray(
        sum(
            (unpack_bits(columns[item], len(reports)) for item in items),
            np.zeros(len(reports), int),
        )
    )


def _without(
    read: Read, seen: _Gathered, named: Suspects, repeated: BoolArray
) -> tuple[Items, Floats]:
    """The suspicious reports, and the estimates without those that the pairs tell."""
    protocol, r, at = seen.protocol, named.items.size, 0
    number, support = np.zeros(seen.users, dtype=np.int32), np.zeros((r + 1, seen.single.size), int)
    for reports in read():
        mine = scores(protocol, reports, named.items)
        number[at : at + len(mine)] = mine
        for k in np.unique(mine[mine > 1]).tolist():
            support[k] += protocol.support_counts(reports[mine == k])
        at += len(mine)
    least = least_number(protocol, np.bincount(number, minlength=r + 1))
    left, users = seen.single - support[least:].sum(axis=0), int((number < least).sum())
    honest = restore_counts(protocol, left, users, named.items, least) or (left, users)
    after = protocol.estimates(honest[0][None], honest[1]).frequencies[0]
    return np.flatnonzero((number >= least) | repeated), after
