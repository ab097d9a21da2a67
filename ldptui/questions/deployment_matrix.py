"""My deployment: protocol × attack × defence for one's own setting, and what would help."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError

from ..catalogue.kinds import swept_kinds
from ..charts.series import Bar, Bars
from ..lab.answer import Answer, Figure, figure, listed
from ..lab.asking import Steps
from ..lab.mechanisms import DRAWN
from ..lab.questions.shared import BEST
from ..text import format as text
from .deployment_cells import NONE, Deployment, Outcome, best, floor, outcomes
from .plan_lines import PlanRequest
from .planning import make_plan

ATTACKS: Final = tuple(swept_kinds("attack", ""))
UNSET: Final = ("sweep", "defence", "campaign", "goal", "trust", "task")
"""The tables of a draft that a cell of the matrix does without, or begins anew."""
POWER: Final = 0.9
"""The chance with which the planner wants to find an item."""
OFFER: Final = "enter puts the cell at the cursor, else the worst one, into the scenario."


def matrix(deployment: Deployment) -> Steps:
    """The matrix of a deployment, with all that is known so far after each row."""
    found: list[Outcome] = []
    hidden, told = floor(deployment, ATTACKS[0]), [*_plan(deployment)]
    rows: set[tuple[str, str]] = set()
    for outcome in outcomes(deployment, ATTACKS, DRAWN):
        found.append(outcome)
        if outcome.attack == ATTACKS[-1]:
            rows.add((outcome.protocol, outcome.defence))
            yield _answer(deployment, found, hidden, told)
            yield f"{_row(outcome)} is known, {len(rows)} rows so far"
    return _answer(deployment, found, hidden, told)


def _answer(
    deployment: Deployment, found: Sequence[Outcome], hidden: float | None, told: Sequence[str]
) -> Answer:
    edits = {_name(deployment, each): [*_edits(deployment, each)] for each in found}
    worst = _worst([each for each in found if _is_own(deployment, each)])
    said = [*_verdict(deployment, found, hidden), *told]
    return Answer(
        _table(deployment, found),
        verdict=[*said, OFFER],
        notes=[*said, *_notes(deployment, found)],
        figures=(_bars(deployment, found, hidden),),
        edits=[] if worst is None else edits[_name(deployment, worst)],
        choices=[*edits.items()],
        values={
            **vars(deployment),
            "counts": [*deployment.counts] or None,
            "cells": [vars(each) for each in found],
            "floor": hidden,
            "worst": None if worst is None else vars(worst),
            "best_defence": row[0].defence if (row := _helps(deployment, found)) else None,
            "plan": list(told),
        },
    )


def _is_own(deployment: Deployment, outcome: Outcome) -> bool:
    """True for the deployment as it is."""
    return outcome.protocol == deployment.protocol and outcome.defence == NONE


def _worst(found: Sequence[Outcome]) -> Outcome | None:
    """The cell in which the fakes gain most."""
    known = [each for each in found if each.gain is not None]
    return max(known, key=lambda each: each.most, default=None)


def _harms(deployment: Deployment, found: Sequence[Outcome], plain: Outcome) -> Outcome | None:
    """The cell of the deployment's protocol in which a defence surely adds most to the gain."""
    own = [each for each in found if each.protocol == deployment.protocol]
    sure = [each for each in own if each.gain is not None and each.least > plain.most]
    return max(sure, key=lambda each: each.gain or 0.0, default=None)


def _helps(deployment: Deployment, found: Sequence[Outcome]) -> list[Outcome] | None:
    """The cells of the defence that helps the deployment's protocol most."""
    own = [each for each in found if each.protocol == deployment.protocol]
    tried = [each for each in own if each.defence != NONE]
    whole = {row for row in (each.defence for each in tried)
             if sum(each.defence == row for each in tried) == len(ATTACKS)}  # fmt: skip
    return best([each for each in tried if each.defence in whole])


# In words.


def _verdict(
    deployment: Deployment, found: Sequence[Outcome], hidden: float | None
) -> Iterator[str]:
    fakes = f"{text.percent(deployment.share)} of fakes"
    lifted = "1 item" if deployment.targets == 1 else f"{deployment.targets} items"
    worst = _worst([each for each in found if _is_own(deployment, each)])
    if worst is not None:
        where = f"{lifted} of {deployment.protocol.upper()}"
        said = (
            f"At worst {fakes} with {worst.attack.upper()} add {_gain(worst)} to {where} as it is"
        )
        harm = _harms(deployment, found, worst)
        yield f"{said}, and {_gain(harm)} under {harm.defence}." if harm else f"{said}."
    if (row := _helps(deployment, found)) is not None and (left := _worst(row)) is not None:
        most = f"{_gain(left)}, of {left.attack.upper()}"
        yield (
            f"Of the defences {left.defence} helps most: of these attacks it leaves at most {most}."
        )
    if hidden is not None:
        least = text.short(hidden, 3)
        yield (
            f"Against every attack no defence is sure to keep them below {least}: so much hides in "
            "honest reports."
        )


