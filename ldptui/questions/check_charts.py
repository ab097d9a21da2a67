"""The charts of a check: the tail of the privacy loss, and its law."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from ldptui.core.base.sampling import Floats
from ldptui.core.law.loss import DiscreteLoss, Loss

from ..charts.series import Axis, Bar, Bars, Plot, Series
from ..text import format as text
from .sheet import Figure, figure, shares

POINTS: Final = 401
READ: Final = 41
"""Thresholds that a cursor goes through, of a law that is continuous."""
SLICES: Final = 12
"""Bars of a law that is continuous."""


def loss_charts(loss: Loss, title: str) -> Iterator[Figure]:
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
    plot = Plot(
        f"How likely a loss above t is: {title}",
        Axis("t, nats"),
        Axis("probability", low=0.0, high=1.0),
        tuple(series),
    )
    yield figure(plot, *_chances(loss, most))
    yield shares(_law(loss, title))


def _chances(loss: Loss, most: float) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    """The chances that a cursor reads: at each loss there is, or at thresholds up to `most`."""
    if isinstance(loss, DiscreteLoss):
        law = zip(loss.values.tolist(), loss.probabilities.tolist(), strict=True)
        rows = [("chance", t, loss.tail(t), chance) for t, chance in law if math.isfinite(t)]
        return ("", "t", "Pr[L > t]", "Pr[L = t]"), rows
    places = np.linspace(-most, most, READ).tolist()
    return ("", "t", "Pr[L > t]"), [("chance", t, loss.tail(t)) for t in places]


def _law(loss: Loss, title: str) -> Bars:
    about = "Law of the privacy loss L"
    if isinstance(loss, DiscreteLoss):
        bars = [
            Bar(text.short(float(value), 3), float(chance))
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
