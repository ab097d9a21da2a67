"""Clipping: how much one person can change a query on a column, and what bounding that costs."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from core.central.accuracy import BUDGET, Neighbours
from core.errors import ScenarioError
from core.sampling import Floats
from core.sensitivity import Bounds, Clipping, Query, clipping, of_query

from ... import format as text
from ...series import Axis, Bar, Bars, Plot, Series
from ..output import Report, Row, row
from . import Ask, Offers, Steps, answer_of, columns_of, header_of
from .histograms import neighbours

POINTS: Final = 121
SLICES: Final = 14
"""Bars of the distribution of the column."""


def work(ask: Ask) -> Steps:
    path, name = ask.file("file"), ask.word("column")
    epsilon, near = ask.number("epsilon", BUDGET), neighbours(ask)
    negative = ask.word("negative") == "yes"
    known = header_of(path)
    yield Offers({"column": known})
    if not name:
        raise ScenarioError(f"must be one of {', '.join(known[:8])}", key="column")
    yield f"reading the column {name} of {path.name}"
    values = columns_of(path, [name])[0].numbers()
    if not np.any(values):
        raise ScenarioError(f"must hold a number that is not 0, got none in {name!r}", key="column")
    largest = float(np.abs(values).max())
    typical = float(np.median(np.abs(values[values != 0])))
    grid = np.geomspace(min(typical / 30, largest / 3), 2 * largest, POINTS)
    curve = clipping(values, epsilon, grid, near, negative)
    best = curve.best
    chosen = float(grid[best])
    given = ask.values.get("bound") not in (None, "")
    if given:
        chosen = ask.positive("bound")
    at = clipping(values, epsilon, np.array([chosen]), near, negative)
    bounds = Bounds(-chosen if negative else 0.0, chosen)
    size, total = values.size, float(values.sum())
    rows = _sensitivities(size, bounds, near)
    low = text.short(bounds.low)
    rows += [
        row("bias of the clipped sum", float(at.bias[0]), f"Σ clip(x, {low}, C) − Σ x", "A19"),
        row("noise of the clipped sum", float(at.noise[0]), "√2 Δ/ε", "DR 3.3"),
        row("error of the clipped sum", float(at.error[0]), "√(bias² + noise²)", "A19"),
        row(
            "least error, at C", float(grid[best]), f"error {text.short(curve.error[best])}", "A19"
        ),
    ]
    above = float((values > bounds.high).mean() + (values < bounds.low).mean())
    share = text.percent(float(at.error[0]) / abs(total)) if total else text.MISSING
    clipped = text.percent(above)
    off = text.short(float(at.error[0]), 3)
    verdict = (
        f"With ε = {text.short(epsilon)} and numbers clipped to [{low}, {text.short(chosen)}] a "
        f"private sum of {name} is off by {off}, {share} of it. {clipped} of the rows are clipped."
    )
    bare = (
        "Without bounds that are known beforehand a sum and a mean have no finite sensitivity: "
        "one person could add anything, and no noise hides that."
    )
    trade = "A small C biases the sum, a large C needs much noise."
    if not given:
        trade += (
            " C is here where the error is least, read off the data: to choose it so for a "
            "release is not private."
        )
    words = (verdict, bare, trade)
    title = f"{path.name}, {name}: {text.count(size)} rows, ε = {text.short(epsilon)}, {near}"
    charts = (_trade_off(name, curve, chosen, float(at.error[0])), _spread(name, values, bounds))
    return answer_of(Report(title, rows, ()), *charts, words=words)


def _sensitivities(rows: int, bounds: Bounds, near: Neighbours) -> list[Row]:
    """The sensitivity of each query, without bounds and with them."""
    change, source = near == "change-one", "DR def. 3.1"
    found = [
        row("Δ of a count", of_query("count", near), "rows more or less", source),
        row("Δ of a histogram", of_query("histogram", near), "bins that change by 1", source),
    ]
    sums = "width of the bounds" if change else "largest |bound|"
    means = "width / n" if change else "width / 2: n is secret"
    queries: tuple[tuple[Query, str], ...] = (("sum", sums), ("mean", means))
    for query, formula in queries:
        bare = of_query(query, near, None, rows)
        shown = "unbounded" if math.isinf(bare) else text.short(bare)
        found.append(row(f"Δ of a {query}", shown, "no bounds are known", source))
        clipped = of_query(query, near, bounds, rows)
        found.append(row(f"Δ of a clipped {query}", clipped, formula, source))
    return found


def _trade_off(name: str, curve: Clipping, chosen: float, error: float) -> Plot:
    bias = np.abs(curve.bias)
    return Plot(
        f"Error of a private sum of {name} over the clipping bound",
        Axis("clipping bound C", log=True),
        Axis("error of the sum", log=True),
        (
            Series("error", curve.bound, curve.error, "true"),
            Series("bias", curve.bound, np.where(bias > 0, bias, np.nan), "attacked"),
            Series("noise", curve.bound, curve.noise, "clean"),
            Series(f"C = {text.short(chosen)}", (chosen,), (error,), "target", "points"),
        ),
    )


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
