"""Sensitivity: what one person changes in a column's totals, and what clipping costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from msgspec.structs import replace

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.sampling import Floats
from ldptui.core.lab.columns import Column
from ldptui.core.lab.sensitivity import QUERIES, Bounds, Query, clipping, least_bound, of_query
from ldptui.core.lab.sensitivity import Clipping as Clipped
from ldptui.core.protocols.curators import Neighbours

from ..charts.series import Axis, Bar, Bars, Plot, Series
from ..text import format as text
from .answer import Figure, figure, shares
from .asking import Ask, Row, Steps, answer_of, columns_of, offered, row
from .questions.curators import SensitivityOptions

POINTS: Final = 41
"""Clipping bounds that are tried."""
SLICES: Final = 14
"""Bars of the distribution of the column."""

FORMULAS: Final[dict[Query, dict[Neighbours, str]]] = {
    "count": {"change-one": "a changed row is still a row", "add-remove": "one row"},
    "sum": {"change-one": "high − low", "add-remove": "max(|low|, |high|)"},
    "mean": {"change-one": "(high − low) / n", "add-remove": "(high − low) / 2, whatever n"},
    "histogram": {"change-one": "a bin less, a bin more", "add-remove": "one bin"},
}
FREE: Final = (
    "Without bounds that are known beforehand a sum and a mean have no finite sensitivity: one "
    "person could add anything, and no noise hides that."
)
NUMERIC: Final = ("sum", "mean")


@dataclass(frozen=True)
class Width:
    """A query's ℓ₁-sensitivity, infinite where it is unbounded, and its noise."""

    sensitivity: float
    unbounded: bool
    noise_std: float


@dataclass(frozen=True)
class Error:
    """The error of a private sum over numbers that are clipped to C."""

    bound: float
    bias: float
    noise: float
    error: float


@dataclass(frozen=True)
class Clipping:
    """The errors of a private sum over the bounds that are tried, and the least."""

    sum: float
    bound: Sequence[float]
    bias: Sequence[float]
    noise: Sequence[float]
    error: Sequence[float]
    best: Error

    @property
    def tried(self) -> list[Error]:
        """The errors, bound by bound."""
        columns = (self.bound, self.bias, self.noise, self.error)
        return [Error(*each) for each in zip(*columns, strict=True)]


@dataclass(frozen=True)
class Sensitivities:
    """What one person changes in a column's totals.

    values : the number of different ones. minimum, maximum : None where no number is needed.
    bounds : what is known beforehand of every number. clipping : of a sum, None where no number is
    needed, or all are 0.
    """

    file: str
    column: str
    rows: int
    values: int
    minimum: float | None
    maximum: float | None
    epsilon: float
    neighbours: Neighbours
    bounds: tuple[float, float] | None
    queries: Mapping[Query, Width]
    clipping: Clipping | None


def answer(options: SensitivityOptions, ask: Ask) -> Steps:
    """The sensitivities, and the trade-off of clipping; of a tab, with a bound that is chosen."""
    if ask.tab:
        return (yield from _clipped_answer(options, ask))
    bounds = None if options.bounds is None else Bounds(*options.bounds)
    queries = _queries(options.query)
    (column,) = columns_of(ask.file(options.file), [options.column])
    try:
        values = sensitivities(options, column, queries, bounds)
    except ScenarioError as error:
        if not error.rule.startswith("must be numeric"):
            raise
        rule = f"{error.rule}; of such a column --query count,histogram alone"
        raise ScenarioError(rule, key=error.key) from error
    known = _known(bounds, not options.nonnegative)
    refuted = "" if values.minimum is None else refutation(column.numbers(), *known)
    size = f"{text.count(values.rows)} rows, ε = {text.short(values.epsilon)}"
    return answer_of(
        f"{options.file}, column {values.column}: {size}",
        _rows(values),
        values=values,
        notes=(*([refuted] if refuted else []), *_notes(values)),
    )


def _known(bounds: Bounds | None, negative: bool) -> tuple[float, float]:
    """The ends that every number is known to lie between beforehand; infinite where none is."""
    low, high = (-math.inf, math.inf) if bounds is None else (bounds.low, bounds.high)
    return low if negative else max(low, 0.0), high


def refutation(held: Floats, low: float, high: float) -> str:
    """The sentence about numbers that are not where all are known to be; "" if none is."""
    outside = held[(held < low) | (held > high)]
    if not outside.size:
        return ""
    farthest = outside[np.argmax(np.maximum(low - outside, outside - high))]
    rule = f"in [{text.short(low)}, {text.short(high)}]" if math.isfinite(high) else (
        f"at least {text.short(low)}"
    )  # fmt: skip
    verb = "is" if outside.size == 1 else "are"
    return (
        f"the file refutes what is known beforehand: {text.count(outside.size)} of "
        f"{text.count(held.size)} numbers {verb} not {rule}, the farthest is "
        f"{text.short(float(farthest))}; this noise does not hide such a person"
    )


