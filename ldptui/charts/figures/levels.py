"""Heavy hitters: the tree of prefixes as rows of text, and charts of who survives.

A row for each watched item, in the order of its code: a mark for each level shows how often its
prefix survives it, and where there is room the code in the pieces that the levels add.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from ldptui.core.base.summary import Estimate

from ...text import format as fmt
from ...text.interval import INTERVAL, reach_95
from ..rows import Look, Row, crop, length, pad, wrapped
from ..series import Axis, Plot, Series, Tone
from .table import MEASURED, PICKED, Column, Frame, Table, Value
from .trials import ARMS

SHARES: Final = "·▁▂▃▄▅▆▇█"
"""Never, in up to an eighth of the trials, … in all or nearly all."""
ASCII_SHARES: Final = ".12345678"
HEAD: Final = 22
"""Cells of the words left of the levels."""
NAME: Final = 12
"""Cells of an item's name."""
MARKS: Final = 24
"""Levels that have a mark of their own in the row of an item."""

Details = Mapping[str, Any]


def levels_rows(
    details: Details,
    look: Look,
    at: int | None = None,
    *,
    errors: bool = True,
) -> list[Row]:
    """The levels, then the items; no row is wider than the width.

    at : the level looked at. errors : below the means, where columns are wide enough for them.
    """
    levels = details["levels"]
    trials = fmt.count(details["trials"])
    rows: list[Row] = [[(f"Survivors of each level, mean of {trials} trials", look.strong)]]
    rows += _level_rows(levels, look, at, errors)
    rows += [[], [("Where items are lost, with the attack", look.strong)]]
    ordered = sorted(details["watched"], key=lambda item: item["code"])
    rows += _item_rows(ordered, levels, look)
    rows += [[]]
    marks = ASCII_SHARES if look.charset == "ascii" else SHARES
    legend = (
        f"levels: {marks[0]} never survived, {marks[4]} in half of the trials, {marks[-1]} always; "
        "▸ target; # rank among the true hitters; est: mean where it is in the answer"
    )
    return rows + [[(line, look.palette.muted)] for line in wrapped(look.clean(legend), look.width)]


def width_of(details: Details) -> int:
    """The cells that the rows take where there is room for all of them."""
    levels: Sequence[Details] = details["levels"]
    most = max(len(fmt.count(level["candidates"])) for level in levels)
    code: int = levels[-1]["bits"] + len({level["bits"] for level in levels})
    items = NAME + max(7, min(len(levels), MARKS) + 1) + 34 + 2 + code
    return max(HEAD + (max(5, most) + 1) * len(levels), items)


