"""My deployment: protocol × attack × defence for one's own setting, and what would help."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError

from ..catalogue.kinds import swept_kinds
from ..charts.series import Bar, Bars
from ..text import format as text
from .deployment_cells import NONE, Deployment, Outcome, best
from .parameters import BEST
from .plan_lines import PlanRequest
from .planning import make_plan
from .sheet import Figure, figure

ATTACKS: Final = tuple(swept_kinds("attack", ""))
UNSET: Final = ("sweep", "defence", "campaign", "goal", "trust", "task")
"""The tables of a draft that a cell of the matrix does without, or begins anew."""
POWER: Final = 0.9
"""The chance with which the planner wants to find an item."""


def _is_own(deployment: Deployment, outcome: Outcome) -> bool:
    """True for the deployment as it is."""
    return outcome.protocol == deployment.protocol and outcome.defence == NONE


def find_worst(found: Sequence[Outcome]) -> Outcome | None:
    """The cell in which the fakes gain most."""
    known = [each for each in found if each.gain is not None]
    return max(known, key=lambda each: each.most, default=None)


def worst_as_is(deployment: Deployment, found: Sequence[Outcome]) -> Outcome | None:
    """The cell of the deployment as it is in which the fakes gain most."""
    return find_worst([each for each in found if _is_own(deployment, each)])


def _harms(deployment: Deployment, found: Sequence[Outcome], plain: Outcome) -> Outcome | None:
    """The cell of the deployment's protocol in which a defence surely adds most to the gain."""
    own = [each for each in found if each.protocol == deployment.protocol]
    sure = [each for each in own if each.gain is not None and each.least > plain.most]
    return max(sure, key=lambda each: each.gain or 0.0, default=None)


def helping_row(deployment: Deployment, found: Sequence[Outcome]) -> list[Outcome] | None:
    """The cells of the defence that helps the deployment's protocol most."""
    own = [each for each in found if each.protocol == deployment.protocol]
    tried = [each for each in own if each.defence != NONE]
    whole = {row for row in (each.defence for each in tried)
             if sum(each.defence == row for each in tried) == len(ATTACKS)}  # fmt: skip
    return best([each for each in tried if each.defence in whole])


# In words.


def verdict_words(
    deployment: Deployment, found: Sequence[Outcome], hidden: float | None
) -> Iterator[str]:
    fakes = f"{text.percent(deployment.share)} of fakes"
    lifted = "1 item" if deployment.targets == 1 else f"{deployment.targets} items"
    worst = worst_as_is(deployment, found)
    if worst is not None:
        where = f"{lifted} of {deployment.protocol.upper()}"
        said = (
            f"At worst {fakes} with {worst.attack.upper()} add {_gain(worst)} to {where} as it is"
        )
        harm = _harms(deployment, found, worst)
        yield f"{said}, and {_gain(harm)} under {harm.defence}." if harm else f"{said}."
    if (row := helping_row(deployment, found)) is not None and (
        left := find_worst(row)
    ) is not None:
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


def plan_words(deployment: Deployment) -> Iterator[str]:
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


def note_words(deployment: Deployment, found: Sequence[Outcome]) -> Iterator[str]:
    held = "the frequencies of the reports" if deployment.counts else "Zipf's law, exponent 1"
    yield f"frequencies: {held}; the fakes lift the {deployment.targets} rarest items"
    yield "without ± a closed form, else a simulation; ± 95 %"
    if fewer := sorted({each.users for each in found if each.users != deployment.users}):
        yield f"filters read every report: tried on {text.count(fewer[0])} of the users"
    why: dict[str, set[str]] = {}
    for each in found:
        if each.why:
            why.setdefault(each.why.rpartition('" with ')[2], set()).add(name_row(each))
    yield from (f"none for {', '.join(sorted(rows))}: {reason}" for reason, rows in why.items())


def _gain(outcome: Outcome) -> str:
    """The gain, with the half-width of its interval."""
    if outcome.gain is None:
        return text.MISSING
    if not outcome.error:
        return text.short(outcome.gain, 3)
    return text.estimate(outcome.gain, outcome.half)


def name_row(outcome: Outcome) -> str:
    defence = "" if outcome.defence == NONE else f" + {outcome.defence}"
    return f"{outcome.protocol.upper()}{defence}"


def name_cell(deployment: Deployment, outcome: Outcome) -> str:
    """A cell in a few words, of another protocol with its name: MGA, norm-sub."""
    attack, defence = outcome.attack.upper(), outcome.defence * (outcome.defence != NONE)
    if outcome.protocol != deployment.protocol:
        return ", ".join(filter(None, (f"{attack} on {outcome.protocol.upper()}", defence)))
    return f"{attack}, {defence or 'as it is'}"


# The matrix.


def matrix_rows(found: Sequence[Outcome]) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """The heads, a column for each attack; a row for each protocol and defence."""
    rows: dict[str, dict[str, Outcome]] = {}
    for each in found:
        rows.setdefault(name_row(each), {})[each.attack] = each
    digits = _digits(found)
    lines = [
        (name, *(_rounded(cells[at], digits) if at in cells else "" for at in ATTACKS))
        for name, cells in rows.items()
    ]
    return ("protocol + defence", *(f"{attack.upper()} ± 95 %" for attack in ATTACKS)), lines


def _digits(found: Sequence[Outcome]) -> int:
    """The decimals of every gain in the matrix: three, or three figures of the largest one."""
    largest = max((abs(each.gain) for each in found if each.gain), default=1.0)
    return max(3, 2 - math.floor(math.log10(largest)))


def _rounded(outcome: Outcome, digits: int) -> str:
    """The gain with so many decimals, and the half-width of its interval."""
    if outcome.gain is None:
        return text.MISSING
    half = f" ± {text.fixed_decimals(outcome.half, digits)}" if outcome.error is not None else ""
    return f"{text.fixed_decimals(outcome.gain, digits)}{half}"


def gain_bars(deployment: Deployment, found: Sequence[Outcome], hidden: float | None) -> Figure:
    """A bar for each cell, those of the deployment's protocol first, the worst one at the top."""
    known = [each for each in found if each.gain is not None]
    known.sort(key=lambda each: (each.protocol != deployment.protocol, -(each.gain or 0.0)))
    bars = [Bar(name_cell(deployment, each), each.gain or 0.0, each.half or None) for each in known]
    under = "" if hidden is None else f"no server can tell fakes who add {text.short(hidden, 3)}"
    chart = Bars("What the fakes add to their items", tuple(bars), note=under, item="cell",
                 value="gain")  # fmt: skip
    rows = [("", name_cell(deployment, each), each.gain, _gain(each), each.users) for each in known]
    return figure(chart, ("", "cell", "gain", "with interval", "users"), rows)


def edits_of(deployment: Deployment, outcome: Outcome) -> list[tuple[str, Any]]:
    """The keys of a scenario that simulates a cell, in the order to set them."""
    edits: list[tuple[str, Any]] = [(name, None) for name in UNSET]
    tables = deployment.tables(outcome.protocol, outcome.attack, outcome.defence)
    defence = tables.pop("defence", None)
    for name, table in tables.items():
        edits += [(f"{name}.{key}", value) for key, value in table.items()]
    return [*edits, ("defence", defence)] if defence else edits