def _queries(names: Sequence[str]) -> tuple[Query, ...]:
    """The queries of these names, all where none is named; raises ScenarioError."""
    for name in names:
        if name not in QUERIES:
            known = ", ".join(QUERIES)
            raise ScenarioError(f"must be some of {known}, {got(name)}", key="query")
    return tuple(query for query in QUERIES if query in names or not names)


def sensitivities(
    options: SensitivityOptions, column: Column, queries: Sequence[Query], bounds: Bounds | None
) -> Sensitivities:
    """The sensitivities of some queries; raises ScenarioError."""
    rows, epsilon, near = column.codes.size, options.epsilon, options.neighbours
    widths = {}
    for query in queries:
        width = of_query(query, near, bounds, rows)
        widths[query] = Width(width, math.isinf(width), math.sqrt(2) * width / epsilon)
    numeric = any(query in NUMERIC for query in queries)
    held = column.numbers() if numeric else None
    return Sensitivities(
        options.file,
        column.name,
        rows,
        len(column.values),
        None if held is None else float(held.min()),
        None if held is None else float(held.max()),
        epsilon,
        near,
        None if bounds is None else (bounds.low, bounds.high),
        widths,
        None if held is None else _clipping(held, options, bounds),
    )


def _clipping(held: Floats, options: SensitivityOptions, known: Bounds | None) -> Clipping | None:
    largest = float(np.abs(held).max())
    if largest == 0:
        return None
    negative = not options.nonnegative and (known is None or known.low < 0)
    epsilon, near = options.epsilon, options.neighbours
    bounds = np.geomspace(largest / 1000, 2 * largest, POINTS)
    least = least_bound(held, epsilon, near, negative)
    tried = clipping(held, epsilon, np.append(bounds, least), near, negative)  # the last is best
    columns = tried.bound, tried.bias, tried.noise, tried.error
    bound, bias, noise, error = (column[:-1].tolist() for column in columns)
    best = Error(*(float(column[-1]) for column in columns))
    return Clipping(float(held.sum()), bound, bias, noise, error, best)


def clipping_chart(values: Sensitivities, tried: Clipping) -> Plot:
    """Bias, noise and error of a private sum over the bound."""
    return Plot(
        f"Clipping the sum of {values.column}",
        Axis("bound C", log=True),
        Axis("error of the sum", log=True),
        (
            Series("|bias|", tried.bound, [abs(bias) for bias in tried.bias], "attacked"),
            Series("noise", tried.bound, tried.noise, "clean"),
            Series("error", tried.bound, tried.error, "true"),
        ),
        note=f"ε = {text.short(values.epsilon)}, least at C = {text.short(tried.best.bound, 3)}",
    )


def _rows(values: Sensitivities) -> Iterator[Row]:
    for query, width in values.queries.items():
        shown = "unbounded" if width.unbounded else text.short(width.sensitivity, 6)
        why = "no bounds are known" if width.unbounded else FORMULAS[query][values.neighbours]
        yield row(f"{query}: sensitivity", shown, why, "DR def. 3.1")
    for query, width in values.queries.items():
        if not width.unbounded:
            yield row(f"{query}: noise", width.noise_std, "√2 Δ/ε", "DR 3.3")
    if (tried := values.clipping) is not None:
        for each in tried.tried[::5]:
            formula = f"√({text.short(abs(each.bias), 3)}² + {text.short(each.noise, 3)}²)"
            yield row(f"sum clipped to {text.short(each.bound, 3)}", each.error, formula, "AKMV")
        best = tried.best
        yield row("least error", best.error, f"at C = {text.short(best.bound, 3)}", "AKMV")


def _notes(values: Sensitivities) -> Iterator[str]:
    yield f"{values.neighbours} neighbours"
    if any(width.unbounded for width in values.queries.values()):
        yield (
            "unbounded: one person can change it by any amount; give --bounds that hold whatever "
            "the data, or clip"
        )
    if values.clipping is not None:
        yield (
            "clipped: √(bias² + noise²) of the private sum; the best bound is read off the data, "
            "and to choose it so is not private"
        )


# The tab.