def _columns(levels: Sequence[Details], width: int, at: int | None) -> tuple[list[Details], int]:
    """The levels that have a column, and the cells of each.

    All of them, or where there is no room for that some, and the one that is looked at.
    """
    most = max(len(fmt.count(level["candidates"])) for level in levels)
    cells = max(5, most) + 1 if most > 4 or width >= HEAD + 6 * len(levels) else 5
    room = max(2, (width - HEAD) // cells)
    step = -(-len(levels) // room)
    shown = [*levels[:: max(1, step)]]
    if shown[-1] is not levels[-1]:
        shown[-1] = levels[-1]
    if looked_at := [level for level in levels if level["level"] == at and level not in shown]:
        before = sum(level["level"] < at for level in shown)
        shown[max(1, before - 1) if len(shown) > 2 else 0] = looked_at[0]
    return shown, cells


def level_at(details: Details, width: int, x: int, at: int | None = None) -> int | None:
    """The number of the level in a column of cells; None beside them. at : the one looked at."""
    shown, cells = _columns(details["levels"], width, at)
    place = (x - HEAD) // cells
    return int(shown[place]["level"]) if place in range(len(shown)) else None


def level_table(details: Details, at: int) -> Table:
    """The survivors of a level: a row for each group of prefixes in each arm."""
    level = next(level for level in details["levels"] if level["level"] == at)
    rows: list[tuple[Value, ...]] = []
    for group, words in (("targets", "targets"), ("hitters", "true hitters")):
        for arm in ("clean", "attacked"):
            measured = level[arm][group]
            mean, error, theory = (measured[n] for n in ("mean", "standard_error", "theory"))
            score = Estimate(mean, error, theory).z
            if theory or mean:
                rows.append((f"{words} {ARMS[arm][0]}", at, theory, mean, error, score))
    heads = ("approximation", MEASURED, "± error")
    columns = (Column("group"), Column("level"), *(Column(head, 3) for head in heads))
    return Table("", (*columns, Column("z", 2, sign=True)), tuple(rows))


def _level_rows(
    levels: Sequence[Details],
    look: Look,
    at: int | None,
    errors: bool,
) -> list[Row]:
    """A column for each level: bits, candidates, survivors; the one looked at has a pointer."""
    shown, cells = _columns(levels, look.width, at)
    digits = 2 if cells == 5 else 3
    numbers = [f"{PICKED * (level['level'] == at)}{level['level']}" for level in shown]
    lines: list[tuple[str, list[str], str]] = [
        ("level", [look.clean(number) for number in numbers], look.palette.muted),
        ("bits λ", [str(level["bits"]) for level in shown], look.palette.foreground),
        (
            "candidates",
            [fmt.count(level["candidates"]) for level in shown],
            look.palette.foreground,
        ),
    ]
    if any(level["target_prefixes"] for level in levels):
        prefixes = [str(level["target_prefixes"]) for level in shown]
        lines.append(("prefixes of targets", prefixes, look.palette.target))
    for group, words in (("targets", "targets"), ("hitters", "true hitters")):
        if group == "targets" and not any(level["attacked"][group]["theory"] for level in levels):
            continue
        for arm in ("clean", "attacked"):
            when, tone = ARMS[arm]
            means = [fmt.short(level[arm][group]["mean"], digits) for level in shown]
            lines.append((f"{words} {when}", means, look.palette.style(tone)))
            if errors and cells > 5:
                known = [level[arm][group]["standard_error"] for level in shown]
                lines.append(("  ±", [fmt.short(error, 2) for error in known], look.palette.muted))
            if arm == "attacked":
                expected = [fmt.short(level[arm][group]["theory"], digits) for level in shown]
                lines.append(("  approximation", expected, look.palette.theory))
    rows: list[Row] = []
    for name, values, style in lines:
        row: Row = [(pad(look.clean(name), HEAD), style)]
        row += [(pad(value, cells, right=True), style) for value in values]
        rows.append(row)
    return rows


def _item_rows(
    items: Sequence[Details],
    levels: Sequence[Details],
    look: Look,
) -> list[Row]:
    """A row for each item, as wide as there is room: the code last, as it may be long."""
    marks = ASCII_SHARES if look.charset == "ascii" else SHARES
    step = max(1, -(-len(levels) // MARKS))
    at = [*range(0, len(levels), step)]
    at[-1] = len(levels) - 1
    lengths = [level["bits"] for level in levels]
    code = lengths[-1] + len({*lengths})
    wide = look.width >= NAME + len(at) + 35 + code
    heads = [("item", NAME), ("", 4), ("levels", max(7, len(at) + 1)), ("lost at", 9),
             ("true", 12), ("est %", 9)]  # fmt: skip
    head = "".join(pad(name, cells, right=name in ("true", "est %")) for name, cells in heads)
    rows: list[Row] = [[(crop(head + ("  code" if wide else ""), look.width), look.palette.muted)]]
    for item in items:
        survived = item["attacked"]["survived"]
        style = look.palette.target if item["target"] else look.palette.foreground
        mark = look.clean("▸") if item["target"] else ""
        rank = f"#{item['rank']}" if item["rank"] else ""
        lost = lost_level(survived)
        estimate = item["attacked"]["estimate"]
        percent = "" if estimate is None else fmt.short(100 * estimate, 3, zeros=True)
        shares = "".join(marks[_eighth(survived[number])] for number in at)
        row: Row = [
            (pad(look.clean(f"{mark}{item['item']}"), NAME), style),
            (pad(rank, 4), look.palette.muted),
            (pad(shares, max(7, len(at) + 1)), style),
            (pad("named" if lost is None else f"level {lost}", 9),
             look.palette.foreground if lost is None else look.palette.muted),
            (pad(fmt.count(item["true"]), 12, right=True), look.palette.true),
            (pad(percent, 9, right=True), look.palette.attacked),
        ]  # fmt: skip
        if wide:
            row += [("  ", ""), *_code(item["code"], lengths, survived, style, look)]
        while length(row) > look.width:  # the last columns are the first to go
            row.pop()
        rows.append(row)
    return rows


def _code(
    code: str, lengths: Sequence[int], survived: Sequence[float], style: str, look: Look
) -> Row:
    """The code in the pieces that the levels add: those that mostly survive stand out."""
    ends = [0, *lengths]
    row: Row = []
    for (start, end), share in zip(pairwise(ends), survived, strict=True):
        if end > start:
            row.append((f"{code[start:end]} ", style if share >= 0.5 else look.palette.muted))
    return row


def lost_level(survived: Sequence[float]) -> int | None:
    """The level, from 1, that a prefix survives in less than half of the trials; None: never."""
    return next((number for number, share in enumerate(survived, 1) if share < 0.5), None)


def _eighth(share: float) -> int:
    return 0 if share == 0 else max(1, round(8 * share))


def items_table(details: Details) -> Table:
    """The watched items with true and estimated counts, a row each, and how often they are named.

    An estimated count is the mean where the item is in the answer, of all users of the arm. Few
    words: ten bits of code have room too beside the forms of a screen of 120 columns.
    """
    true, after, before = (Column(name, grouped=True) for name in ("true", "after", "before"))
    columns = (
        Column("item"), Column("T"), Column("rank"), true, after, Column("named %", 1), before,
        Column("before %", 1), Column("lost"), Column("code"),
    )  # fmt: skip
    genuine, everyone = details["users"], details["users"] + details["malicious"]
    rows = tuple(
        (
            item["item"],
            "▸" if item["target"] else "",
            item["rank"],
            item["true"],
            _counted(item["attacked"]["estimate"], everyone),
            100 * item["attacked"]["survived"][-1],
            _counted(item["clean"]["estimate"], genuine),
            100 * item["clean"]["survived"][-1],
            lost_level(item["attacked"]["survived"]),
            item["code"],
        )
        for item in details["watched"]
    )
    return Table("Targets T and true hitters, counts of users", columns, rows)


def _counted(estimate: float | None, users: int) -> int | None:
    return None if estimate is None else round(estimate * users)


GROUPS: Final[tuple[tuple[str, str, str, Tone], ...]] = (
    ("hitters", "clean", "true hitters before", "clean"),
    ("hitters", "attacked", "true hitters after", "attacked"),
    ("targets", "clean", "targets before", "muted"),
    ("targets", "attacked", "targets after", "target"),
)
"""The prefixes that are counted, and the arm, with their name and colour."""


def survivors_plot(details: Details, at: int | None = None) -> Plot:
    """The prefixes that survive each level: means as points, approximations as lines.

    at : the level that is looked at.
    """
    levels, trials = details["levels"], details["trials"]
    xs = [float(level["level"]) for level in levels]
    lines, points, most = list[Series](), list[Series](), 1.0
    for group, arm, name, tone in GROUPS:
        measured = [level[arm][group] for level in levels]
        means = [each["mean"] for each in measured]
        theory = [each["theory"] for each in measured]
        if group == "targets" and not any(level["attacked"][group]["theory"] for level in levels):
            continue
        known = [math.nan if value is None else value for value in theory]
        errors = [reach_95(trials) * (each["standard_error"] or 0.0) for each in measured]
        lines.append(Series(name, xs, known, tone, legend=False))
        points.append(Series(name, xs, means, tone, "points", errors))
        tops = [*(y for y in known if math.isfinite(y)), *map(sum, zip(means, errors, strict=True))]
        most = max(most, *tops)
    line = Series("line = approximation", (), (), "muted")
    shown = f"mean of {fmt.count(trials)} trials {INTERVAL}" if trials > 1 else "one trial"
    return Plot(
        "Survivors over the levels",
        Axis("level", low=0.5, high=len(levels) + 0.5, ticks=_numbers(levels)),
        Axis("prefixes that survive", low=0.0, high=1.05 * most),
        (*lines, *points, line),
        note=f"points: {shown}",
        cursor=None if at is None else float(at),
    )


def _numbers(levels: Sequence[Details]) -> list[tuple[float, str]]:
    """The levels that have a tick: all, or every second one, third one, …"""
    step = -(-len(levels) // 12)
    return [(float(level["level"]), str(level["level"])) for level in levels[::step]]


def counts_plot(details: Details) -> Plot:
    """The count of users that the server names for each watched item, over the true one.

    Both axes are logarithmic; the note says how many items have no place on them.
    """
    users = {"clean": details["users"], "attacked": details["users"] + details["malicious"]}
    series, values, placeless = list[Series](), list[float](), set[str]()
    for group, arm, name, tone in GROUPS[:2] + GROUPS[3:]:
        pairs = []
        for item in details["watched"]:
            if item["target"] == (group == "targets"):
                pair = item["true"], (item[arm]["estimate"] or 0.0) * users[arm]
                if min(pair) > 0:
                    pairs.append(pair)
                elif arm == "attacked":
                    placeless.add(item["item"])
        if pairs:
            xs, ys = zip(*pairs, strict=True)
            series.append(Series(name, xs, ys, tone, "points", cloud=False))
            values += [*xs, *ys]
    ends = (min(values) / 1.5, max(values) * 1.5) if values else (1.0, 10.0)
    notes = ["mean where an item is named"]
    if placeless:
        notes.append(f"{len(placeless)} of {len(details['watched'])} are not named or at 0")
    return Plot(
        "Estimated over true counts",
        Axis("true count of users", log=True, low=ends[0], high=ends[1]),
        Axis("estimated count of users", log=True, low=ends[0], high=ends[1]),
        (Series("estimated = true", ends, ends, "theory"), *series),
        note="; ".join(notes),
    )


def frame(details: Details | None) -> Frame | None:
    """The watched items with their counts; None before the first trial."""
    return None if details is None else Frame(items_table(details), counts_plot(details))