def _plan(deployment: Deployment) -> Iterator[str]:
    """The change that the planner would make."""
    found = {}
    for protocol in (deployment.protocol, BEST):
        try:
            found[protocol] = make_plan(
                PlanRequest(
                    protocol=protocol, items=deployment.items, users=deployment.users,
                    epsilon=deployment.epsilon, share=deployment.share, power=POWER,
                    targets=deployment.targets,
                )
            )  # fmt: skip
        except ScenarioError as error:
            yield f"The planner has no plan for {protocol.upper()}: {error}."
            return
    now, then = found[deployment.protocol], found[BEST]
    least, better = text.short(now.frequency, 3), text.short(then.frequency, 3)
    sentence = f"The smallest frequency found in spite of them is {least}"
    if then.frequency < now.frequency * (1 - 5e-3):
        yield f"{sentence}; the planner would take {then.protocol.upper()}: {better}."
    else:
        yield f"{sentence}; the planner would change nothing."


def _notes(deployment: Deployment, found: Sequence[Outcome]) -> Iterator[str]:
    held = "the frequencies of the reports" if deployment.counts else "Zipf's law, exponent 1"
    yield f"frequencies: {held}; the fakes lift the {deployment.targets} rarest items"
    yield "without ± a closed form, else a simulation; ± 95 %"
    if fewer := sorted({each.users for each in found if each.users != deployment.users}):
        yield f"filters read every report: tried on {text.count(fewer[0])} of the users"
    why: dict[str, set[str]] = {}
    for each in found:
        if each.why:
            why.setdefault(each.why.rpartition('" with ')[2], set()).add(_row(each))
    yield from (f"none for {', '.join(sorted(rows))}: {reason}" for reason, rows in why.items())


def _gain(outcome: Outcome) -> str:
    """The gain, with the half-width of its interval."""
    if outcome.gain is None:
        return text.MISSING
    if not outcome.error:
        return text.short(outcome.gain, 3)
    return text.estimate(outcome.gain, outcome.half)


def _row(outcome: Outcome) -> str:
    defence = "" if outcome.defence == NONE else f" + {outcome.defence}"
    return f"{outcome.protocol.upper()}{defence}"


def _name(deployment: Deployment, outcome: Outcome) -> str:
    """A cell in a few words, of another protocol with its name: MGA, norm-sub."""
    attack, defence = outcome.attack.upper(), outcome.defence * (outcome.defence != NONE)
    if outcome.protocol != deployment.protocol:
        return ", ".join(filter(None, (f"{attack} on {outcome.protocol.upper()}", defence)))
    return f"{attack}, {defence or 'as it is'}"


# The matrix.


def _table(deployment: Deployment, found: Sequence[Outcome]) -> Any:
    """A row for each protocol and defence, a column for each attack."""
    rows: dict[str, dict[str, Outcome]] = {}
    for each in found:
        rows.setdefault(_row(each), {})[each.attack] = each
    lines, digits = [], _digits(found)
    for name, cells in rows.items():
        gains = [_rounded(cells[attack], digits) if attack in cells else "" for attack in ATTACKS]
        lines.append((name, *gains))
    title = (
        f"What fakes add: {deployment.protocol.upper()}, ε = {text.short(deployment.epsilon)}, "
        f"d = {text.count(deployment.items)}, n = {text.count(deployment.users)}, "
        f"{text.percent(deployment.share)} fake, r = {deployment.targets}"
    )
    heads = ("protocol + defence", *(f"{attack.upper()} ± 95 %" for attack in ATTACKS))
    return listed(title, heads, lines)


def _digits(found: Sequence[Outcome]) -> int:
    """The decimals of every gain in the matrix: three, or three figures of the largest one."""
    largest = max((abs(each.gain) for each in found if each.gain), default=1.0)
    return max(3, 2 - math.floor(math.log10(largest)))


def _rounded(outcome: Outcome, digits: int) -> str:
    """The gain with so many decimals, and the half-width of its interval."""
    if outcome.gain is None:
        return text.MISSING
    half = f" ± {text.fixed(outcome.half, digits)}" if outcome.error is not None else ""
    return f"{text.fixed(outcome.gain, digits)}{half}"


def _bars(deployment: Deployment, found: Sequence[Outcome], hidden: float | None) -> Figure:
    """A bar for each cell, those of the deployment's protocol first, the worst one at the top."""
    known = [each for each in found if each.gain is not None]
    known.sort(key=lambda each: (each.protocol != deployment.protocol, -(each.gain or 0.0)))
    bars = [Bar(_name(deployment, each), each.gain or 0.0, each.half or None) for each in known]
    under = "" if hidden is None else f"no server can tell fakes who add {text.short(hidden, 3)}"
    chart = Bars("What the fakes add to their items", tuple(bars), note=under, item="cell",
                 value="gain")  # fmt: skip
    rows = [("", _name(deployment, each), each.gain, _gain(each), each.users) for each in known]
    return figure(chart, ("", "cell", "gain", "with interval", "users"), rows)


def _edits(deployment: Deployment, outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """The keys of a scenario that simulates a cell, in the order to set them."""
    yield from ((name, None) for name in UNSET)
    tables = deployment.tables(outcome.protocol, outcome.attack, outcome.defence)
    defence = tables.pop("defence", None)
    for name, table in tables.items():
        yield from ((f"{name}.{key}", value) for key, value in table.items())
    if defence:
        yield "defence", defence
