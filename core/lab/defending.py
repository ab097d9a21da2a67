"""Steps of the server at work: filters on the reports of real users, and the rates of all steps.

The rates, where nobody attacks and where a few do, are measured on simulated collections. A filter
is asked about reports, as many as it was asked about in truth. An alarm or a correction is asked
about estimates, so that the number of users costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..base.errors import DefenceError
from ..base.pulse import Pulse
from ..base.sampling import Counts, Floats
from ..base.streams import stream
from ..base.summary import Estimate
from ..defences import Alarm, Correction, Filter, Received, Verdict, given_the_rest, known, project
from ..law.law import Ask, Law
from ..law.pure import BoolArray, Items, Reports, Rng, SeedSearch


@dataclass(frozen=True, eq=False)
class Left:
    """The reports of N that filters, one after the other, leave.

    kept : bool[N], the reports that stay. told : whether any filter tells fakes at all.
    verdicts : one a filter, about the reports that those before it kept. dropped : the reports
    that each of them dropped. users : the reports behind the estimates.
    frequencies : float64[d], the estimates from these; None where no report is left.
    named : the items that the last filter which names any takes for targets.
    """

    kept: BoolArray
    told: bool
    verdicts: tuple[Verdict, ...]
    dropped: tuple[int, ...]
    users: int
    frequencies: Floats | None
    named: Items

    @property
    def alarm(self) -> bool | None:
        """True where a filter claims an attack; None where none of the filters can tell."""
        claims = [each.alarm for each in self.verdicts if each.alarm is not None]
        return any(claims) if claims else None


def left_of(
    steps: Sequence[Filter], protocol: Any, reports: Reports, rng: Rng, pulse: Pulse
) -> Left:
    """The reports that these filters leave."""
    kept = np.ones(len(reports), dtype=np.bool_)
    verdicts, dropped = list[Verdict](), list[int]()
    removed: Any = 0
    for step in steps:
        here = reports[kept] if dropped and any(dropped) else reports
        verdict = step.sift(Received(protocol, here, rng, pulse))
        before = int(kept.sum())
        if verdict.kept is not None:
            kept[np.flatnonzero(kept)[~verdict.kept]] = False
        removed = removed + (0 if verdict.removed is None else verdict.removed)
        verdicts.append(verdict)
        dropped.append(before - int(kept.sum()))
    users = int(kept.sum()) - sum(each.fewer for each in verdicts)
    told = any(each.kept is not None for each in verdicts)
    names = [each.named for each in verdicts if each.named.size]
    named = names[-1] if names else np.empty(0, dtype=np.int64)
    values = None
    if users > 0:
        counts = protocol.support_counts(reports if kept.all() else reports[kept]) - removed
        values = given_the_rest(protocol.estimates(counts[None], users).frequencies[0], named)
    return Left(kept, told, tuple(verdicts), tuple(dropped), users, values, named)


SHARE: Final = 0.01
"""The share of fakes, of MGA, that the power of a step is told against."""

AIMED_AT: Final = 5
"""The targets of that attack, at most: the rarest items."""

TRIALS: Final = 200
"""Simulated collections of a step that reads estimates, at most: those of few items."""

CELLS: Final = 2**19
"""Items times such collections, at most."""

SIFTED: Final = 20
"""Simulated collections of a filter, of each sort."""

MOST_TRIALS: Final = 10_000
"""Simulated collections of a filter that a caller may ask for, at most."""

WORK: Final = 2**27
"""Items times users of SIFTED collections of a filter at most, about; of more in proportion."""

FEWEST: Final = 5
"""Collections of a filter at least, however large they are, unless fewer are asked for."""


@dataclass(frozen=True)
class Rates:
    """The doings of one step on simulated collections of `users` reports each.

    trials : the collections of each sort: without an attack, and with SHARE of MGA.
    false_alarms, alarms : the collections without and with it that the step alarms about. None
        for a step that claims no attack, and alarms where the protocol has no such attack.
    cost : the share of honest reports that it drops where nobody attacks.
    error : the mean squared error of the estimates after it where nobody attacks, in parts of that
        without it; estimates that it leaves no report for are 0.
    caught : the share of the fakes that it drops; of a step that drops none and names items, the
        share of the collections in which it names a target. None where it does neither.
    """

    users: int
    trials: int
    false_alarms: int | None
    alarms: int | None
    cost: Estimate
    error: Estimate
    caught: Estimate | None = None


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

    @property
    def law(self) -> Law | None:
        """The law of a fake's report; None where the protocol has no such attack."""
        law = self.protocol.law_of(self.ask)
        return law if isinstance(law, Law) else None

    def rng(self, kind: str) -> np.random.Generator:
        return stream(0, f"screen {kind} {self.protocol!r} {self.users}", "malicious")

    def crafted(self, rng: np.random.Generator, count: int) -> Reports:
        reports: Reports = self.protocol.find_law(self.ask).reports(count, rng)
        return reports

    def held(self, users: int, rng: np.random.Generator, trials: int) -> Counts:
        """int64[trials, d]: honest users of each item."""
        return np.asarray(rng.multinomial(users, self.frequencies, size=trials))

    def honest(self, held: Counts, rng: np.random.Generator) -> Reports:
        """The reports of users who hold each item, int64[d]."""
        reports: Reports = self.protocol.perturb(np.repeat(np.arange(held.size), held), rng)
        return reports


