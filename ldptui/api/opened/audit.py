"""The tab Audit: clients side by side, their bounds on ε beside the promise."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.pulse import Going
from ldptui.core.lab.audit import Inspection

from ...charts.series import TONES, Axis, Bar, Bars, Plot, Series
from ...lab.answer import Answer, Figure, curves, figure, listed
from ...lab.asking import Ask, Steps
from ...lab.questions.reports import AuditOptions
from ...text import format as text
from ..audited import Question, Work, question
from ..audited.told import AGREES, power_sentence, unproved, verdict_word

HEADS: Final = ("client", "verdict", "ε at least", "on average", "conforms", "reports")
"""The heads of the table of clients."""
OFTEN_S: Final = 0.5
"""Seconds between two words about an audit at work."""


def answer(options: AuditOptions, ask: Ask) -> Steps:
    """The verdicts on all clients; on the way, those on the first of them."""
    asked = _question(options, ask)
    found: list[Inspection] = []
    for named in asked.clients:
        yield f"auditing {named.name}"
        work, due = Going(Work(named, asked).steps()), time.monotonic() + OFTEN_S
        for step in work:
            if time.monotonic() > due:
                due = time.monotonic() + OFTEN_S
                yield f"{step.client}: {text.count(step.samples)} of {text.count(step.of)} reports"
        found.append(work.result)
        if len(found) < len(asked.clients):
            yield _answer(asked, found)
    return _answer(asked, found)


def _question(options: AuditOptions, ask: Ask) -> Question:
    """The question of the form's values; no program runs but code in Python that is named."""
    names, pairs, rows = list[str](), list[str](), list[int]()
    for row, name in enumerate(options.clients):
        try:
            file, colon, rest = name.rpartition(":")
            if name.lower().endswith(".csv"):
                pairs.append(str(ask.file(name)))
            elif name:
                names.append(f"{ask.file(file)}:{rest}" if colon and file.endswith(".py") else name)
                rows.append(row)
        except ScenarioError as error:
            raise ScenarioError(error.rule, key=f"clients.{row}") from error
    try:
        return question(replace(options, pairs=tuple(pairs)), {}, names)
    except ScenarioError as error:
        name, _, at = error.key.partition(".")
        key = f"clients.{rows[int(at)]}" if name == "clients" and at else error.key
        raise ScenarioError(error.rule, key=key) from error


def _answer(asked: Question, found: Sequence[Inspection]) -> Answer:
    promise = asked.promise
    title = f"Promise ε = {text.short(promise.epsilon)}, d = {text.count(promise.items)}"
    rows = [
        (
            each.client, verdict_word(each), text.short(each.epsilon_low, 3),
            text.short(each.average_low, 3), AGREES[each.conforms], text.count(each.samples),
        )
        for each in found
    ]  # fmt: skip
    return Answer(
        listed(title, HEADS, rows),
        verdict=[*_verdict(found)],
        notes=[*_notes(asked)],
        figures=(_bounds(asked, found), _rounds(asked, found)),
        broken=any(each.verdict == "broken" for each in found),
    )


def _verdict(found: Sequence[Inspection]) -> Iterator[str]:
    """A sentence for each client, what breaks its promise first."""
    for each in found:
        told = [*(f.text for f in each.findings if f.broken),
                *(f.text for f in each.findings if not f.broken)]  # fmt: skip
        word = verdict_word(each)
        yield f"{each.client}: {word}" + (f"; {'; '.join(told[:3])}." if told else ".")


def _notes(asked: Question) -> Iterator[str]:
    yield from (power_sentence(power, asked.promise.epsilon) for power in asked.powers())
    yield f"Not refuted is no proof, and no audit sees {'; '.join(unproved(asked))}."
    yield "Programs are audited by the command alone: ldptui audit --command TEXT."


def _bounds(asked: Question, found: Sequence[Inspection]) -> Figure:
    """The bound on ε of each client; the mark is the promise."""
    promised = asked.promise.epsilon
    bars = tuple(
        Bar(each.client, each.epsilon_low, true=promised, target=each.verdict == "broken")
        for each in found
    )
    chart = Bars(
        "ε shown, beside the promise", bars, item="who", value="at least",
        truth="promised",
    )  # fmt: skip
    rows = [("", each.client, each.epsilon_low, each.average_low, promised) for each in found]
    return figure(chart, ("", "client", "ε at least", "on average", "promised"), rows)


def _rounds(asked: Question, found: Sequence[Inspection]) -> Figure:
    """The bound of each round by the reports so far, which choose the event of the next one."""
    lines = tuple(
        Series(
            each.client, [bound.samples for bound in each.rounds],
            [bound.lower for bound in each.rounds], tone,
        )
        for each, tone in zip(found, TONES, strict=False)
        if each.rounds
    )  # fmt: skip
    plot = Plot(
        "Bound on ε by reports",
        Axis("reports", log=True),
        Axis("ε at least", low=0.0),
        lines,
        ((asked.promise.epsilon, "promised"),),
    )
    return curves(plot, "ε at least", "reports")
