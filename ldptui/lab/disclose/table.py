"""A table of people: k-anonymity, l-diversity, t-closeness, attributes that give others away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ldptui.core.lab.disclosure import (
    MOST_VALUES,
    AttributePrivacy,
    Implication,
    attribute_privacy,
    diversity,
    group,
)

from ...charts.series import Bar, Bars
from ...text import format as text
from ..answer import Figure, shares
from ..asking import Row, Steps, answer_of, joined, named_columns, row
from ..questions.curators import DiscloseOptions

TOLD: Final = 8
"""Implications that are told in words, those of most rows first."""
SHOWN: Final = 16
"""Bars of a chart."""
SIZES: Final = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""The least sizes of the groups of classes."""


@dataclass(frozen=True)
class Spread:
    """A sensitive column within the classes: l-diversity, t-closeness, and what is given away."""

    values: int
    l_distinct: int
    l_entropy: float
    t_equal: float
    t_ordered: float
    order: str
    homogeneous_share: float


@dataclass(frozen=True)
class Disclosed:
    """k, l and t of a table, and its attribute privacy, None where it has one column.

    class_sizes : each size of a class with the number of such classes.
    """

    rows: int
    quasi: Sequence[str]
    classes: int
    k: int
    unique_share: float
    share_below_5: float
    class_sizes: Sequence[tuple[int, int]]
    sensitive: Mapping[str, Spread]
    attributes: AttributePrivacy | None


def answer(path: Path, name: str, options: DiscloseOptions) -> Steps:
    """What a CSV table gives away; name : of the table, in the title. Raises LdpError."""
    yield f"reading {path.name} and grouping its rows by {joined(options.quasi)}"
    values = _disclosed(path, options)
    rows_of = f"{text.count(values.rows)} rows"
    return answer_of(
        f"{name}: {rows_of}, quasi-identifiers {joined(values.quasi)}",
        _rows(values),
        values=values,
        verdict=tuple(_verdict(values)),
        notes=tuple(_notes(values)),
        figures=_figures(values),
    )


def _disclosed(path: Path, options: DiscloseOptions) -> Disclosed:
    columns = named_columns(path, options.quasi, "quasi", MOST_VALUES)
    hidden = named_columns(path, options.sensitive, "sensitive") if options.sensitive else []
    classes = group(columns)
    sizes, numbers = np.unique(classes.sizes, return_counts=True)
    sensitive, attributes = {}, None
    for column in hidden:
        spread = diversity(classes, column)
        sensitive[column.name] = Spread(
            len(column.values),
            spread.l_distinct,
            spread.l_entropy,
            spread.t_equal,
            spread.t_ordered,
            "number" if spread.by_number else "alphabet",
            spread.homogeneous_share,
        )
    if len(columns) + len(hidden) > 1:
        attributes = attribute_privacy([*columns, *hidden], options.observed)
    return Disclosed(
        classes.rows,
        options.quasi,
        classes.sizes.size,
        classes.k,
        classes.unique_share,
        classes.share_below(5),
        list(zip(sizes.tolist(), numbers.tolist(), strict=True)),
        sensitive,
        attributes,
    )


def _rows(values: Disclosed) -> Iterator[Row]:
    below = text.percent(values.share_below_5)
    yield row("k", text.count(values.k), "rows of the smallest class", "k")
    yield row("classes", text.count(values.classes), "different quasi-identifiers", "k")
    yield row("unique rows", text.percent(values.unique_share), "alone in their class", "k")
    yield row("rows in small classes", below, "of fewer than 5 rows", "k")
    for name, spread in values.sensitive.items():
        away = text.percent(spread.homogeneous_share)
        distinct = text.count(spread.l_distinct)
        yield row(f"{name}: distinct l", distinct, "fewest values of a class", "l")
        yield row(f"{name}: entropy l", spread.l_entropy, "least e^entropy of a class", "l")
        yield row(f"{name}: t, equal", spread.t_equal, "largest Σ|p − q|/2 of a class", "t")
        yield row(f"{name}: t, ordered", spread.t_ordered, f"earth mover's, by {spread.order}", "t")
        yield row(f"{name}: given away", away, "rows whose class has one value", "l")
    if values.attributes is not None:
        for name, count in values.attributes.exposed.items():
            share = text.percent(count / values.rows)
            yield row(f"{name}: follows", share, "rows: from all other columns", "E")


