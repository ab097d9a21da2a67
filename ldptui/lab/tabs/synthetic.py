"""Synthetic: a column drawn from private frequencies, and what it is off by."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.bounds import Range
from core.errors import ScenarioError
from core.lab.synthetic import ROWS
from core.protocols.curators.accuracy import BUDGET
from core.sampling import Floats

from ...charts.series import Axis, Plot, Series
from ...text import format as text
from .. import synthetic
from ..mechanisms import curator
from ..output import row
from . import Ask, Steps, answer_of
from .histograms import neighbours, ranked


def work(ask: Ask) -> Steps:
    cell, rng = ask.cell.first, ask.rng
    rows, name, source = ask.integer("rows", ROWS), ask.word("column"), ask.word("source")
    if not name:
        raise ScenarioError("must be a name for the column", key="column")
    if source != "protocol":
        epsilon, delta = ask.number("epsilon", BUDGET), ask.number("delta", Range(0, 1, "[)"))
        items = cell.population.domain_size
        mechanism = curator(source, items, epsilon, delta, neighbours(ask))
        parameters = {**cell.parameters, "protocol.kind": source}
        cell = replace(cell, protocol=mechanism, parameters=parameters, noise=None)
    yield f"asking {text.count(cell.users)} users once, and drawing {text.count(rows)} rows"
    drawn = synthetic.draw(cell, rows, rng)
    values = {**drawn.values(), "column": name}
    report = synthetic.report("your population", values)
    words = _sentences(values["note"])
    if path := ask.word("path"):
        yield f"writing {text.count(rows)} rows"
        beside = drawn.write(Path(path), name, rng)
        words.insert(0, f"Wrote {path}, and the note of its budget as {beside.name} beside it.")
    corrected = drawn.corrected
    own = float(np.sqrt(corrected * (1 - corrected) / rows).sum() / np.sqrt(2 * np.pi))
    added = row("drawing adds about", own, "½ Σ √(2f(1−f)/(π rows))", "binomial")
    table = report._replace(rows=[*report.rows, added], notes=())
    return answer_of(table, _beside(drawn), _off(drawn), words=words)


def _sentences(about: str) -> list[str]:
    """The note that goes with the rows, its sentences one by one: the first is the verdict."""
    return re.split(r"(?<=\.) ", about.strip().replace("epsilon", "ε").replace("delta", "δ"))


def _beside(drawn: synthetic.Drawn) -> Plot:
    true = drawn.cell.population.frequencies
    items, ranks, thinned = ranked(drawn.cell.population.histogram)
    steep = bool(true[items[0]] > 50 * max(true[items[-1]], 1e-300))

    def on_axis(values: Floats) -> Floats:
        shown = values[items]
        return np.where(shown > 0, shown, np.nan) if steep else shown

    return Plot(
        f"Synthetic and true frequencies, from {synthetic.source_of(drawn.cell)}",
        Axis("rank of the item by its true frequency", log=thinned),
        Axis("frequency", log=steep),
        (
            Series("true", ranks, on_axis(true), "true"),
            Series("synthetic", ranks, on_axis(drawn.counts / drawn.rows), "attacked", "points"),
        ),
    )


def _off(drawn: synthetic.Drawn) -> Plot:
    true = drawn.cell.population.frequencies
    items, ranks, thinned = ranked(drawn.cell.population.histogram)
    made = drawn.counts / drawn.rows
    return Plot(
        "Frequency − true frequency",
        Axis("rank of the item by its true frequency", log=thinned),
        Axis("error"),
        (
            Series("estimate", ranks, (drawn.corrected - true)[items], "clean", "points"),
            Series("synthetic", ranks, (made - true)[items], "attacked", "points"),
        ),
        levels=((0.0, "0"),),
    )
