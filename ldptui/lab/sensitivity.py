"""Sensitivity: what one person changes in a column's totals, and what clipping costs."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.sampling import Floats
from ldptui.core.lab.columns import Column, read_columns
from ldptui.core.lab.sensitivity import QUERIES, Bounds, Clipping, Query, clipping, of_query
from ldptui.core.protocols.curators import Neighbours

from ..charts.series import Axis, Bar, Bars, Plot, Series, Tone
from ..terminal import exits
from ..text import format as text
from .asking import Ask, Offers, Steps, answer_of, columns_of, header_of
from .figure import Figure, figure, shares
from .output import Report, Row, laid_out, row, show

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
NUMERIC: Final = ("sum", "mean")
LINES: Final = ("bound", "bias", "noise", "error")


def run(options: Namespace) -> int:
    """Print the sensitivities, and the trade-off of clipping."""
    bounds = None if options.bounds is None else Bounds(*options.bounds)
    queries = _queries(options.query)
    (column,) = read_columns(Path(options.file), [options.column])
    try:
        values = sensitivities(
            column, queries, options.epsilon, options.neighbours, bounds, not options.nonnegative
        )
    except ScenarioError as error:
        if not error.rule.startswith("must be numeric"):
            raise
        rule = f"{error.rule}; of such a column --query count,histogram alone"
        raise ScenarioError(rule, key=error.key) from error
    known = _known(bounds, not options.nonnegative)
    refuted = "" if values["minimum"] is None else refutation(column.numbers(), *known)
    table = report(options.file, values)
    notes = [refuted, *table.notes] if refuted else table.notes
    show(options, {"file": options.file, **values}, laid_out(*table._replace(notes=notes)))
    return exits.DONE


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
    column: Column,
    queries: tuple[Query, ...],
    epsilon: float,
    neighbours: Neighbours,
    bounds: Bounds | None = None,
    negative: bool = True,
) -> dict[str, Any]:
    """Each query's ℓ₁-sensitivity and noise, unbounded ones as infinity; raises ScenarioError.

    bounds : what is known beforehand of every number, None if nothing is. clipping : of a sum, for
    bounds C; None where no number is needed, or all are 0.
    """
    rows = column.codes.size
    noise = {}
    for query in queries:
        width = of_query(query, neighbours, bounds, rows)
        noise[query] = {
            "sensitivity": width,
            "unbounded": math.isinf(width),
            "noise_std": math.sqrt(2) * width / epsilon,
        }
    numeric = any(query in NUMERIC for query in queries)
    held = column.numbers() if numeric else None
    return {
        "column": column.name,
        "rows": rows,
        "values": len(column.values),
        "minimum": None if held is None else float(held.min()),
        "maximum": None if held is None else float(held.max()),
        "epsilon": epsilon,
        "neighbours": neighbours,
        "bounds": None if bounds is None else [bounds.low, bounds.high],
        "queries": noise,
        "clipping": None if held is None else _clipping(held, epsilon, neighbours, negative),
    }


def _clipping(
    held: Floats, epsilon: float, neighbours: Neighbours, negative: bool
) -> dict[str, Any] | None:
    largest = float(np.abs(held).max())
    if largest == 0:
        return None
    tried = clipping(
        held, epsilon, np.geomspace(largest / 1000, 2 * largest, POINTS), neighbours, negative
    )
    best = tried.best
    return {
        "sum": float(held.sum()),
        "bound": tried.bound.tolist(),
        "bias": tried.bias.tolist(),
        "noise": tried.noise.tolist(),
        "error": tried.error.tolist(),
        "best": {
            "bound": float(tried.bound[best]),
            "bias": float(tried.bias[best]),
            "noise": float(tried.noise[best]),
            "error": float(tried.error[best]),
        },
    }


def clipping_chart(values: dict[str, Any]) -> Plot | None:
    """Bias, noise and error of a private sum over the bound; None where nothing is clipped."""
    tried = values["clipping"]
    if tried is None:
        return None
    lines: tuple[tuple[str, list[float], Tone], ...] = (
        ("|bias|", [abs(bias) for bias in tried["bias"]], "attacked"),
        ("noise", tried["noise"], "clean"),
        ("error", tried["error"], "true"),
    )
    return Plot(
        f"Clipping the sum of {values['column']}",
        Axis("bound C", log=True),
        Axis("error of the sum", log=True),
        tuple(Series(name, tried["bound"], ys, tone) for name, ys, tone in lines),
        note=f"ε = {text.short(values['epsilon'])}, least at C = "
        f"{text.short(tried['best']['bound'], 3)}",
    )


def report(file: str, values: dict[str, Any]) -> Report:
    """The table in words."""
    near: Neighbours = values["neighbours"]
    rows: list[Row] = []
    for query, width in values["queries"].items():
        shown = "unbounded" if width["unbounded"] else text.short(width["sensitivity"], 6)
        why = "no bounds are known" if width["unbounded"] else FORMULAS[query][near]
        rows.append(row(f"{query}: sensitivity", shown, why, "DR def. 3.1"))
    for query, width in values["queries"].items():
        if not width["unbounded"]:
            rows.append(row(f"{query}: noise", width["noise_std"], "√2 Δ/ε", "DR 3.3"))
    notes = [f"{near} neighbours"]
    if any(width["unbounded"] for width in values["queries"].values()):
        notes.append(
            "unbounded: one person can change it by any amount; give --bounds that hold whatever "
            "the data, or clip"
        )
    tried = values["clipping"]
    if tried is not None:
        chosen = [*range(0, len(tried["bound"]), 5)]
        for at in chosen:
            bias, noise = (text.short(abs(tried[key][at]), 3) for key in ("bias", "noise"))
            name = f"sum clipped to {text.short(tried['bound'][at], 3)}"
            rows.append(row(name, tried["error"][at], f"√({bias}² + {noise}²)", "AKMV"))
        best = tried["best"]
        rows.append(
            row("least error", best["error"], f"at C = {text.short(best['bound'], 3)}", "AKMV")
        )
        notes.append(
            "clipped: √(bias² + noise²) of the private sum; the best bound is read off the data, "
            "and to choose it so is not private"
        )
    size = f"{text.count(values['rows'])} rows, ε = {text.short(values['epsilon'])}"
    return Report(f"{file}, column {values['column']}: {size}", rows, notes)


# The tab.


def work(ask: Ask) -> Steps:
    path, name = ask.file(), ask.given.column
    epsilon, near, negative = ask.given.epsilon, ask.given.neighbours, not ask.given.nonnegative
    known = header_of(path)
    yield Offers({"column": known})
    if not name:
        raise ScenarioError(f"must be one of {', '.join(known[:8])}", key="column")
    yield f"reading the column {name} of {path.name}"
    (column,) = columns_of(path, [name])
    bare = sensitivities(column, QUERIES, epsilon, near, None, negative)
    tried = bare["clipping"]
    if tried is None:
        raise ScenarioError(f"must hold a number that is not 0, got none in {name!r}", key="column")
    chosen = ask.given.bound or float(tried["best"]["bound"])
    bounds = Bounds(-chosen if negative else 0.0, chosen)
    values = column.numbers()
    at = clipping(values, epsilon, np.array([chosen]), near, negative)
    rows = _widths(bare["queries"], near, bounds, values.size)
    low, error, total = text.short(bounds.low), float(at.error[0]), tried["sum"]
    best = tried["best"]
    rows += [
        row("clipped sum: bias", float(at.bias[0]), f"Σ clip(x, {low}, C) − Σ x", "AKMV"),
        row("clipped sum: noise", float(at.noise[0]), "√2 Δ/ε", "DR 3.3"),
        row("clipped sum: error", error, "√(bias² + noise²)", "AKMV"),
        row("least error, at C", best["bound"], f"error {text.short(best['error'])}", "AKMV"),
    ]
    outside = float(((values > bounds.high) | (values < bounds.low)).mean())
    share = text.percent(error / abs(total)) if total else text.MISSING
    verdict = (
        f"With ε = {text.short(epsilon)} and numbers clipped to [{low}, {text.short(chosen)}] a "
        f"private sum of {name} is off by {text.short(error, 3)}, {share} of it. "
        f"{text.percent(outside)} of the rows are clipped."
    )
    free = (
        "Without bounds that are known beforehand a sum and a mean have no finite sensitivity: "
        "one person could add anything, and no noise hides that."
    )
    trade = "A small C biases the sum, a large C needs much noise."
    if ask.given.bound is None:
        trade += (
            " C is here where the error is least, read off the data: to choose it so for a "
            "release is not private."
        )
    rows_of = f"{text.count(values.size)} rows"
    title = f"{path.name}, {name}: {rows_of}, ε = {text.short(epsilon)}, {near}"
    curve = clipping_chart(bare)
    assert curve is not None
    figures = (
        _with_bound(curve, tried, at),
        shares(_spread(name, values, bounds), values.size, "rows"),
    )
    words = [verdict, free, trade]
    if refuted := refutation(values, *_known(None, negative)):
        words.insert(1, f"{refuted[:1].upper()}{refuted[1:]}: negative numbers count as 0.")
    return answer_of(Report(title, rows, ()), *figures, words=words)


def _with_bound(curve: Plot, tried: Mapping[str, Any], chosen: Clipping) -> Figure:
    """The curves over the bounds that were tried, and the bound that is chosen."""
    bound, error = float(chosen.bound[0]), float(chosen.error[0])
    mark = Series(f"C = {text.short(bound)}", (bound,), (error,), "target", "points")
    lines = [zip(*(map(float, each[key]) for key in LINES), strict=True)
             for each in (tried, vars(chosen))]  # fmt: skip
    rows = [("sum", at, abs(bias), *errors) for at, bias, *errors in sorted({*chain(*lines)})]
    plot = replace(curve, series=(*curve.series, mark))
    return figure(plot, ("", "C", "|bias|", "noise", "error"), rows)


def _widths(
    queries: Mapping[str, Mapping[str, Any]], near: Neighbours, bounds: Bounds, size: int
) -> list[Row]:
    """The sensitivity of each query without bounds and, where that is unbounded, within them."""
    rows = []
    for query in QUERIES:
        free = queries[query]
        formula = FORMULAS[query][near]
        if not free["unbounded"]:
            rows.append(row(f"Δ of {query}", free["sensitivity"], formula, "DR def. 3.1"))
            continue
        rows.append(row(f"Δ of {query}", "unbounded", "no bounds are known", "DR def. 3.1"))
        clipped = of_query(query, near, bounds, size)
        rows.append(row(f"Δ of {query}, clipped", clipped, formula, "DR def. 3.1"))
    return rows


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
