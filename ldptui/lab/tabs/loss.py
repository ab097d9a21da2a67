"""Loss: the privacy-loss random variable, the check of the definition, and the audit."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from core.bounds import Range
from core.errors import ScenarioError
from core.lab.audit import CELLS
from core.lab.loss import DiscreteLoss, Loss
from core.protocols.curators.accuracy import BUDGET
from core.pure import DOMAIN, EPSILON
from core.sampling import Floats

from ...charts.series import Axis, Bar, Bars, Chart, Plot, Series
from ...text import format as text
from .. import check
from ..options import CURATORS, LOCAL
from . import SEED, Ask, Steps, answer_of

POINTS: Final = 401
SLICES: Final = 12
"""Bars of a law that is continuous."""
SAMPLES: Final = Range(1000, 10_000_000)


def work(ask: Ask) -> Steps:
    kind = ask.word("mechanism")
    own = kind == "plugin"
    epsilon = None
    if kind != "rappor":
        epsilon = ask.number("epsilon", BUDGET if kind in (*CURATORS, "exponential") else EPSILON)
    items = ask.integer("items", DOMAIN) if kind in (*LOCAL, "rappor", "plugin") else None
    audited = own or ask.word("audit") == "yes"
    options = ask.options(
        protocol=_place(ask) if own else kind,
        epsilon=epsilon,
        items=items,
        hash_range=None,
        delta=ask.number("delta", Range(0, 1, "[)")) if kind == "stability" or own else 0.0,
        neighbours=ask.word("neighbours"),
        audit=audited,
        samples=ask.integer("samples", SAMPLES) if audited else 200_000,
        confidence=ask.number("confidence", Range(0, 1, "()")) if audited else 0.999,
        seed=ask.integer("seed", SEED),
    )
    if kind == "rappor":
        for name, most in (("bits", 4096), ("hashes", 16), ("cohorts", 4096)):
            ask.integer(name, Range(1, most))
    yield "going through the reports"
    subject = check.subject_of(options)
    if audited or not (subject.proved or subject.disproved):
        yield f"auditing {text.count(options.samples)} reports of each input"
    values = check.findings(options, subject)
    report = check.report(options, values)
    words = []
    if values["enumeration"] is None and kind in (*LOCAL, "rappor"):
        words.append(
            f"Too many reports to go through one by one (more than {text.count(CELLS)} "
            "probabilities): fewer items make a proof by enumeration."
        )
    charts = () if subject.loss is None else loss_charts(subject.loss, report.title)
    verdict, *rest = report.notes
    sentence = verdict[:1].upper() + verdict[1:] + "."
    return answer_of(report._replace(notes=rest), *charts, words=(sentence, *words))


def _place(ask: Ask) -> str:
    place = ask.word("plugin")
    if ":" not in place:
        raise ScenarioError(
            "must be FILE.py:NAME, where NAME(items, epsilon) gives an object with "
            f"perturb(values, rng){f', got {place}' if place else ''}",
            key="plugin",
        )
    return str(ask.folder / place)


def loss_charts(loss: Loss, title: str) -> tuple[Chart, ...]:
    """The tail of a privacy loss, and its law."""
    if math.isfinite(loss.maximum):
        most = loss.maximum
    else:  # an item that only one user holds is given away, up to δ
        assert isinstance(loss, DiscreteLoss)
        most = max(1.0, *np.abs(loss.values[np.isfinite(loss.values)]).tolist())
    grid = np.linspace(-1.1 * most, 1.1 * most, POINTS)
    if isinstance(loss, DiscreteLoss):
        # A step has two ends.
        steps = loss.values[np.isfinite(loss.values)]
        grid = np.sort(np.concatenate([grid, steps, steps - 1e-9 * most]))
    tail = np.array([loss.tail(float(t)) for t in grid])
    series = [Series("Pr[L > t]", grid, tail, "clean")]
    if math.isfinite(loss.mean):
        series.append(
            Series(f"mean {text.short(loss.mean)}", (loss.mean,), (loss.tail(loss.mean),),
                   "theory", "points")
        )  # fmt: skip
    if math.isfinite(loss.maximum):
        largest = f"largest {text.short(loss.maximum)}"
        series.append(Series(largest, (loss.maximum,), (0.0,), "attacked", "points"))
    return (
        Plot(
            f"How likely a loss above t is: {title}",
            Axis("t, nats"),
            Axis("probability", low=0.0, high=1.0),
            tuple(series),
        ),
        _law(loss, title),
    )


def _law(loss: Loss, title: str) -> Bars:
    about = "Law of the privacy loss L"
    if isinstance(loss, DiscreteLoss):
        bars = [
            Bar(f"L = {text.short(float(value), 3)}", float(chance))
            for value, chance in zip(loss.values[::-1], loss.probabilities[::-1], strict=True)
        ]
        return Bars(f"{about}: {title}", tuple(bars), item="loss", value="chance")
    edges: Floats = np.linspace(-loss.maximum, loss.maximum, SLICES + 1)
    # What is at the lower end belongs to the first slice.
    tails = [1.0, *(loss.tail(float(t)) for t in edges[1:-1]), 0.0]
    bars = [
        Bar(f"{text.short(low, 2)} … {text.short(high, 2)}", above - below)
        for low, high, above, below in zip(
            edges[:-1].tolist(), edges[1:].tolist(), tails[:-1], tails[1:], strict=True
        )
    ]
    return Bars(f"{about}: {title}", tuple(reversed(bars)), item="loss", value="chance")
