"""The answer about a deployment: protocol × attack × defence, and what would help."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from ldptui.core.base.errors import ScenarioError

from ..catalogue.kind_rows import kind_words, swept_kinds
from ..charts.series import Bar, Bars
from ..text import format as text
from .deployment_cells import NONE, Deployment, Outcome, has_tried_defences, pick_best
from .parameters import BEST
from .plan_question import plan
from .question_answer import QuestionAnswer, Table
from .sheet import Figure, figure

ATTACKS: Final = tuple(swept_kinds("attack", ""))
UNSET: Final = ("sweep", "defence", "campaign", "goal", "trust", "task")
"""The tables of a draft that a cell of the matrix does without, or begins anew."""
LONGEST: Final = 3.0
"""The longest bar that is drawn, by that of the deployment as it is."""
POWER: Final = 0.9
"""The chance with which the planner wants to find an item."""


class DeploymentRow(NamedTuple):
    """A row of the matrix: a protocol under a defence, with a cell for each attack.

    is_own : whether the protocol is the deployment's.
    """

    protocol: str
    defence: str
    is_own: bool
    cells: dict[str, Outcome]

    @property
    def known_outcomes(self) -> list[Outcome]:
        """The cells whose gain is known."""
        return [each for each in self.cells.values() if each.gain is not None]

    @property
    def worst(self) -> Outcome:
        """The cell with the largest gain, by the upper end of its interval; at least one gain must
        be known.
        """
        return max(self.known_outcomes, key=lambda each: each.most)

    @property
    def is_whole(self) -> bool:
        return len(self.known_outcomes) >= len(ATTACKS)

    @property
    def name(self) -> str:
        return self.protocol.upper() + (f" + {self.defence}" if self.defence != NONE else "")

    @property
    def bar(self) -> str:
        """The label of the row's bar: a defence, "as it is", or another protocol."""
        if not self.is_own:
            return self.name
        return "as it is" if self.defence == NONE else self.defence

    @property
    def gloss(self) -> str:
        """A sentence that says what the server does under the defence."""
        if self.defence == NONE:
            return "publishes its estimates as they are"
        return kind_words("defence", self.defence).reason


