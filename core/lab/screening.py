"""Reports of real users, screened: what independent honest reports hardly ever show.

The screens of pairs, sizes and repeats have false-alarm rates that are proved, whatever users hold.
Alarms and filters of scenarios are asked as well; how often alarms claim an attack is simulated, of
users as frequent as the estimates say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.pulse import Pulse, no_pulse
from ..base.sampling import Counts, Floats
from ..base.streams import stream
from ..defences import ALARMS, FILTERS, Received, asks_twice, known, project
from ..defences.floor import CertifiedFloor
from ..defences.itemsets import pair_counts, sizes_of, unpacked, users_in
from ..defences.pairs import Pairs, supported
from ..defences.suspects import MOST, Suspects, least_number, mended, suspects
from ..kernels.bits import binomial_threshold
from ..law.law import Ask, Law
from ..law.pure import BoolArray, Items, Reports, SeedSearch, Unbiased
from ..law.together import PairLaw, numbers, tells_together
from ..theory.sifted import paired
from .repeats import largest, likeliest, marks, often, too_many

CHANCE: Final = 0.001
"""The false-alarm rate of each screen that has a proof: of all together 0.003 at most."""

SHARE: Final = 0.01
"""The share of fakes, of MGA, that the power of a screen is told against."""

AIMED_AT: Final = 5
"""The targets of that attack, at most: the rarest items."""

DRAWN: Final = 2000
"""Crafted reports whose sizes and repeats are looked at, at most."""

TRIALS: Final = 200
"""Simulated collections of an alarm, at most: those of few items."""

CELLS: Final = 2**19
"""Items times trials that are simulated at once."""

HELD: Final = 2**25
"""Items times users up to which filters that need all reports at once are asked."""

Read = Callable[[], Iterator[Reports]]
"""Reads all reports from the start, a batch at a time."""


@dataclass(frozen=True)
class Screen:
    """The verdict of one screen.

    alarm : None where it claims nothing. false_alarm : its rate where nobody attacks, a bound where
    it is `proved`, else measured. power : its alarm rate against SHARE of MGA. cost : the share of
    honest reports that it drops where nobody attacks. None where it is not known.
    """

    kind: str
    alarm: bool | None
    false_alarm: float | None = None
    power: float | None = None
    cost: float | None = None
    proved: bool = False


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
class _Gathered:
    """All that is kept of the reports of a first reading."""

    protocol: Any
    users: int = 0
    single: Any = 0
    together: Any = 0
    sizes: Any = 0
    marks: list[Any] = field(default_factory=list)
    reports: list[Reports] | None = field(default_factory=list)

    def add(self, reports: Reports, pulse: Pulse) -> None:
        protocol, d = self.protocol, self.protocol.domain_size
        self.users += len(reports)
        if self.reports is not None:
            self.reports.append(reports)
            if self.users * d > HELD:
                self.reports = None
        if not tells_together(protocol):
            self.single = self.single + protocol.support_counts(reports)
            return
        columns = supported(protocol, reports)
        sizes = sizes_of(columns, len(reports))
        self.single = self.single + np.array([users_in(column) for column in columns])
        self.sizes = self.sizes + np.bincount(sizes, minlength=d + 1)
        self.marks.append(marks(protocol, reports))
        if d <= MOST:
            self.together = self.together + pair_counts(columns, np.arange(d), pulse)


def screened(read: Read, protocol: Unbiased, pulse: Pulse = no_pulse) -> Screened:
    """The verdicts of every screen; the reports are read twice where one names some of them."""
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
            screens.append(_proved("pairs", named.alarm, foe.pairs))
        screens += _sizes(seen, foe)
        repeats, repeated = _repeats(seen, foe)
        screens.append(repeats)
    screens += [*_alarms(foe, before), *_filters(seen, foe, pulse)]
    rows, after = np.flatnonzero(repeated), before
    if named.alarm:
        rows, after = _without(read, seen, named, repeated)
    return Screened(seen.users, tuple(screens), named, rows, before, after)


def _proved(kind: str, alarm: bool, power: Callable[[], float | None]) -> Screen:
    return Screen(kind, alarm, CHANCE, power(), CHANCE if kind == "pairs" else 0.0, proved=True)


@dataclass(frozen=True, eq=False)
class Foe:
    """SHARE of MGA among N reports, the others being of users as frequent as the estimates say."""

    protocol: Any
    users: int
    estimates: Floats

    @property
    def malicious(self) -> int:
        return max(1, round(self.users * SHARE))

    @property
    def frequencies(self) -> Floats:
        """float64[d], those that users can have."""
        nearest = project(self.estimates[None])[0]
        return np.asarray(nearest / nearest.sum())

    @property
    def ask(self) -> Ask:
        rarest = np.argsort(self.estimates, kind="stable")[: min(AIMED_AT, self.estimates.size - 1)]
        return Ask("crafted", np.sort(rarest), SeedSearch())

    def rng(self, kind: str) -> np.random.Generator:
        return stream(0, f"screen {kind} {self.protocol!r} {self.users}", "malicious")

    def pairs(self) -> float | None:
        """The power of the screen of pairs, by its closed form."""
        ask = self.ask
        law, r = self.protocol.known(ask).towards(), ask.targets.size
        if r < 2:
            return 0.0
        both = paired(r, law.target, law.variance)
        held, honest = self.frequencies[ask.targets], self.users - self.malicious
        step = Pairs(CHANCE)
        return step.power(self.protocol, held, 2 * law.target, both, honest, self.malicious)

    def crafted(self, rng: np.random.Generator, count: int) -> Reports:
        reports: Reports = self.protocol.known(self.ask).reports(count, rng)
        return reports

    def held(self, users: int, rng: np.random.Generator, trials: int) -> Counts:
        """int64[trials, d]: honest users of each item."""
        return np.asarray(rng.multinomial(users, self.frequencies, size=trials))


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

    def power() -> float:
        from scipy.special import ndtr

        made, m = foe.crafted(foe.rng("sizes"), min(foe.malicious, DRAWN)), foe.malicious
        ones = sizes_of(supported(protocol, made), len(made))
        fakes = np.bincount(ones, minlength=law.size) / len(made)
        mean = (users - m) * law + m * fakes
        noise = np.sqrt((users - m) * law * (1 - law) + m * fakes * (1 - fakes) + 1e-12)
        return float(ndtr((mean - limits + 0.5) / noise).max())

    return [_proved("sizes", bool((seen.sizes >= limits).any()), power)]


def _repeats(seen: _Gathered, foe: Foe) -> tuple[Screen, BoolArray]:
    """Reports, or seeds, that come too often, and bool[N], which reports these are."""
    every = np.concatenate(seen.marks)
    seen.marks.clear()
    limit = too_many(seen.users, likeliest(seen.protocol), CHANCE)
    over = often(every, limit)

    def power() -> float:
        made = foe.crafted(foe.rng("repeats"), min(foe.malicious, DRAWN))
        alike = largest(marks(seen.protocol, made))
        return float(alike > 1 and alike / len(made) * foe.malicious >= limit)

    kind = "seeds" if hasattr(seen.protocol, "seeds") else "rows"
    return _proved(kind, bool(over.size), power), np.isin(every, over)


def _alarms(foe: Foe, estimates: Floats) -> Iterator[Screen]:
    """The alarms of scenarios that read the estimates of one collection."""
    protocol, users = foe.protocol, foe.users
    about = known(protocol, users, np.empty(0, dtype=np.int64))
    trials = max(1, min(TRIALS, CELLS // protocol.domain_size))
    for kind, make in ALARMS.items():
        if getattr(make, "compares_rounds", False):
            continue
        step, rng = make(), foe.rng(kind)
        try:
            step.check(about)
        except ScenarioError:
            continue

        def rate(counts: Counts, step: Any = step) -> float:
            frequencies = protocol.estimates(counts, users).frequencies
            return float(step.alarmed(frequencies, about, None).mean())

        honest = protocol.sample_counts(foe.held(users, rng, trials), rng)
        fewer = protocol.sample_counts(foe.held(users - foe.malicious, rng, trials), rng)
        crafted = protocol.law_of(foe.ask)
        power = None
        if isinstance(crafted, Law):
            power = rate(fewer + crafted.counts(np.full(trials, foe.malicious), rng))
        alarm = bool(step.alarmed(estimates[None], about, None)[0])
        yield Screen(kind, alarm, rate(honest), power, 0.0)


def _filters(seen: _Gathered, foe: Foe, pulse: Pulse) -> Iterator[Screen]:
    """The other filters of scenarios that claim an attack or none, where all reports can be held.

    Their rates take a simulation of many collections (`ldptui run`) and are not told. The certified
    floor is `concluding`'s.
    """
    for kind, make in FILTERS.items():
        step = make()
        if (
            kind in (Pairs.kind, CertifiedFloor.kind)
            or asks_twice(step)
            or step.reads(seen.protocol) is not None
        ):
            continue
        alarm = None
        if seen.reports is not None:
            every = np.concatenate(seen.reports)
            alarm = step.sift(Received(seen.protocol, every, foe.rng(kind), pulse)).alarm
        yield Screen(kind, alarm)


def scores(protocol: Any, reports: Reports, items: Items) -> Items:
    """int64[n]: the number of suspicious items that each report supports."""
    columns = supported(protocol, reports)
    return np.asarray(
        sum((unpacked(columns[item], len(reports)) for item in items), np.zeros(len(reports), int))
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
    honest = mended(protocol, left, users, named.items, least) or (left, users)
    after = protocol.estimates(honest[0][None], honest[1]).frequencies[0]
    return np.flatnonzero((number >= least) | repeated), after
