"""Heavy hitters item by item: true and estimated counts, and where an item is lost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from ...text import format as fmt
from ..chart_data import ChartData
from ..series import Bar, Bars, Grid
from .frame import Frame, FrameView
from .levels import Details
from .table import ChartTable, TableColumn


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
    """The watched items (targets and true heavy hitters) with their counts, and as another view
    where each is lost.
    """
    details = data.run.levels if data.run is not None else None
    if details is None:
        return ""
    bars, grid, table = count_bars(details), kept_grid(details), items_table(details)
    rows = dict(zip(grid.rows, table.rows, strict=True))
    counts = FrameView(
        "counts", lambda at, _: replace(bars, cursor=at or ""), [*rows],
        lambda at: replace(table, rows=(rows[at],)),
        lambda at, _: (at, 0) if at in rows else None,
    )  # fmt: skip
    levels = FrameView(
        "levels", lambda at, _: replace(grid, cursor=at), [*product(rows, grid.columns)],
        lambda at: replace(table, rows=(rows[at[0]],)), lambda at, _: (at, 0),
    )  # fmt: skip
    stride = len(grid.columns) if chosen.get("view") == "levels" else 1
    return Frame(table, {"counts": counts, "levels": levels}, column=0, stride=stride)


def lost_level(survived: Sequence[float]) -> int | None:
    """The first level, from 1, that a prefix survives in less than half of the trials; None if it
    always survives.
    """
    return next((number for number, share in enumerate(survived, 1) if share < 0.5), None)


def items_table(details: Details) -> ChartTable:
    """The table of the watched items: true and estimated counts, and how often the server names
    each item.

    An estimated count is the mean over the trials that name the item, in users of the arm. Heads
    are short, so that codes of ten bits fit beside the forms at 120 columns.
    """
    true, after, before = (TableColumn(name, grouped=True) for name in ("true", "after", "before"))
    columns = (
        TableColumn("item"), TableColumn("T"), TableColumn("rank"), true, after,
        TableColumn("named %", 1), before, TableColumn("before %", 1), TableColumn("lost"),
        TableColumn("code"),
    )  # fmt: skip
    genuine, everyone = details["users"], details["users"] + details["malicious"]
    rows = tuple(
        (
            item["item"],
            "▸" if item["target"] else "",
            item["rank"],
            item["true"],
            _user_count(item["attacked"]["estimate"], everyone),
            100 * item["attacked"]["survived"][-1],
            _user_count(item["clean"]["estimate"], genuine),
            100 * item["clean"]["survived"][-1],
            lost_level(item["attacked"]["survived"]),
            item["code"],
        )
        for item in details["watched"]
    )
    return ChartTable("Targets T and true hitters, counts of users", columns, rows)


def _user_count(estimate: float | None, users: int) -> int | None:
    return None if estimate is None else round(estimate * users)


def count_bars(details: Details) -> Bars:
    """The estimated counts of the watched items before and after the attack, beside the true
    ones.
    """
    genuine, everyone = details["users"], details["users"] + details["malicious"]
    bars = []
    for name, item in zip(_names(details), details["watched"], strict=True):
        before = _user_count(item["clean"]["estimate"], genuine) or 0.0
        after = _user_count(item["attacked"]["estimate"], everyone)
        value = math.nan if after is None else after
        bars.append(Bar(name, value, true=item["true"], before=before, target=item["target"]))
    never = sum(math.isnan(bar.value) for bar in bars)
    notes = ["mean where an item is named; the table has ranks, and where an item is lost"]
    notes += [f"{never} of {len(bars)} are never named after the attack"] if never else []
    return Bars("Counts of users", tuple(bars), note="; ".join(notes))


def kept_grid(details: Details) -> Grid:
    """The map of the trials in which each watched item survives each level, after the attack."""
    kept = [item["attacked"]["survived"] for item in details["watched"]]
    return Grid(
        "Where items are lost: % of trials that keep each", "item, code", "level", _names(details),
        tuple(str(level["level"]) for level in details["levels"]),
        tuple(tuple(round(100 * share, 12) for share in shares) for shares in kept),
        f"{fmt.count(details['trials'])} trials; targets first",
    )  # fmt: skip


def _names(details: Details) -> tuple[str, ...]:
    return tuple(f"{item['item']} {item['code']}" for item in details["watched"])