def mean_of(values: Floats) -> Estimate:
    """The mean of one value a trial, with its standard error; none of one trial."""
    error = float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else None
    return Estimate(float(values.mean()), error, None)


def ratio_of(after: Floats, before: Floats) -> Estimate:
    """The sum of `after` in parts of that of `before`, both a value a trial, paired.

    Its standard error is that of a ratio estimate, to first order.
    """
    ratio = float(after.sum() / before.sum())
    apart = after - ratio * before
    trials = after.size
    error = math.sqrt(float(apart @ apart) * trials / (trials - 1)) if trials > 1 else None
    return Estimate(ratio, None if error is None else error / float(before.sum()), None)


def trials_of(foe: Foe, most: int) -> int:
    """The collections of a filter, of each sort: fewer where they are large, `most` at most."""
    work = WORK * most // SIFTED
    return min(most, max(FEWEST, work // (foe.users * foe.estimates.size)))


def of_filter(step: Filter, foe: Foe, trials: int, pulse: Pulse) -> Rates:
    """The rates of a filter, by as many collections of reports of each sort."""
    protocol, rng, crafted = foe.protocol, foe.rng(f"{step!r}"), foe.law
    squares, dropped = np.empty((2, trials)), np.empty(trials)
    false_alarms, alarms, caught = list[bool | None](), list[bool | None](), list[float]()
    for trial, held in enumerate(foe.held(foe.users, rng, trials)):
        reports = rng.permutation(foe.honest(held, rng))
        left = left_of([step], protocol, reports, rng, pulse)
        false_alarms.append(left.alarm)
        dropped[trial] = 1 - left.kept.mean()
        plain = protocol.estimates(protocol.support_counts(reports)[None], foe.users)
        truth = held / foe.users
        after = np.zeros(truth.size) if left.frequencies is None else left.frequencies
        squares[0, trial] = ((after - truth) ** 2).mean()
        squares[1, trial] = ((plain.frequencies[0] - truth) ** 2).mean()
    targets = foe.ask.targets
    for held in () if crafted is None else foe.held(foe.users - foe.malicious, rng, trials):
        fakes = crafted.reports(foe.malicious, rng)  # type: ignore[union-attr]
        place = rng.permutation(foe.users)
        reports = np.concatenate([foe.honest(held, rng), fakes])[place]
        left = left_of([step], protocol, reports, rng, pulse)
        alarms.append(left.alarm)
        fake = place >= foe.users - foe.malicious
        if left.told:
            caught.append(float(1 - left.kept[fake].mean()))
        elif left.named.size:
            caught.append(float(np.isin(left.named, targets).all()))
    return Rates(
        foe.users,
        trials,
        _claims(false_alarms),
        _claims(alarms),
        mean_of(dropped),
        ratio_of(*squares),
        mean_of(np.array(caught)) if caught else None,
    )


def _claims(alarms: list[bool | None]) -> int | None:
    """The number of alarms; None without a claim."""
    claimed = [each for each in alarms if each is not None]
    return sum(claimed) if claimed else None


def simulated(foe: Foe) -> int:
    """The collections of a step that reads estimates."""
    return max(1, min(TRIALS, CELLS // foe.estimates.size))


def of_alarm(step: Alarm, foe: Foe) -> Rates:
    """The rates of an alarm, by counts of N users."""
    protocol, users, rng, crafted = foe.protocol, foe.users, foe.rng(step.kind), foe.law
    about, trials = known(protocol, users, np.empty(0, dtype=np.int64)), simulated(foe)

    def alarms(counts: Counts) -> int:
        claimed = step.alarmed(protocol.estimates(counts, users).frequencies, about)
        return int(np.asarray(claimed).sum())

    honest = protocol.sample_counts(foe.held(users, rng, trials), rng)
    fewer = protocol.sample_counts(foe.held(users - foe.malicious, rng, trials), rng)
    attacked = None
    if crafted is not None:
        attacked = alarms(fewer + crafted.counts(np.full(trials, foe.malicious), rng))
    nothing = Estimate(0.0, 0.0, None)
    return Rates(users, trials, alarms(honest), attacked, nothing, Estimate(1.0, 0.0, None))


def of_correction(step: Correction, foe: Foe, most: int) -> Rates | None:
    """The rates of a correction, by counts of N users: it drops nobody and claims nothing.

    most : collections. None where it leaves nothing of the estimates of one of them.
    """
    protocol, users, rng = foe.protocol, foe.users, foe.rng(f"{step!r}")
    trials = min(most, simulated(foe))
    held = foe.held(users, rng, trials)
    before = protocol.estimates(protocol.sample_counts(held, rng), users).frequencies
    about = known(protocol, users, np.empty(0, dtype=np.int64))
    try:
        after = step.correct(before.copy(), about)
    except DefenceError:
        return None
    squares = [((made - held / users) ** 2).mean(axis=1) for made in (after, before)]
    nothing = Estimate(0.0, 0.0, None)
    return Rates(users, trials, None, None, nothing, ratio_of(*squares))