def _notes(values: Disclosed) -> Iterator[str]:
    attributes = values.attributes
    if attributes is None:
        return
    yield (
        "attribute privacy holds: nobody's value follows from their others (φ∘ψ = Id)"
        if attributes.private
        else "no attribute privacy: some values follow from others (φ∘ψ ≠ Id)"
    )
    yield from _implied(attributes.implications, values.rows)
    subsets = sorted(attributes.identifications, key=lambda subset: -subset.rows)
    yield from [
        f"to know {joined(subset.observed)} identifies {text.plural(subset.rows, 'row')}"
        for subset in subsets
        if subset.rows
    ][:TOLD]


def _implied(implications: Sequence[Implication], rows: int) -> Iterator[str]:
    """The implications that concern most people who are not identified anyway."""
    for rule in sorted(implications, key=lambda rule: rule.alone - rule.rows)[:TOLD]:
        several = rule.rows - rule.alone
        if several:
            *seen, last = rule.example
            pairs = joined([f"{c} {v}" for c, v in zip(rule.observed, seen, strict=True)])
            yield (
                f"{joined(rule.observed)} ⇒ {rule.implied} in {text.percent(several / rows)} "
                f"of the rows: whoever is seen with {pairs} also has {rule.implied} {last}"
            )


def _verdict(values: Disclosed) -> Iterator[str]:
    k, rows = values.k, text.count(values.rows)
    who = joined(values.quasi)
    if k == 1:
        alone = text.percent(values.unique_share)
        yield f"Not anonymous: {who} single out {alone} of the {rows} rows (k = 1)."
    else:
        yield f"{k}-anonymous: who knows {who} of somebody finds at least {k} rows."
    for name, spread in values.sensitive.items():
        if away := spread.homogeneous_share:
            yield (
                f"{name} is given away for {text.percent(away)} of the rows: their class has one "
                "value alone."
            )
        else:
            yield f"Every class has at least {spread.l_distinct} values of {name}."


# Charts.


def _figures(values: Disclosed) -> Iterator[Figure]:
    yield shares(_classes(values), values.rows, "rows")
    if values.attributes is not None:
        yield shares(_identified(values.attributes, values.rows), values.rows, "rows")


def _classes(values: Disclosed) -> Bars:
    """The share of rows in classes of each size."""
    rows: Counter[int] = Counter()
    for size, number in values.class_sizes:
        start = max(least for least in SIZES if least <= size)
        rows[start] += size * number
    bars = []
    for at, start in enumerate(SIZES):
        end = SIZES[at + 1] - 1 if at + 1 < len(SIZES) else None
        label = "1, unique" if start == 1 else (
            f"{start} or more" if end is None else str(start) if end == start else f"{start}–{end}"
        )  # fmt: skip
        bars.append(Bar(label, rows[start] / values.rows, target=start == 1))
    while len(bars) > 1 and not bars[-1].value:
        bars.pop()
    return Bars(
        "Rows by the size of their class",
        tuple(bars),
        note=f"a class agrees on {joined(values.quasi)}",
        item="class of",
        value="share",
    )


def _identified(attributes: AttributePrivacy, rows: int) -> Bars:
    """The share of rows that are alone with their values, for each few columns."""
    ranked = sorted(attributes.identifications, key=lambda subset: -subset.rows)
    bars = [Bar(", ".join(subset.observed), subset.rows / rows) for subset in ranked]
    return Bars(
        "Rows that are singled out by what is observed",
        tuple(bars[:SHOWN]),
        rest=f"{len(bars) - SHOWN} more" if len(bars) > SHOWN else "",
        item="observed",
        value="share",
    )