@dataclass(frozen=True)
class DeploymentAnswer(QuestionAnswer):
    """The answer of `deployment`: the gain of every attack now, under defences, and with other
    protocols.

    found : the known cells of the matrix.
    floor : the gain of fakes whom no server can tell from honest users; None if unknown.
    plan : sentences about the change that the planner recommends.
    """

    deployment: Deployment
    found: Sequence[Outcome]
    floor: float | None
    plan: Sequence[str]
    sources = ()

    @cached_property
    def rows(self) -> list[DeploymentRow]:
        """The rows of the matrix: complete rows of the own protocol, those of other protocols,
        incomplete rows.

        Complete rows are in this order: the best defence, defences whose intervals overlap with its
        interval, all others, by what they leave at most.
        """
        rows: dict[tuple[str, str], DeploymentRow] = {}
        for each in self.found:
            key = each.protocol, each.defence
            rows.setdefault(key, DeploymentRow(*key, each.protocol == self.deployment.protocol, {}))
            rows[key].cells[each.attack] = each
        whole = [row for row in rows.values() if row.is_whole]
        best = pick_best([row.worst for row in whole if row.is_own and row.defence != NONE])

        def place(row: DeploymentRow) -> tuple[bool, bool, bool, float]:
            may_be_as_good = best is not None and row.worst.least <= best.most
            return not row.is_own, row.worst is not best, not may_be_as_good, row.worst.most

        whole.sort(key=place)
        return [*whole, *(row for row in rows.values() if not row.is_whole)]

    @property
    def as_is(self) -> Outcome | None:
        """The worst cell of the deployment without a defence."""
        own = (
            row for row in self.rows if row.is_own and row.defence == NONE and row.known_outcomes
        )
        return next((row.worst for row in own), None)

    @property
    def under_defences(self) -> list[Outcome]:
        """The worst cell under each defence of the deployment's protocol, least gain first."""
        own = (row for row in self.rows if row.is_own and row.defence != NONE and row.is_whole)
        return [row.worst for row in own]

    @property
    def left(self) -> Outcome | None:
        """The worst cell under the best defence of the deployment's protocol; None if no defence is
        known.
        """
        return next(iter(self.under_defences), None)

    @property
    def _is_floor_above(self) -> bool:
        """True if fakes whom no server can tell add more than the best defence leaves of others."""
        return self.floor is not None and self.left is not None and self.left.most < self.floor

    @property
    def _floor_words(self) -> list[str]:
        """The least gain that every defence leaves, in words; empty if it is unknown."""
        if self.floor is None:
            return []
        least = text.short(100 * self.floor, 3)
        if not self._is_floor_above:
            return [f"no defence can get below {least}"]
        return [f"fakes whom no server can tell from honest users add {least} under any defence"]

    def _is_noisy(self, outcome: Outcome) -> bool:
        """Return whether an interval is wider than the gain of the deployment as it is."""
        return self.as_is is not None and outcome.half > abs(self.as_is.gain or math.inf)

    @property
    def has_tried_all(self) -> bool:
        """True if every defence was tried against every attack."""
        own = (each for each in self.found if each.protocol == self.deployment.protocol)
        return has_tried_defences(own, ATTACKS)

    @property
    def title(self) -> str:
        mine = self.deployment
        return (
            f"What fakes add: {mine.protocol.upper()}, ε = {text.short(mine.epsilon)}, "
            f"d = {text.count(mine.items)}, n = {text.count(mine.users)}, "
            f"{text.percent(mine.share)} fake, r = {mine.targets}"
        )

    @property
    def sentences(self) -> Iterator[str]:
        """The gain of the worst attack, undefended and under the best defence, in points."""
        mine, worst, left = self.deployment, self.as_is, self.left
        if worst is not None:
            lifted = text.plural(mine.targets, "item")
            gained = f"{_points(worst)} percentage points under {mine.protocol.upper()}"
            parts = [f"{text.percent(mine.share)} fakes lift {lifted} by {gained}"]
            if left is not None and left.most < worst.least:
                so_far = " so far" * (not self.has_tried_all)
                rest = _points(left)
                if self.floor and (left.gain or 0.0) < self.floor <= left.most:
                    rest = f"at most {text.short(100 * left.most, 3)}"
                against = f" of {left.attack.upper()}" * self._is_floor_above
                parts.append(f"best defence{so_far} {left.defence} leaves {rest}{against}")
            elif self.has_tried_all:
                parts.append("no defence here surely leaves less")
            else:
                parts.append("defences are still being tried")
            yield "; ".join([*parts, *self._floor_words]) + "."
            under = "" if left is None else f", under {left.defence} {left.attack.upper()}"
            yield f"The worst attack on {mine.protocol.upper()} is {worst.attack.upper()}{under}."
            if left is not None and left.most < worst.least and self.has_tried_all:
                others = self.under_defences[1:]
                same = [each.defence for each in others
                        if each.least <= left.most and not self._is_noisy(each)]  # fmt: skip
                if same:
                    yield f"{' and '.join(same[:2])} may be as good as {left.defence}."
            own = [each for row in self.rows if row.is_own for each in row.known_outcomes]
            harm = [each for each in own if each.least > worst.most]
            if harm:
                most = max(harm, key=lambda each: each.gain or 0.0)
                yield f"{most.defence} makes it worse: {_points(most)} points."
        yield from self.plan

    @property
    def notes(self) -> Iterator[str]:
        mine = self.deployment
        held = "the frequencies of the reports" if mine.counts else "Zipf's law, exponent 1"
        many = f"{mine.targets} rarest items" if mine.targets > 1 else "rarest item"
        yield f"frequencies: {held}; the fakes lift the {many}"
        yield "a point is 1 % of all users, and those of the items are added"
        for row in {row.defence: row for row in self.rows if row.is_whole}.values():
            if row.defence != NONE:
                yield f"{row.defence}: {row.gloss}"
        yield "without ± a closed form, else a simulation; ± 95 %"
        if fewer := sorted({each.users for each in self.found if each.users != mine.users}):
            yield f"filters read every report: tried on {text.count(fewer[0])} of the users"
        why: dict[str, set[str]] = {}
        for row in self.rows:
            for each in row.cells.values():
                if each.why:
                    why.setdefault(each.why.rpartition('" with ')[2], set()).add(row.name)
        yield from (f"none for {', '.join(sorted(rows))}: {reason}" for reason, rows in why.items())

    def table(self, is_brief: bool = False) -> Table:
        """The table with a column for each attack, a row for each protocol and defence."""
        del is_brief
        heads = ("protocol + defence", *(f"{attack.upper()} ± 95 %" for attack in ATTACKS))
        return heads, [
            (
                row.name,
                *(_points(row.cells[attack]) if attack in row.cells else "" for attack in ATTACKS),
            )
            for row in self.rows
        ]

    def document(self) -> dict[str, Any]:
        return {
            **vars(self.deployment), "counts": [*self.deployment.counts] or None,
            "cells": [dict(vars(each)) for each in self.found], "floor": self.floor,
            "worst": None if self.as_is is None else dict(vars(self.as_is)),
            "best_defence": None if self.left is None else self.left.defence,
            "plan": [*self.plan],
        }  # fmt: skip

    @property
    def choices(self) -> Sequence[tuple[str, Sequence[tuple[str, Any]]]]:
        return [(row.bar, self._edits(row.worst)) for row in self.rows if row.is_whole]

    @property
    def edits(self) -> Sequence[tuple[str, Any]]:
        return [] if self.as_is is None else self._edits(self.as_is)

    def _edits(self, outcome: Outcome) -> list[tuple[str, Any]]:
        """The keys of a scenario that simulates a cell, in the order to set them."""
        edits: list[tuple[str, Any]] = [(name, None) for name in UNSET]
        tables = self.deployment.tables(outcome.protocol, outcome.attack, outcome.defence)
        defence = tables.pop("defence", None)
        for name, table in tables.items():
            edits += [(f"{name}.{key}", value) for key, value in table.items()]
        return [*edits, ("defence", defence)] if defence else edits

    def figures(self) -> Iterator[Figure]:
        """Yields the bar chart of the worst gain that each defence leaves, least first."""
        worst = [(row, row.worst, 100 * (row.worst.gain or 0.0)) for row in self.rows
                 if row.is_whole]  # fmt: skip
        longest = math.inf if self.as_is is None else LONGEST * 100 * (self.as_is.gain or math.inf)
        clear = [found for found in worst if not self._is_noisy(found[1])]
        drawn = [found for found in clear if found[2] <= longest]
        bars = tuple(Bar(row.bar, gain, 100 * each.half or None) for row, each, gain in drawn)
        beyond = [f"{found[0].bar} {_points(found[1])}"
                  for found in clear if found not in drawn]  # fmt: skip
        noisy = [row.bar for row, each, _ in worst if self._is_noisy(each)]
        notes = self._floor_words
        notes += [f"beyond this axis: {', '.join(beyond)}"] if beyond else []
        notes += [f"too noisy to tell: {', '.join(noisy)}"] if noisy else []
        title = "Points that fakes add at worst, with each defence"
        chart = Bars(
            title, bars, note="; ".join(notes), item="defence", value="points", own_digits=True
        )
        rows = [
            ("", row.bar, gain, _points(each), each.attack.upper(), row.gloss)
            for row, each, gain in drawn
        ]
        heads = ("", "defence", "points", "with interval", "attack", "the server")
        yield figure(chart, heads, rows)


