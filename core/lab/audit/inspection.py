"""The audit of a client: rounds of reports, and what they say of ε, of its coins and of its law.

Half of the allowed error is that of the bounds on ε, a quarter that of the client's habits, and a
quarter that of its law, so that all verdicts hold together.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.errors import RunError
from ...law.pure import Items, Reports, Rng
from ..repeats import marks_of
from .client import Answers, Client
from .coins import published
from .evidence import (
    COPIES,
    REFERENCE,
    Claim,
    Evidence,
    joint_of,
    supporting_of,
    watched_of,
)
from .found import Asked, Finding, Inspection, Progress
from .habits import HABITS, Habit, series_habits, starts_alike
from .lens import Lens
from .monte_carlo import FEW_REPORTS
from .rounds import (
    OF_BOUND,
    OF_HABITS,
    STARTS,
    Bound,
    Event,
    at_start,
    bound,
    chosen,
    fitting,
    items_of_round,
    looks,
    others_of,
    shares,
    sizes,
)
from .verdict import concluded, exceeds

COLUMNS: Final = 256
"""Numbers of a report that are looked at, at most, besides the items that it supports."""
OFTEN_S: Final = 0.2
"""Seconds between two words about the progress of a round."""

Steps: TypeAlias = Generator[Progress, None, Inspection]


class Inspector:
    """One audit at work. `steps` runs it; `result` is what is known at any time.

    Wherever `steps` yields, its state is whole: `ldptui.core.lab.audit.checkpoint` keeps it, and an
    inspector that got it back goes on with the same draws.

    sizes : the reports of each round; none before the client was started. number, answered : the
    round at work, and its items that have been answered. event : what the round tests. rngs : of
    the audit, and of the client in Python, in this round. ended : whether no round is left.
    """

    def __init__(self, client: Client, claim: Claim, asked: Asked) -> None:
        self.client, self.claim, self.asked = client, claim, asked
        self.drawn, self.spent_s = 0, 0.0
        self.findings: list[Finding] = []
        self.bounds: list[Bound] = []
        self.starts: tuple[list[NDArray[np.uint64]], Items] | None = None
        self.seen: Evidence | None = None
        self.sizes: list[int] = []
        self.number, self.answered = 0, 0
        self.event: Event | None = None
        self.rngs = self._rngs()
        self.ended = False

    def rng(self, *place: int) -> Rng:
        """The random numbers of one part of the audit."""
        return np.random.default_rng(np.random.SeedSequence(self.asked.seed, spawn_key=place))

    def _rngs(self) -> tuple[Rng, Rng]:
        return self.rng(6, self.number), self.rng(2, self.number)

    @property
    def lower(self) -> float:
        return max((each.lower for each in self.bounds), default=0.0)

    @property
    def settled(self) -> bool:
        refuted = exceeds(self.lower, self.claim.epsilon)
        return refuted or any(finding.broken for finding in self.findings)

    def steps(self) -> Steps:
        """Audit the client until its verdict is settled, or its samples are used up.

        Yields its progress; raises RunError where the client does not work.
        """
        if not self.sizes:
            self._foretell()
            self._start_afresh()
            self.sizes = sizes(self.asked.samples - self.drawn)
        elif self.client.held is not None:  # reports that are given: those before were looked at
            for _ in self.client.answers(np.zeros(self.drawn, dtype=np.int64), self.rngs[1]):
                pass
        while not self.ended:
            yield from self._round()
            self._end_round()
            yield self._progress()
        return self.result()

    def result(self, whole: bool = True) -> Inspection:
        """The inspection as far as it has come."""
        speed = self.drawn / self.spent_s if self.spent_s > 0 else math.inf
        made = Inspection(
            self.client.name, "not-refuted", 0.0, self.asked.confidence, self.drawn, None,
            tuple(self.findings), speed=speed, whole=whole,
        )  # fmt: skip
        look = looks(len(self.sizes))[self.number] if self.sizes else 1.0
        return concluded(made, self.asked, self.claim, self.bounds, self.seen, look)

    def _progress(self) -> Progress:
        return Progress(self.client.name, self.drawn, self.asked.samples, self.lower)

    # Reports.

    def _round(self) -> Generator[Progress, None, None]:
        """The reports of one round that are left, from one start of the client."""
        number, count = self.number, self.sizes[self.number]
        if not self.answered:
            self.rngs = self._rngs()
            if self.seen is not None:
                self.seen.start_round(self.event)
        items, others = items_of_round(
            count, self.claim.domain_size, self.event, self.rng(1, number)
        )
        due = time.monotonic() + OFTEN_S
        answers = self.client.answers(items[self.answered :], self.rngs[1])
        if self.seen is None:
            answers = _gathered(answers, fitting(count))
        for some, reports in self._timed(answers):
            if self.client.held is None:
                beside = others[self.answered : self.answered + len(some)]
            else:
                beside = others_of(some, self.client.held, self.rngs[0])
            at = 0 if self.seen is not None else self._begin(some, reports, count)
            assert self.seen is not None
            self.seen.add(some[at:], beside[at:], reports[at:], self.rngs[0])
            self.answered += len(some)
            if time.monotonic() > due:
                due = time.monotonic() + OFTEN_S
                yield self._progress()
        if self.seen is None:
            raise RunError(f"{self.client.name} gives no reports")

    def _end_round(self) -> None:
        """Test what this round shows, and choose what the next one tests."""
        rounds = len(self.sizes)
        if self.event is not None:
            self._test(self.event, shares(rounds)[self.number])
        self._look_at_habits(rounds)
        given_out = self.answered < self.sizes[self.number]
        self.ended = self.settled or given_out or self.number + 1 == rounds
        if not self.ended:
            self.event = self._choose(self.event)
            self.number, self.answered = self.number + 1, 0

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

    def _begin(self, items: Items, reports: Reports, count: int) -> int:
        """Fit the lens to the first reports, which are looked at no more; returns their number."""
        first = min(len(items), fitting(count))
        claim = self.claim
        watched = watched_of(claim, items, reports)
        few = min(FEW_REPORTS, first // 8)
        lens = Lens.fitted([reports[:first]], claim.look(watched), few, COLUMNS)
        joint = None
        said = claim.says(reports[:first])
        if said is not None and claim.sent is not None:
            joint = Lens.fitted([joint_of(items[:first], said > 0)], None, 0)
        supporting = None
        if said is not None:
            supporting = supporting_of(claim, watched, lens, reports[:first], said)
        copies = max(1, min(COPIES, REFERENCE // self.asked.samples))
        self.seen = Evidence(claim, watched, lens, joint, supporting, copies)
        return first

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
        seen, (rows, codes) = self.seen, self.seen.kept_codes
        best = chosen(seen.lens, seen.watched, seen.table, codes, rows, now, seen.supporting)
        return best or now

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
        count = at_start(self.asked.samples)
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
        if self.client.held is None:
            habits += series_habits(self.seen.series)
        known = {finding.kind for finding in self.findings}
        for habit in habits:
            if habit.p_value < error and habit.kind not in known:
                self._found(habit.kind, habit.told, True)

    def _found(self, kind: str, text: str, broken: bool) -> None:
        self.findings.append(Finding(kind, text, broken, self.drawn))


def _gathered(answers: Answers, least: int) -> Answers:
    """The same reports, at least `least` of them in the first block where there are as many."""
    blocks: list[tuple[Items, Reports]] = []
    for block in answers:
        blocks.append(block)
        if sum(len(items) for items, _ in blocks) >= least:
            break
    if blocks:
        items, reports = zip(*blocks, strict=True)
        yield np.concatenate(items), np.concatenate(reports)
    yield from answers
