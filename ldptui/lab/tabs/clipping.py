"""Clipping: how much one person can change a query on a column, and what bounding that costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from core.errors import ScenarioError
from core.lab.sensitivity import QUERIES, Bounds, clipping, of_query
from core.protocols.curators.accuracy import BUDGET
from core.sampling import Floats

from ...charts.series import Bar, Bars, Series
from ...text import format as text
from .. import sensitivity
from ..output import Report, row
from . import Ask, Offers, Steps, answer_of, columns_of, header_of
from .histograms import neighbours

SLICES: Final = 14
"""Bars of the distribution of the column."""


def work(ask: Ask) -> Steps:
    path, name = ask.file("file"), ask.word("column")
    epsilon, near = ask.number("epsilon", BUDGET), neighbours(ask)
    negative = ask.word("negative") == "yes"
    given = ask.values.get("bound") not in (None, "")
    known = header_of(path)
    yield Offers({"column": known})
    if not name:
        raise ScenarioError(f"must be one of {', '.join(known[:8])}", key="column")
    yield f"reading the column {name} of {path.name}"
    (column,) = columns_of(path, [name])
    bare = sensitivity.sensitivities(column, QUERIES, epsilon, near, None, negative)
    tried = bare["clipping"]
    if tried is None:
        raise ScenarioError(f"must hold a number that is not 0, got none in {name!r}", key="column")
    chosen = ask.positive("bound") if given else float(tried["best"]["bound"])
    bounds = Bounds(-chosen if negative else 0.0, chosen)
    values = column.numbers()
    at = clipping(values, epsilon, np.array([chosen]), near, negative)
    rows = []
    for query in QUERIES:
        free = bare["queries"][query]
        formula = sensitivity.FORMULAS[query][near]
        if not free["unbounded"]:
            rows.append(row(f"Δ of {query}", free["sensitivity"], formula, "DR def. 3.1"))
            continue
        rows.append(row(f"Δ of {query}", "unbounded", "no bounds are known", "DR def. 3.1"))
        clipped = of_query(query, near, bounds, values.size)
        rows.append(row(f"Δ of {query}, clipped", clipped, formula, "DR def. 3.1"))
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
    if not given:
        trade += (
            " C is here where the error is least, read off the data: to choose it so for a "
            "release is not private."
        )
    rows_of = f"{text.count(values.size)} rows"
    title = f"{path.name}, {name}: {rows_of}, ε = {text.short(epsilon)}, {near}"
    curve = sensitivity.clipping_chart(bare)
    assert curve is not None
    mark = Series(f"C = {text.short(chosen)}", (chosen,), (error,), "target", "points")
    charts = (replace(curve, series=(*curve.series, mark)), _spread(name, values, bounds))
    return answer_of(Report(title, rows, ()), *charts, words=(verdict, free, trade))


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
