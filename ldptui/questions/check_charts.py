"""The charts of a check: the tail of the privacy loss, and its law."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from ldptui.core.law.loss import DiscreteLoss, Loss

from ..charts.series import Axis, Bar, Bars, Plot, Series, Tone
from ..text import format as text
from .sheet import Figure, figure, shares

POINTS: Final = 401
SLICES: Final = 12
"""Bars of a law that is continuous, and places of its cursor."""


def loss_charts(loss: Loss, title: str) -> Iterator[Figure]:
    """Yields the charts of a privacy loss: its tail, and its distribution."""
    is_discrete, most = isinstance(loss, DiscreteLoss), loss.maximum
    values = loss.values if isinstance(loss, DiscreteLoss) else np.empty(0)
    steps = values[np.isfinite(values)]
    if not math.isfinite(most):  # an item that only one user holds is given away, up to δ
        most = max(1.0, float(np.abs(steps).max(initial=0.0)))
    # A step has two ends.
    grid = np.linspace(-1.1 * most, 1.1 * most, POINTS)
    grid = np.sort(np.concatenate([grid, steps, steps - 1e-9 * most]))
    series = [Series("Pr[L > t]", grid, [loss.tail(float(t)) for t in grid], "clean")]
    marks: list[tuple[str, float, Tone]] = [
        ("mean", loss.mean, "theory"), ("largest", loss.maximum, "attacked")
    ]  # fmt: skip
    series += [
        Series(f"{name} {text.short(at)}", (at,), (loss.tail(at),), tone, "points")
        for name, at, tone in marks
        if math.isfinite(at)
    ]
    axes = Axis("t, nats"), Axis("probability", low=0.0, high=1.0)
    plot = Plot(f"How likely a loss above t is: {title}", *axes, tuple(series))
    places = (steps if is_discrete else np.linspace(-most, most, SLICES + 1)).tolist()
    rows = [("chance", t, loss.tail(t)) for t in places]
    yield figure(plot, ("", "t", "Pr[L > t]"), rows)
    if isinstance(loss, DiscreteLoss):
        law = [(text.short(float(value), 3), float(chance))
               for value, chance in zip(values, loss.probabilities, strict=True)]  # fmt: skip
    else:
        # What is at the lower end belongs to the first slice.
        tails = [1.0, *(loss.tail(t) for t in places[1:-1]), 0.0]
        law = [
            (f"{text.short(places[at], 2)} … {text.short(places[at + 1], 2)}",
             tails[at] - tails[at + 1])
            for at in range(SLICES)
        ]  # fmt: skip
    bars = tuple(Bar(label, chance) for label, chance in reversed(law))
    title = f"Law of the privacy loss L: {title}"
    yield shares(Bars(title, bars, item="loss", value="chance"))
