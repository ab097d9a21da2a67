"""My deployment: protocol × attack × defence for one's own setting, and what would help."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError

from ..catalogue.kinds import kind_words, swept_kinds
from ..charts.series import Bar, Bars
from ..text import format as text
from .deployment_cells import NONE, Deployment, Outcome, best
from .parameters import BEST
from .plan_question import plan
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


def worst_of_rows(deployment: Deployment, found: Sequence[Outcome]) -> list[Outcome]:
    """The worst cell under each defence, and of each other protocol, where every attack is known.

    Those of the deployment's protocol come first, and where least is left.
    """
    rows: dict[str, list[Outcome]] = {}
    for each in found:
        rows.setdefault(name_row(each), []).append(each)
    whole = [
        row for row in rows.values() if sum(each.gain is not None for each in row) >= len(ATTACKS)
    ]
    worst = [max(row, key=lambda each: each.most) for row in whole]
    return sorted(worst, key=lambda each: (each.protocol != deployment.protocol, each.most))


# In words.


def verdict_words(
    deployment: Deployment, found: Sequence[Outcome], hidden: float | None
) -> Iterator[str]:
    """What the fakes do, what the best defence leaves, and what none can prevent, in points."""
    worst, row = worst_as_is(deployment, found), helping_row(deployment, found)
    left = None if row is None else find_worst(row)
    if worst is not None:
        items = "1 item" if deployment.targets == 1 else f"{deployment.targets} items"
        parts = [f"{text.percent(deployment.share)} fakes lift {items} by {_points(worst)} points"]
        if left is not None and left.most < worst.least:
            parts.append(f"best defence {left.defence} leaves {_points(left)}")
        elif left is not None:
            parts.append("no defence here surely leaves less")
        if hidden is not None:
            others = "against other fakes " if left is not None and left.most < hidden else ""
            least = text.short(100 * hidden, 3)
            parts.append(f"{others}no defence can get below {least}")
        yield "; ".join(parts) + "."
        under = "" if left is None else f", under {left.defence} {left.attack.upper()}"
        yield f"The worst attack on {deployment.protocol.upper()} is {worst.attack.upper()}{under}."
        if (harm := _harms(deployment, found, worst)) is not None:
            yield f"{harm.defence} makes it worse: {_points(harm)} points."


def plan_words(deployment: Deployment) -> Iterator[str]:
    """The change that the planner would make."""
    found: dict[str, Any] = {}
    for protocol in (deployment.protocol, BEST):
        try:
            found[protocol] = plan(
                protocol=protocol, items=deployment.items, users=deployment.users,
                epsilon=deployment.epsilon, share=deployment.share, power=POWER,
                targets=deployment.targets,
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
    yield "a point is 1 % of all users, and those of the items are added"
    for kind in dict.fromkeys(each.defence for each in worst_of_rows(deployment, found)):
        if kind != NONE:
            yield f"{kind}: {kind_words('defence', kind).reason}"
    yield "without ± a closed form, else a simulation; ± 95 %"
    if fewer := sorted({each.users for each in found if each.users != deployment.users}):
        yield f"filters read every report: tried on {text.count(fewer[0])} of the users"
    why: dict[str, set[str]] = {}
    for each in found:
        if each.why:
            why.setdefault(each.why.rpartition('" with ')[2], set()).add(name_row(each))
    yield from (f"none for {', '.join(sorted(rows))}: {reason}" for reason, rows in why.items())


def _points(outcome: Outcome) -> str:
    """The gain in percent of all users, with the half-width of its interval."""
    if outcome.gain is None:
        return text.MISSING
    if not outcome.error:
        return text.short(100 * outcome.gain, 3)
    return text.estimate(100 * outcome.gain, 100 * outcome.half)


def name_row(outcome: Outcome) -> str:
    defence = "" if outcome.defence == NONE else f" + {outcome.defence}"
    return f"{outcome.protocol.upper()}{defence}"


def name_bar(deployment: Deployment, outcome: Outcome) -> str:
    """The name of a row as a bar has it: norm-sub, as it is, or another protocol."""
    if outcome.protocol != deployment.protocol:
        return name_row(outcome)
    return "as it is" if outcome.defence == NONE else outcome.defence


def _gloss(outcome: Outcome) -> str:
    """What the server does under a defence."""
    if outcome.defence == NONE:
        return "publishes its estimates as they are"
    return kind_words("defence", outcome.defence).reason


# The matrix.


def matrix_rows(
    deployment: Deployment, found: Sequence[Outcome]
) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """The heads, a column for each attack; a row for each protocol and defence, least left first.

    Rows of which some attack is not known come last.
    """
    rows: dict[str, dict[str, Outcome]] = {
        name_row(each): {} for each in worst_of_rows(deployment, found)
    }
    for each in found:
        rows.setdefault(name_row(each), {})[each.attack] = each
    digits = _digits(found)
    lines = [
        (
            name,
            *(_rounded(cells[at], digits) if at in cells else "" for at in ATTACKS),
        )
        for name, cells in rows.items()
    ]
    heads = (f"{attack.upper()} ± 95 %" for attack in ATTACKS)
    return ("protocol + defence", *heads), lines


def _digits(found: Sequence[Outcome]) -> int:
    """The decimals of every gain in the matrix: one, or three figures of the largest one."""
    largest = max((abs(100 * each.gain) for each in found if each.gain), default=1.0)
    return max(1, 2 - math.floor(math.log10(largest)))


def _rounded(outcome: Outcome, digits: int) -> str:
    """The gain in points with so many decimals, and the half-width of its interval."""
    if outcome.gain is None:
        return text.MISSING
    half = (
        f" ± {text.fixed_decimals(100 * outcome.half, digits)}" if outcome.error is not None else ""
    )
    return f"{text.fixed_decimals(100 * outcome.gain, digits)}{half}"


MOST_NOISE: Final = 100.0
"""Points of half an interval beyond which a defence has no bar: its axis would hide all others."""


def gain_bars(deployment: Deployment, found: Sequence[Outcome], hidden: float | None) -> Figure:
    """A bar for each defence: what it leaves of the attack that is worst then, least first."""
    worst = worst_of_rows(deployment, found)
    bars = [
        Bar(name_bar(deployment, each), 100 * (each.gain or 0.0), 100 * each.half or None)
        for each in worst
        if 100 * each.half <= MOST_NOISE
    ]
    noisy = [f"{name_bar(deployment, each)} {_rounded(each, 0)}"
             for each in worst if 100 * each.half > MOST_NOISE]  # fmt: skip
    notes = [] if hidden is None else [f"no defence can get below {text.short(100 * hidden, 3)}"]
    notes += [f"too uncertain to draw: {', '.join(noisy)}"] if noisy else []
    under = "; ".join(notes)
    title = "Points that fakes add at worst, with each defence"
    chart = Bars(title, tuple(bars), note=under, item="defence", value="points")
    rows = [
        (
            "",
            name_bar(deployment, each),
            100 * (each.gain or 0.0),
            _points(each),
            each.attack.upper(),
            _gloss(each),
        )
        for each in worst
    ]
    heads = ("", "defence", "points", "with interval", "attack", "the server")
    return figure(chart, heads, rows)


def edits_of(deployment: Deployment, outcome: Outcome) -> list[tuple[str, Any]]:
    """The keys of a scenario that simulates a cell, in the order to set them."""
    edits: list[tuple[str, Any]] = [(name, None) for name in UNSET]
    tables = deployment.tables(outcome.protocol, outcome.attack, outcome.defence)
    defence = tables.pop("defence", None)
    for name, table in tables.items():
        edits += [(f"{name}.{key}", value) for key, value in table.items()]
    return [*edits, ("defence", defence)] if defence else edits
