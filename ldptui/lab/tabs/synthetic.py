"""Synthetic: a column drawn from private frequencies, and what it is off by."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from core.bounds import Range
from core.cell import Cell
from core.central import Curator
from core.central.accuracy import BUDGET
from core.errors import ScenarioError
from core.ledger import Spent
from core.protocols import Rappor
from core.pure import Rng
from core.sampling import Counts, Floats
from core.synthetic import (
    ROWS,
    note,
    on_the_simplex,
    synthetic_counts,
    synthetic_items,
    write_synthetic,
)

from ... import format as text
from ...series import Axis, Plot, Series
from ..output import Report, Row, row
from ..price import curator
from . import Ask, Steps, answer_of
from .histograms import neighbours, ranked

SOURCES: Final = {"laplace": "DR 3.3", "geometric": "GRS", "stability": "V th. 3.5"}


def work(ask: Ask) -> Steps:
    cell, rng = ask.cell, ask.rng
    population = cell.population
    histogram, d, n = population.histogram, population.domain_size, population.users
    rows = ask.integer("rows", ROWS)
    name = ask.word("column")
    if not name:
        raise ScenarioError("must be a name for the column", key="column")
    source = ask.word("source")
    yield f"asking {text.count(n)} users once"
    if source == "protocol":
        estimates, spent, what = _reported(cell, rng)
    else:
        mechanism = _curator(ask, source, d)
        estimates = mechanism.sample(histogram[None], rng)[0] / n
        spent, what = Spent(mechanism.epsilon, mechanism.delta), f"a {source} histogram"
    yield f"drawing {text.count(rows)} synthetic rows"
    corrected = on_the_simplex(estimates)
    counts = synthetic_counts(estimates, rows, rng)
    about = note(spent, what, rows)
    words = [_sentence(about), f"Population: d = {text.count(d)} items, n = {text.count(n)} users."]
    path = ask.word("path")
    if path:
        yield f"writing {text.count(rows)} rows"
        labels = population.labels or tuple(map(str, range(d)))
        items = synthetic_items(counts, rng)
        beside = write_synthetic(Path(path), name, labels, items, about)
        words.insert(0, f"Wrote {path}, and the note of its budget as {beside.name} beside it.")
    true = population.frequencies
    report = Report(
        f"Errors of {text.count(rows)} synthetic rows from {what}",
        _errors(true, estimates, corrected, counts / rows, rows, source),
        (),
    )
    charts = (_beside(true, counts, what), _off(true, corrected, counts))
    return answer_of(report, *charts, words=words)


def _curator(ask: Ask, kind: str, d: int) -> Curator:
    epsilon, delta = ask.number("epsilon", BUDGET), ask.number("delta", Range(0, 1, "[)"))
    return curator(kind, d, epsilon, delta, neighbours(ask))


def _reported(cell: Cell, rng: Rng) -> tuple[Floats, Spent, str]:
    """One collection of the scenario's protocol: estimates, its budget, and what it is called."""
    protocol, population = cell.protocol, cell.population
    kind = str(cell.parameters["protocol.kind"]).upper()
    if isinstance(protocol, Curator):
        counts = protocol.sample(population.histogram[None], rng)[0]
        spent = Spent(protocol.epsilon, protocol.delta)
        return counts / population.users, spent, f"a {kind.lower()} histogram"
    epsilon = protocol.epsilon if not isinstance(protocol, Rappor) else (
        protocol.noise.epsilon_one(protocol.hashes))  # fmt: skip
    counts = protocol.sample_counts(population.histogram[None], rng)
    found = protocol.estimates(counts, population.users).frequencies[0]
    return np.asarray(found), Spent(float(epsilon), 0.0), f"{kind} estimates"


def _sentence(about: str) -> str:
    return about.strip().replace("epsilon", "ε").replace("delta", "δ")


def _errors(
    true: Floats, estimates: Floats, corrected: Floats, drawn: Floats, rows: int, source: str
) -> list[Row]:
    """How far frequencies are from the truth: mean squared and largest."""
    cited = SOURCES.get(source, "W17")
    sampling = float(np.sqrt((corrected * (1 - corrected)).mean() / rows))
    found = []
    for name, values, where in (
        ("estimates", estimates, cited),
        ("on the simplex", corrected, "N-Sub"),
        ("synthetic column", drawn, "DR pr. 2.1"),
    ):
        off = values - true
        found.append(row(f"{name}: error", float(np.sqrt((off**2).mean())), "√MSE", where))
        found.append(row(f"{name}: worst", float(np.abs(off).max()), "largest |error|", where))
    found.append(row("drawing the rows adds", sampling, "√(mean f(1 − f) / rows)", "binomial"))
    found.append(row("budget spent by drawing", "0", "post-processing", "DR pr. 2.1"))
    return found


def _beside(true: Floats, counts: Counts, what: str) -> Plot:
    items, ranks, thinned = ranked(np.asarray(true * 1e15, dtype=np.int64))
    drawn = counts / counts.sum()
    steep = bool(true[items[0]] > 50 * max(true[items[-1]], 1e-300))

    def on_axis(values: Floats) -> Floats:
        shown = values[items]
        return np.where(shown > 0, shown, np.nan) if steep else shown

    return Plot(
        f"Synthetic and true frequencies, from {what}",
        Axis("rank of the item by its true frequency", log=thinned),
        Axis("frequency", log=steep),
        (
            Series("true", ranks, on_axis(true), "true"),
            Series("synthetic", ranks, on_axis(drawn), "attacked", "points"),
        ),
    )


def _off(true: Floats, corrected: Floats, counts: Counts) -> Plot:
    items, ranks, thinned = ranked(np.asarray(true * 1e15, dtype=np.int64))
    drawn = counts / counts.sum()
    return Plot(
        "Frequency − true frequency",
        Axis("rank of the item by its true frequency", log=thinned),
        Axis("error"),
        (
            Series("private estimate", ranks, (corrected - true)[items], "clean", "points"),
            Series("synthetic", ranks, (drawn - true)[items], "attacked", "points"),
        ),
        levels=((0.0, "0"),),
    )
