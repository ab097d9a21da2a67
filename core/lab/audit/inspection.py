"""The audit of a client: rounds of reports, and what they say of ε, of its coins and of its law.

Half of the allowed error is the bound's on ε, a quarter that of the client's habits, a quarter that
of the agreement with the protocol that it claims to follow, so that all verdicts hold together.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.errors import RunError, ScenarioError, got
from ...law.pure import Items, Reports, Rng, is_pure
from .client import Answers, Client
from .coins import published
from .conformity import (
    Agreement,
    Bias,
    Interval,
    agreement,
    bias,
    coarse,
    kept_raw,
    other_rate,
    own_rate,
    repeats,
)
from .evidence import Claim, Evidence, joint_of, marks_of, watched_of
from .habits import HABITS, Habit, series_habits, starts_alike
from .lens import BLOCK, Lens
from .monte_carlo import FEW_REPORTS, epsilon_at_least
from .rounds import Bound, Event, bound, chosen, items_of_round, shares, sizes

Verdict = Literal["broken", "not-refuted", "proved"]

STARTS: Final = 3
"""Fresh starts whose reports are compared."""
AT_START: Final = 256
"""Reports of a fresh start, at most."""
COLUMNS: Final = 256
"""Numbers of a report that are looked at, at most, besides the items that it supports."""
OF_BOUND, OF_HABITS, OF_LAW = 0.5, 0.25, 0.25
"""The parts of the allowed error."""


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
    """What an audit is asked. proved : whether the promise is known to be kept in law."""

    samples: int
    confidence: float = 0.999
    seed: int = 0
    proved: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise ScenarioError(f"must be in (0, 1), {got(self.confidence)}", key="confidence")
        if self.samples < 1000:
            raise ScenarioError(f"must be at least 1000, {got(self.samples)}", key="samples")

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


Steps: TypeAlias = Generator[Progress, None, Inspection]


class Inspector:
    """One audit at work. `steps` runs it; `result` is what is known at any time."""

    def __init__(self, client: Client, claim: Claim, asked: Asked) -> None:
        self.client, self.claim, self.asked = client, claim, asked
        self.drawn, self.spent_s = 0, 0.0
        self.findings: list[Finding] = []
        self.bounds: list[Bound] = []
        self.starts: tuple[list[NDArray[np.uint64]], Items] | None = None
        self.seen: Evidence | None = None

    def rng(self, *place: int) -> Rng:
        """The random numbers of one part of the audit."""
        return np.random.default_rng(np.random.SeedSequence(self.asked.seed, spawn_key=place))

    @property
    def lower(self) -> float:
        return max((each.lower for each in self.bounds), default=0.0)

    @property
    def refuted(self) -> bool:
        return self.lower > self.claim.epsilon * (1 + 1e-9)

    @property
    def settled(self) -> bool:
        return self.refuted or any(finding.broken for finding in self.findings)

    def steps(self) -> Steps:
        """Audit the client until its verdict is settled, or its samples are used up.

        Yields its progress; raises RunError where the client does not work.
        """
        self._foretell()
        self._start_afresh()
        rounds = sizes(self.asked.samples - self.drawn)
        event: Event | None = None
        for number, (count, share) in enumerate(zip(rounds, shares(len(rounds)), strict=True)):
            yield from self._round(number, count, event)
            assert self.seen is not None
            if event is not None:
                self._test(event, share)
            self._look_at_habits(len(rounds))
            yield self._progress()
            if self.settled or self.drawn < sum(rounds[: number + 1]):
                break
            event = self._choose(event)
        return self.result()

    def _progress(self) -> Progress:
        return Progress(self.client.name, self.drawn, self.asked.samples, self.lower)

    # Reports.

    def _round(
        self, number: int, count: int, event: Event | None
    ) -> Generator[Progress, None, None]:
        """The reports of one round, from one start of the client."""
        rng = self.rng(1, number)
        items = items_of_round(count, self.claim.domain_size, event, rng)
        if self.seen is not None:
            self.seen.start_round(event)
        due = time.monotonic() + 0.2
        for some, reports in self._timed(self.client.answers(items, self.rng(2, number))):
            if self.seen is None:
                some, reports = self._begin(some, reports, count)
            self.seen.add(some, reports, rng)  # type: ignore[union-attr]
            if time.monotonic() > due:
                due = time.monotonic() + 0.2
                yield self._progress()
        if self.seen is None:
            raise RunError(f"{self.client.name} gives no reports")

    def _timed(self, answers: Answers) -> Answers:
        """The same, with the time that the client takes."""
        while True:
            started = time.monotonic()
            block = next(answers, None)
            self.spent_s += time.monotonic() - started
            if block is None:
                return
            self.drawn += len(block[0])
            yield block

    def _begin(self, items: Items, reports: Reports, count: int) -> tuple[Items, Reports]:
        """Fit the lens to the first reports, which are looked at no more; the others."""
        first = max(1, min(len(items), BLOCK, count // 2))
        claim = self.claim
        watched = watched_of(claim, items, reports)
        few = min(FEW_REPORTS, first // 8)
        lens = Lens.fitted([reports[:first]], claim.look(watched), few, COLUMNS)
        joint = None
        supports = claim.supports(reports[:first])
        if supports is not None and claim.sent is not None:
            joint = Lens.fitted([joint_of(items[:first], supports)], None, 0)
        self.seen = Evidence(claim, watched, lens, joint)
        return items[first:], reports[first:]

    # Tests.

    def _test(self, event: Event, share: float) -> None:
        """Test the event on the reports of this round."""
        assert self.seen is not None
        hits, of = self.seen.hits, self.seen.of
        error = OF_BOUND * self.asked.error * share
        found = bound(self.seen.lens, event, (hits[0], hits[1]), (of[0], of[1]), error, self.drawn)
        if found is not None:
            self.bounds.append(found)

    def _choose(self, now: Event | None) -> Event | None:
        assert self.seen is not None
        if not self.seen.kept:
            return now
        rows, codes = self.seen.kept_codes
        return chosen(self.seen.lens, self.seen.watched, self.seen.table, codes, rows, now) or now

    def _foretell(self) -> None:
        """Watch whether a client in Python publishes the raw output of a generator."""
        if self.client.foretells is None:
            return
        coins = published(self.client.foretells(), self.claim.domain_size)
        if coins is not None:
            self._found(
                "raw generator",
                f"{coins.column} is the raw output of {coins.generator}, in order: its state, and "
                "then every user's coins, follow from some hundred bytes",
                True,
            )

    def _start_afresh(self) -> None:
        """Start the client a few times with the same items."""
        if self.client.start is None:
            return
        count = min(AT_START, self.asked.samples // 16)
        items = np.arange(count) % self.claim.domain_size
        marks = []
        for at in range(STARTS):
            started = time.monotonic()
            marks.append(marks_of(self.client.start(items, self.rng(3, at))))
            self.spent_s += time.monotonic() - started
            self.drawn += count
        self.starts = marks, items

    def _look_at_habits(self, rounds: int) -> None:
        """Test the coins of this round's reports; every round has the same share of the error."""
        assert self.seen is not None
        error = OF_HABITS * self.asked.error / HABITS / rounds
        habits: list[Habit] = []
        if self.starts is not None:
            habits.append(starts_alike(*self.starts, self.seen.series, error))
        if self.client.ordered:
            habits += series_habits(self.seen.series)
        known = {finding.kind for finding in self.findings}
        for habit in habits:
            if habit.p_value < error and habit.kind not in known:
                self._found(habit.kind, habit.told, True)

    def _found(self, kind: str, text: str, broken: bool) -> None:
        self.findings.append(Finding(kind, text, broken, self.drawn))

    # The result.

    def result(self, whole: bool = True) -> Inspection:
        """What is known by now."""
        seen, claim = self.seen, self.claim
        best = max(self.bounds, key=lambda each: each.lower, default=None)
        made = Inspection(
            self.client.name, "not-refuted", self.lower, self.asked.confidence, self.drawn, None,
            (), best, tuple(self.bounds), whole=whole, seen=seen,
            speed=self.drawn / self.spent_s if self.spent_s > 0 else math.inf,
        )  # fmt: skip
        if seen is not None:
            k = seen.watched.size
            made = replace(made, pairs=k * (k - 1), events=seen.lens.width)
            made = self._with_law(made, seen)
        if best is not None and self.refuted:
            self.findings.insert(0, _refutation(best, claim.epsilon, self.asked.confidence))
        broken = any(finding.broken for finding in self.findings)
        verdict: Verdict = "broken" if broken else "proved" if self.asked.proved else "not-refuted"
        return replace(made, verdict=verdict, findings=tuple(self.findings))

    def _with_law(self, made: Inspection, seen: Evidence) -> Inspection:
        """With what the supports say, and the agreement with the protocol."""
        claim, error = self.claim, OF_LAW * self.asked.error
        if claim.sent is not None and seen.compared:
            agrees = agreement(seen)
            conforms = agrees.p_value >= error / 2
            made = replace(made, agrees=agrees, conforms=conforms)
        again = repeats(seen, error / 8)
        if again is not None:
            what = "hash seeds come" if again.seeds else "reports come"
            text = f"its {what} again: {again.alike} of {again.of} reports have one"
            self._found("repeats", text, False)
            made = replace(made, conforms=False)
        supported = seen.supported
        if not supported.reports:
            return made
        half = error * 3 / 32
        low = float(epsilon_at_least(supported.right, supported.wrong, supported.reports, 1 - half))
        ratio = supported.right / max(supported.wrong, 1)
        made = replace(made, average_low=low, average=math.log(ratio) if ratio > 0 else 0.0)
        protocol = claim.protocol
        if not is_pure(protocol) or (protocol.supports(seen.raw[0][1]) < 0).any():
            return made  # reports that speak against items have other p and q
        p, q = (
            own_rate(supported, protocol.p, half / 2),
            other_rate(supported, protocol.q, half / 2),
        )
        away = bias(supported, protocol.p, protocol.q, half)
        if away.found:
            made = replace(made, conforms=False)
        self._tell_of_supports(p, q, away, half)
        return replace(made, rates=(p, q), worst_bias=away)

    def _tell_of_supports(self, p: Interval, q: Interval, away: Bias, error: float) -> None:
        assert self.seen is not None
        supported, told = self.seen.supported, p.told
        raw = kept_raw(supported, told or 0.0, error)
        for item in raw[:4]:
            self._found(
                "never perturbed",
                f"item {item} is never perturbed: all {supported.held[item]} of its reports "
                f"support it (p is {told:.4g}); the average over all items hides that",
                False,
            )
        for rate, name in ((p, "p"), (q, "q")):
            if rate.told is not None and not rate.low <= rate.told <= rate.high:
                self._found(
                    f"other {name}",
                    f"{name} is in [{rate.low:.5g}, {rate.high:.5g}], told {rate.told:.5g}",
                    False,
                )
        of = coarse(p, q)
        if of is not None:
            self._found(
                "coarse coins",
                f"its chances are multiples of 1/{of}: {round(p.value * of)}/{of} and "
                f"{round(q.value * of)}/{of}, as those of coins with few random bits",
                False,
            )
        if away.found:
            self._found(
                "bias",
                f"the estimate of item {away.item} is off by {away.value:+.4g} "
                f"({away.low:+.4g} … {away.high:+.4g})",
                False,
            )


def _refutation(best: Bound, promised: float, confidence: float) -> Finding:
    text = (
        f"ε is at least {best.lower:.4g}, and {promised:.4g} was promised (confidence "
        f"{confidence:g}): {best.event}, in {best.hits[0]} of {best.of[0]} reports of item "
        f"{best.first} and {best.hits[1]} of {best.of[1]} of item {best.second}"
    )
    return Finding("epsilon", text, True, best.samples)
