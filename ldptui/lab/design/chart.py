"""The charts of a design: noise over robustness, and what is best of both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from core.bounds import hardening
from core.errors import ScenarioError
from core.lab.designer import Demand, Design, Rated, rated
from core.protocols import DIALS, KINDS

from ...charts.series import Axis, Plot, Series, Tone
from ...text import format as text
from ..mechanisms import DRAWN, LOCAL, TONES

POINTS = 65
"""Points of the curve."""


def hardening_chart(demand: Demand, design: Design, beside: Rated) -> Plot:
    """The noise over the gain factor: the curve, named protocols, the ones found and beside."""
    marks = [*_named(demand)]
    least = hardening.least_gain_factor(demand.epsilon)
    most = max(each.gain_factor for each in (*design.best, *marks, beside))
    # From where the noise is ten times the least to the last mark.
    factors = least * (1 + np.geomspace(2e-3, max(2.0, most / least - 1), POINTS))
    noise = np.sqrt(hardening.curve_variance(factors, demand.epsilon) / demand.users)
    series = [Series("every UE and LH", factors, noise, "theory")]
    for each, tone in zip(marks, TONES, strict=False):
        name = str(each.table["kind"]).upper()
        series.append(_points(name, each.gain_factor, math.sqrt(each.mse), tone))
    series += [
        _points(f"now: {_kind(beside)}", beside.gain_factor, math.sqrt(beside.mse), "attacked"),
        _points(f"found: {_kind(design.found)}", design.found.gain_factor,
                math.sqrt(design.found.mse), "target"),
    ]  # fmt: skip
    return Plot(
        "Noise over what one fake can lift",
        Axis("gain factor a", log=True),
        Axis("error without an attack", log=True),
        tuple(series),
        note=f"ε = {text.short(demand.epsilon, 3)}: every protocol has a ≥ {text.short(least, 4)}",
    )


def _kind(each: Rated) -> str:
    return str(each.table["kind"]).upper()


def _points(label: str, x: float, y: float, tone: Tone) -> Series:
    return Series(label, (x,), (y,), tone, "points")


def _named(demand: Demand) -> Iterable[Rated]:
    """Protocols by name: those of a chart, and those that a dial makes as well."""
    dialled = {KINDS[kind].mechanism for kind in DIALS}
    for kind in LOCAL:
        if kind in DIALS or not (kind in DRAWN or KINDS[kind].mechanism in dialled):
            continue
        try:
            yield rated({"kind": kind, "epsilon": demand.epsilon}, demand)
        except ScenarioError:
            continue  # of some ε there is none


def pareto_chart(demand: Demand, design: Design, beside: Rated) -> Plot:
    """The joint gain over the noise: what each dial makes, and what no other beats in both."""
    every = [each for rows in design.rated.values() for each in rows]
    most = 20 * min(each.mse for each in every)
    series = []
    for (kind, rows), tone in zip(design.rated.items(), TONES, strict=False):
        shown = [each for each in rows if each.mse <= most]
        series.append(Series(kind.upper(), *_places(shown), tone, "dotted"))
    front = _front([each for each in (*every, *design.best) if each.mse <= most])
    series.append(Series("beaten by none", *_places(front), "theory"))
    series += [
        Series(f"now: {_kind(beside)}", *_places([beside]), "attacked", "points"),
        Series(f"found: {_kind(design.found)}", *_places([design.found]), "target", "points"),
    ]
    return Plot(
        "Gain of the attack over noise",
        Axis("error without an attack", log=True),
        Axis(f"gain of r = {demand.targets}", log=bool(demand.share)),
        tuple(series),
        note="each point is a protocol that runs: enter puts the one found into the scenario",
    )


def _places(rows: Sequence[Rated]) -> tuple[list[float], list[float]]:
    return [math.sqrt(each.mse) for each in rows], [each.gain for each in rows]


def _front(rows: Sequence[Rated]) -> list[Rated]:
    """The designs that no other beats in noise and in gain, by rising noise."""
    front: list[Rated] = []
    for each in sorted(rows, key=lambda one: (one.mse, one.gain)):
        if not front or each.gain < front[-1].gain:
            front.append(each)
    return front
