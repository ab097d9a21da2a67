"""Heavy hitters item by item: true and estimated counts, and where an item is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..chart_data import ChartData
from ..series import Axis, Plot, Series
from .frame import Frame, plain_frame
from .levels import GROUPS, Details
from .table import ChartTable, TableColumn


def frame(data: ChartData, _: Mapping[str, str]) -> Frame | str:
    """The chart of the watched items (targets and true heavy hitters) with their counts."""
    details = data.run.levels if data.run is not None else None
    if details is None:
        return ""
    return plain_frame(items_table(details), counts_plot(details), column=3)


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


def counts_plot(details: Details) -> Plot:
    """The estimated count of each watched item over its true count.

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
