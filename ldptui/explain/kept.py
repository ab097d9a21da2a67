"""The privacy of a user who keeps an answer: of one report, of many, of all; what it costs.

By the capability alone (`core.law.capabilities.Memoises`), for every kind that has it; a family may
have a panel of its own (`Story.kept`).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.cell import Cell
from ldptui.core.law.capabilities import Memoises

from ..charts.series import Axis, Plot, Series
from ..text import format as fmt
from .formulas import entries
from .setting import setting_of
from .story import Fact, Group, Panel, story_named

SHOWN: Final = (2, 10, 100)
"""Numbers of reports whose ε is listed, besides the rounds of the campaign."""

ROUNDS: Final = 10_000
"""Reports of one value on the axis of the chart."""

UNBOUNDED: Final = "unbounded"


def panel(cell: Cell) -> Panel | None:
    """The panel of a cell, as its family tells it; None where its users keep nothing."""
    memory = cell.memory
    if memory is None:
        return None
    story = story_named(cell.protocol.family)
    if story is not None and story.kept is not None:
        return story.kept(cell)
    return Panel(partial(groups, cell, memory), rounds_plot(memory))


def groups(cell: Cell, memory: Memoises) -> tuple[Group, ...]:
    """Everything that the panel says in numbers, of a cell whose users keep an answer."""
    protocol: Any = cell.protocol
    one, ever = memory.epsilon_of_rounds(1), memory.epsilon_infinity
    setting = setting_of(cell)
    given = float(setting.given.get("epsilon") or protocol.epsilon)
    short_of = given - one > 1e-9 * given
    why = f"less than ε = {fmt.short(given)}, which was asked for" if short_of else "as asked for"
    rows = entries(setting)
    facts = [
        Fact("ε₁", "the first report, really", fmt.short(one), why),
        Fact("", "one value likelier, at most", f"{fmt.short(math.exp(one), 3)} ×", "e^ε₁"),
        Fact("ε∞", "all reports of an item", _short(ever), "the kept answer gives no more away"),
    ]
    if hasattr(protocol, "epsilon_lifetime"):
        words = rows["epsilon_lifetime"].brief if "epsilon_lifetime" in rows else "an answer each"
        value = fmt.short(protocol.epsilon_lifetime)
        facts.append(Fact("", "all items that a user holds", value, words))
    crowd = [Fact("σ", "of a rare frequency", _spread(rows), "of one round")]
    if "kept_variance" in rows:
        stays = math.sqrt(rows["kept_variance"].value / cell.first.users)
        words = "kept answers: more rounds of the same users do not take it away"
        crowd.append(Fact("", "σ that stays", fmt.short(stays, 3), words))
    return (
        Group("Privacy in nats, of a user who keeps an answer", tuple(facts)),
        Group("Over rounds: kept, and fresh each time", tuple(_over_rounds(cell, memory))),
        Group(f"The crowd: n = {fmt.count(cell.first.users)}", tuple(crowd)),
    )


def _spread(rows: Any) -> str:
    return fmt.short(rows["frequency_std"].value, 3) if "frequency_std" in rows else "–"


def _short(epsilon: float) -> str:
    return fmt.short(epsilon) if math.isfinite(epsilon) else UNBOUNDED


def _over_rounds(cell: Cell, memory: Memoises) -> list[Fact]:
    """ε of several numbers of reports of one item, those of the campaign among them."""
    one, mine = memory.epsilon_of_rounds(1), len(cell.rounds)
    counts = sorted({*SHOWN, mine} - {0, 1})
    return [
        Fact(
            "ε",
            f"{fmt.count(count)} reports" + (", as here" if count == mine else ""),
            fmt.short(memory.epsilon_of_rounds(count)),
            f"fresh each time: {fmt.count(count)} ε₁ = {fmt.short(count * one)}",
        )
        for count in counts
    ]


def rounds_plot(memory: Memoises) -> Plot:
    """ε over the number of reports of one item: of the kept answer, and by composition."""
    reports = sorted({round(t) for t in np.geomspace(1, ROUNDS, 25)})
    one, ever, xs = (
        memory.epsilon_of_rounds(1),
        memory.epsilon_infinity,
        [float(t) for t in reports],
    )
    kept = [memory.epsilon_of_rounds(t) for t in reports]
    levels = ((ever, f"ε∞ {fmt.short(ever, 3)}"),) if math.isfinite(ever) else ()
    return Plot(
        "ε of t reports of one item",
        Axis("reports t", log=True),
        Axis("ε", log=True),
        (
            Series("answer kept", xs, kept, "clean"),
            Series("fresh each time", xs, [t * one for t in xs], "attacked", "dotted"),
        ),
        levels=levels,
        note="fresh each time: composition of t reports, t ε₁",
    )