def _points(outcome: Outcome) -> str:
    """The gain in percent of all users: in three digits, or with the half of its interval."""
    if outcome.gain is None:
        return text.MISSING
    gain, half = 100 * outcome.gain, 100 * outcome.half
    return text.estimate(gain, half) if half else text.short(gain, 3)


def plan_change(deployment: Deployment) -> tuple[str, Sequence[str]]:
    """The protocol that the planner recommends, and a sentence about it; the deployment's own if
    there is no plan.
    """
    asked: Mapping[str, Any] = {
        name: getattr(deployment, name)
        for name in ("items", "users", "epsilon", "share", "targets")
    }
    found: dict[str, Any] = {}
    for protocol in (deployment.protocol, BEST):
        try:
            found[protocol] = plan(protocol=protocol, power=POWER, **asked)
        except ScenarioError as error:
            words = f"The planner has no plan for {protocol.upper()}: {error}."
            return deployment.protocol, [words]
    now, then = found[deployment.protocol], found[BEST]
    kept = f"{deployment.protocol.upper()} finds items of frequency {text.short(now.frequency, 3)}"
    sentence = f"In spite of the fakes {kept} and more, with probability {POWER}"
    if then.frequency < now.frequency * (1 - 5e-3):
        better = text.short(then.frequency, 3)
        words = f"{sentence}; {then.protocol.upper()}, the best here, would those of {better}."
        return then.protocol, [words]
    return deployment.protocol, [f"{sentence}; no protocol here finds rarer ones."]