def _clipped_answer(options: SensitivityOptions, ask: Ask) -> Steps:
    path, name = ask.file(options.file), options.column
    epsilon, near, negative = options.epsilon, options.neighbours, not options.nonnegative
    known = yield from offered(path, "column")
    if not name:
        raise ScenarioError(f"must be one of {', '.join(known[:8])}", key="column")
    yield f"reading the column {name} of {path.name}"
    (column,) = columns_of(path, [name])
    bare = sensitivities(options, column, QUERIES, None)
    tried = bare.clipping
    if tried is None:
        raise ScenarioError(f"must hold a number that is not 0, got none in {name!r}", key="column")
    chosen = options.bound or tried.best.bound
    bounds = Bounds(-chosen if negative else 0.0, chosen)
    values = column.numbers()
    at = clipping(values, epsilon, np.array([chosen]), near, negative)
    low, error, total = text.short(bounds.low), float(at.error[0]), tried.sum
    best = tried.best
    rows = [
        *_widths(bare.queries, near, bounds, values.size),
        row("clipped sum: bias", float(at.bias[0]), f"Σ clip(x, {low}, C) − Σ x", "AKMV"),
        row("clipped sum: noise", float(at.noise[0]), "√2 Δ/ε", "DR 3.3"),
        row("clipped sum: error", error, "√(bias² + noise²)", "AKMV"),
        row("least error, at C", best.bound, f"error {text.short(best.error)}", "AKMV"),
    ]
    outside = float(((values > bounds.high) | (values < bounds.low)).mean())
    share = text.percent(error / abs(total)) if total else text.MISSING
    trade = "A small C biases the sum, a large C needs much noise."
    if options.bound is None:
        trade += (
            " C is here where the error is least, read off the data: to choose it so for a "
            "release is not private."
        )
    refuted = refutation(values, *_known(None, negative))
    off = (
        f"With ε = {text.short(epsilon)} and numbers clipped to [{low}, {text.short(chosen)}] a "
        f"private sum of {name} is off by {text.short(error, 3)}, {share} of it. "
        f"{text.percent(outside)} of the rows are clipped."
    )
    against = [f"{refuted[:1].upper()}{refuted[1:]}: negative numbers count as 0."]
    figures = (
        _with_bound(clipping_chart(bare, tried), tried, at),
        shares(_spread(name, values, bounds), values.size, "rows"),
    )
    rows_of = f"{text.count(values.size)} rows"
    title = f"{path.name}, {name}: {rows_of}, ε = {text.short(epsilon)}, {near}"
    verdict = (off, *(against if refuted else ()), FREE, trade)
    return answer_of(title, rows, verdict=verdict, figures=figures)


def _with_bound(curve: Plot, tried: Clipping, chosen: Clipped) -> Figure:
    """The curves over the bounds that were tried, and the bound that is chosen."""
    bound, bias, noise, error = (
        float(column[0]) for column in (chosen.bound, chosen.bias, chosen.noise, chosen.error)
    )
    mark = Series(f"C = {text.short(bound)}", (bound,), (error,), "target", "points")
    lines = {(each.bound, each.bias, each.noise, each.error) for each in tried.tried}
    rows = [
        ("sum", at, abs(away), *errors)
        for at, away, *errors in sorted({*lines, (bound, bias, noise, error)})
    ]
    plot = replace(curve, series=(*curve.series, mark))
    return figure(plot, ("", "C", "|bias|", "noise", "error"), rows)


def _widths(
    queries: Mapping[Query, Width], near: Neighbours, bounds: Bounds, size: int
) -> Iterator[Row]:
    """The sensitivity of each query without bounds and, where that is unbounded, within them."""
    for query in QUERIES:
        free, formula = queries[query], FORMULAS[query][near]
        if not free.unbounded:
            yield row(f"Δ of {query}", free.sensitivity, formula, "DR def. 3.1")
            continue
        yield row(f"Δ of {query}", "unbounded", "no bounds are known", "DR def. 3.1")
        clipped = of_query(query, near, bounds, size)
        yield row(f"Δ of {query}, clipped", clipped, formula, "DR def. 3.1")


def _spread(name: str, values: Floats, bounds: Bounds) -> Bars:
    counts, edges = np.histogram(values, bins=SLICES)
    bars = [
        Bar(
            f"from {text.short(low, 3)}",
            count / values.size,
            target=bool(high > bounds.high or low < bounds.low),
        )
        for count, low, high in zip(
            counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True
        )
    ]
    return Bars(
        f"Values of {name}, as shares of the rows",
        tuple(bars),
        note=f"▸ holds values outside [{text.short(bounds.low)}, {text.short(bounds.high)}]",
        item="values",
        value="share",
    )
