"""The users whose report is shown, and the privacy of a user who keeps an answer."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.pure import Rng

from ..catalogue import kind_words
from ..charts.series import Axis, Plot, Series
from ..text import format as fmt
from .family_explanation import Fact, Group, Panel, reports_of, story_named
from .formula_inputs import setting_of
from .formula_list import entries
from .report_story import ReportStory
from .report_values import ReportHistory


def random_user(cell: Cell, rng: Rng) -> int:
    """The item of a genuine user, drawn uniformly from the population."""
    held = np.cumsum(cell.population.histogram)
    return int(np.searchsorted(held, rng.integers(0, held[-1]), side="right"))


def genuine_report(cell: Cell, item: int, rng: Rng, kept: Rng | None = None) -> ReportHistory:
    """The report of a genuine user who holds `item`, drawn by the protocol.

    kept : draws what a client keeps between its reports, `rng` where it is None.
    Raises ValueError where no report is shown, with the reason.
    """
    cell = _asked(cell)
    return _story_of(cell).tell_genuine(cell, item, rng if kept is None else kept, rng)


def fake_report(cell: Cell, rng: Rng) -> ReportHistory:
    """The report of a fake user, drawn by the attack.

    Raises ValueError for a cell without an attack, and where no report is shown.
    """
    if cell.attack is None:
        raise ValueError("there are no fake users without an attack")
    cell = _asked(cell)
    alone, attack, share = _one_fake(cell, rng)
    kind = alone.attack.kind if alone.attack is not None else ""
    title = f"A fake user: {kind_words('attack', kind).name.partition(' (')[0]}"
    if share < 1:
        title += f", {fmt.percent(share)} of the fakes"
    if cell.trust.proves:
        title += ", whose report is verified"
    return _story_of(cell).tell_fake(alone, attack, title, rng)


def _asked(cell: Cell) -> Cell:
    """The collection as its users are asked, where their reports are verified."""
    return cell if cell.verifier is None else cell.sifted


def _story_of(cell: Cell) -> ReportStory:
    reports = reports_of(cell)
    if isinstance(reports, str):
        raise ValueError(reports)
    return reports


def _one_fake(cell: Cell, rng: Rng) -> tuple[Cell, Strategy, float]:
    """A fake at random: the cell as if all fakes did as it does, its attack, their share."""
    parts = getattr(cell.attack, "parts", None)
    if parts is None:
        return cell, cell.fakes[0].strategy, 1.0
    counts = np.array([part.count for part in cell.fakes])
    weights = counts if counts.sum() else np.array([part.weight for part in parts])
    law = weights / weights.sum()
    number = int(rng.choice(law.size, p=law))
    fakes = cell.fakes[number]
    alone = replace(cell, attack=parts[number].attack, targets=fakes.targets, malicious=fakes.count)
    return alone, fakes.strategy, float(law[number])


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


def groups(cell: Cell, memory: Memoising) -> tuple[Group, ...]:
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


def _over_rounds(cell: Cell, memory: Memoising) -> list[Fact]:
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


def rounds_plot(memory: Memoising) -> Plot:
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
