"""The privacy of a user who keeps an answer: the numbers of a panel, and ε over many reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Memoising

from ..charts.series import Axis, Plot, Series
from ..text import format as fmt
from .family_explanation import find_family_explanation
from .formula_inputs import setting_of
from .formula_list import entries

SHOWN: Final = (2, 10, 100)
"""Numbers of reports whose ε is listed, besides the rounds of the campaign."""

ROUNDS: Final = 10_000
"""Reports of one value on the axis of the chart."""

OF_BITS: Final = ("q_star", "p_star", "learnable_items")
"""The numbers of a family that the panel shows besides, by their fields."""


@dataclass(frozen=True)
class PrivacyNumber:
    """One row of the tab Privacy: a symbol, its meaning, its value as text, and its source."""

    symbol: str
    label: str
    value: str
    why: str


@dataclass(frozen=True)
class NumberGroup:
    """The rows of the tab Privacy under one heading."""

    title: str
    numbers: tuple[PrivacyNumber, ...]


def number_groups(cell: Cell, memory: Memoising) -> tuple[NumberGroup, ...]:
    """The numbers of the panel on memoised answers, for a cell whose users memoise an answer."""
    protocol: Any = cell.protocol
    one, ever = memory.epsilon_of_rounds(1), memory.epsilon_infinity
    setting = setting_of(cell).unattacked_setting
    given = float(setting.given.get("epsilon") or protocol.epsilon)
    short_of = given - one > 1e-9 * given
    why = f"less than ε = {fmt.short(given)}, which was asked for" if short_of else "as asked for"
    rows, explanation = entries(setting), find_family_explanation(protocol.family)
    remark = "" if explanation is None else explanation.remark(setting)
    users = fmt.count(cell.first.users)
    factor = f"{fmt.short(math.exp(one), 3)} ×"
    all_reports = "unbounded", "nothing is kept: averages undo the noise"
    if math.isfinite(ever):
        all_reports = fmt.short(ever), "the kept answer gives no more away"
    spends = [
        PrivacyNumber("ε₁", "the first report, really", fmt.short(one), why),
        PrivacyNumber("", "one value likelier, at most", factor, "e^ε₁"),
        PrivacyNumber("ε∞", "all reports of an item", *all_reports),
    ]
    if hasattr(protocol, "epsilon_lifetime"):
        words = rows["epsilon_lifetime"].brief if "epsilon_lifetime" in rows else "an answer each"
        value = fmt.short(protocol.epsilon_lifetime)
        spends.append(PrivacyNumber("", "all items that a user holds", value, words))
    for key in OF_BITS:
        if key in rows:
            row = rows[key]
            spends.append(PrivacyNumber("", row.label, fmt.short(row.value), row.brief))
    spread = fmt.short(rows["frequency_std"].value, 3) if "frequency_std" in rows else "–"
    crowd = [PrivacyNumber("σ", "of a rare frequency", spread, "of one round")]
    if "kept_variance" in rows:
        stays = math.sqrt(rows["kept_variance"].value / cell.first.users)
        words = "kept answers: more rounds of the same users do not take it away"
        crowd.append(PrivacyNumber("", "σ that stays", fmt.short(stays, 3), words))
    heading = "Privacy in nats, of a user who keeps an answer"
    return (
        NumberGroup(f"{heading}; {remark}" if remark else heading, tuple(spends)),
        NumberGroup("Over rounds: kept, and fresh each time", _over_rounds(cell, memory)),
        NumberGroup(f"The crowd: n = {users}", tuple(crowd)),
    )


def _over_rounds(cell: Cell, memory: Memoising) -> tuple[PrivacyNumber, ...]:
    """The rows of ε after several numbers of reports of one item, including the
    campaign's rounds.
    """
    one, mine = memory.epsilon_of_rounds(1), len(cell.rounds)
    return tuple(
        PrivacyNumber(
            "ε",
            f"{fmt.count(count)} reports" + (", as here" if count == mine else ""),
            fmt.short(memory.epsilon_of_rounds(count)),
            f"fresh each time: {fmt.count(count)} ε₁ = {fmt.short(count * one)}",
        )
        for count in sorted({*SHOWN, mine} - {0, 1})
    )


def rounds_plot(memory: Memoising) -> Plot:
    """The plot of ε over the number of reports of one item: of memoised answers, and by naive
    composition.
    """
    reports = sorted({round(t) for t in np.geomspace(1, ROUNDS, 25)})
    one, ever = memory.epsilon_of_rounds(1), memory.epsilon_infinity
    xs = [float(t) for t in reports]
    kept = [memory.epsilon_of_rounds(t) for t in reports]
    return Plot(
        "ε of t reports of one item",
        Axis("reports t", log=True),
        Axis("ε", log=True),
        (
            Series("answer kept", xs, kept, "clean"),
            Series("fresh each time", xs, [t * one for t in xs], "attacked", "dotted"),
        ),
        levels=((ever, f"ε∞ {fmt.short(ever, 3)}"),) if math.isfinite(ever) else (),
        note="fresh each time: composition of t reports, t ε₁",
    )
