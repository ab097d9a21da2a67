"""A table of people: k-anonymity, l-diversity, t-closeness, attributes that give others away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from ldptui.core.lab.disclosure import MOST_VALUES, attribute_privacy, diversity, group

from ...charts.series import Bar, Bars
from ...text import format as text
from ..asking import Steps, answer_of, named_columns
from ..figure import shares
from ..output import Report, Row, joined, row

TOLD: Final = 8
"""Implications that are told in words, those of most rows first."""
SHOWN: Final = 16
"""Bars of a chart."""
SIZES: Final = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""The least sizes of the groups of classes."""


def values_of(
    path: Path, quasi: Sequence[str], sensitive: Sequence[str], observed: int
) -> dict[str, Any]:
    """k, l and t of a CSV table, and its attribute privacy; raises LdpError."""
    columns = named_columns(path, quasi, "quasi", MOST_VALUES)
    hidden = named_columns(path, sensitive, "sensitive") if sensitive else []
    classes = group(columns)
    sizes, numbers = np.unique(classes.sizes, return_counts=True)
    values: dict[str, Any] = {
        "rows": classes.rows,
        "quasi": list(quasi),
        "classes": classes.sizes.size,
        "k": classes.k,
        "unique_share": classes.unique_share,
        "share_below_5": classes.share_below(5),
        "class_sizes": list(map(list, zip(sizes.tolist(), numbers.tolist(), strict=True))),
        "sensitive": {},
        "attributes": None,
    }
    for column in hidden:
        spread = diversity(classes, column)
        values["sensitive"][column.name] = {
            "values": len(column.values),
            "l_distinct": spread.l_distinct,
            "l_entropy": spread.l_entropy,
            "t_equal": spread.t_equal,
            "t_ordered": spread.t_ordered,
            "order": "number" if spread.by_number else "alphabet",
            "homogeneous_share": spread.homogeneous_share,
        }
    if len(columns) + len(hidden) > 1:
        values["attributes"] = asdict(attribute_privacy([*columns, *hidden], observed))
    return values


def report(file: str, values: dict[str, Any]) -> Report:
    """The table for people."""
    below = text.percent(values["share_below_5"])
    rows: list[Row] = [
        row("k", text.count(values["k"]), "rows of the smallest class", "k"),
        row("classes", text.count(values["classes"]), "different quasi-identifiers", "k"),
        row("unique rows", text.percent(values["unique_share"]), "alone in their class", "k"),
        row("rows in small classes", below, "of fewer than 5 rows", "k"),
    ]
    for name, column in values["sensitive"].items():
        order = "by number" if column["order"] == "number" else "by alphabet"
        away = text.percent(column["homogeneous_share"])
        rows += [
            row(
                f"{name}: distinct l",
                text.count(column["l_distinct"]),
                "fewest values of a class",
                "l",
            ),
            row(f"{name}: entropy l", column["l_entropy"], "least e^entropy of a class", "l"),
            row(f"{name}: t, equal", column["t_equal"], "largest Σ|p − q|/2 of a class", "t"),
            row(f"{name}: t, ordered", column["t_ordered"], f"earth mover's, {order}", "t"),
            row(f"{name}: given away", away, "rows whose class has one value", "l"),
        ]
    notes = []
    attributes = values["attributes"]
    if attributes is not None:
        for name, count in attributes["exposed"].items():
            share = text.percent(count / values["rows"])
            rows.append(row(f"{name}: follows", share, "rows: from all other columns", "E"))
        notes.append(
            "attribute privacy holds: nobody's value follows from their others (φ∘ψ = Id)"
            if attributes["private"]
            else "no attribute privacy: some values follow from others (φ∘ψ ≠ Id)"
        )
        notes += _implied(attributes["implications"], values["rows"])
        notes += [
            f"to know {joined(subset['observed'])} identifies "
            f"{text.count(subset['rows'])} row{'s' * (subset['rows'] != 1)}"
            for subset in sorted(attributes["identifications"], key=lambda subset: -subset["rows"])
            if subset["rows"]
        ][:TOLD]
    rows_of = f"{text.count(values['rows'])} rows"
    title = f"{file}: {rows_of}, quasi-identifiers {joined(values['quasi'])}"
    return Report(title, rows, notes)


def _implied(implications: list[dict[str, Any]], rows: int) -> list[str]:
    """The implications that concern most people who are not identified anyway."""
    lines = []
    for rule in sorted(implications, key=lambda rule: rule["alone"] - rule["rows"])[:TOLD]:
        several = rule["rows"] - rule["alone"]
        if several:
            *seen, last = rule["example"]
            pairs = joined([f"{c} {v}" for c, v in zip(rule["observed"], seen, strict=True)])
            lines.append(
                f"{joined(rule['observed'])} ⇒ {rule['implied']} in {text.percent(several / rows)} "
                f"of the rows: whoever is seen with {pairs} also has {rule['implied']} {last}"
            )
    return lines


# The tab.


def work(path: Path, quasi: Sequence[str], sensitive: Sequence[str], observed: int) -> Steps:
    yield f"reading {path.name} and grouping its rows by {joined(quasi)}"
    values = values_of(path, quasi, sensitive, observed)
    charts = [_classes(values)]
    if values["attributes"] is not None:
        charts.append(_identified(values["attributes"]["identifications"], values["rows"]))
    figures = (shares(chart, values["rows"], "rows") for chart in charts)
    return answer_of(report(path.name, values), *figures, words=_verdict(values))


def _verdict(values: Mapping[str, Any]) -> tuple[str, ...]:
    k, rows = values["k"], text.count(values["rows"])
    who = joined(values["quasi"])
    if k == 1:
        alone = text.percent(values["unique_share"])
        first = f"Not anonymous: {who} single out {alone} of the {rows} rows (k = 1)."
    else:
        first = f"{k}-anonymous: who knows {who} of somebody finds at least {k} rows."
    words = [first]
    for name, column in values["sensitive"].items():
        away = column["homogeneous_share"]
        if away:
            words.append(
                f"{name} is given away for {text.percent(away)} of the rows: their class has one "
                "value alone."
            )
        else:
            words.append(f"Every class has at least {column['l_distinct']} values of {name}.")
    return tuple(words)


def _classes(values: Mapping[str, Any]) -> Bars:
    """The share of rows in classes of each size."""
    rows: Counter[int] = Counter()
    for size, number in values["class_sizes"]:
        start = max(least for least in SIZES if least <= size)
        rows[start] += size * number
    bars = []
    for at, start in enumerate(SIZES):
        end = SIZES[at + 1] - 1 if at + 1 < len(SIZES) else None
        label = "1, unique" if start == 1 else (
            f"{start} or more" if end is None else str(start) if end == start else f"{start}–{end}"
        )  # fmt: skip
        bars.append(Bar(label, rows[start] / values["rows"], target=start == 1))
    while len(bars) > 1 and not bars[-1].value:
        bars.pop()
    return Bars(
        "Rows by the size of their class",
        tuple(bars),
        note=f"a class agrees on {joined(values['quasi'])}",
        item="class of",
        value="share",
    )


def _identified(identifications: Sequence[Mapping[str, Any]], rows: int) -> Bars:
    """The share of rows that are alone with their values, for each few columns."""
    ranked = sorted(identifications, key=lambda subset: -subset["rows"])
    bars = [Bar(", ".join(subset["observed"]), subset["rows"] / rows) for subset in ranked]
    return Bars(
        "Rows that are singled out by what is observed",
        tuple(bars[:SHOWN]),
        rest=f"{len(bars) - SHOWN} more" if len(bars) > SHOWN else "",
        item="observed",
        value="share",
    )
