"""The charts of a design: the noise over the gain factor, the gain over the noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds import hardening
from ldptui.core.lab.designer import Demand, Design, Rated, rated
from ldptui.core.protocols import DIALS, KINDS

from ..catalogue import key_words
from ..charts.series import TONES, Axis, Plot, Series, Tone
from ..text import format as text
from .mechanisms import DRAWN, LOCAL
from .sheet import Figure, figure


def name_protocol(each: Rated) -> str:
    """A protocol by its kind and its dial: UE p = 0.96."""
    kind = str(each.table["kind"])
    key = DIALS[kind].name if kind in DIALS else ""
    value = each.table.get(key)
    if not isinstance(value, int | float):
        return kind.upper()
    return f"{kind.upper()} {key_words(f'protocol.{key}').short} = {text.short(value, 6)}"


def cost_of(each: Rated, design: Design) -> float | None:
    """What is minimised, of a protocol; None where it weighs a success without a formula."""
    weighed = design.weights is not None and design.weights.guessed
    return None if weighed and each.guessed is None else design.cost(each)


POINTS: Final = 65
"""Points of the curve."""


def hardening_figure(demand: Demand, design: Design, beside: Rated) -> Figure:
    """The noise over the gain factor: the curve, named protocols, the ones found and beside.

    Its cursor goes through the protocols: each beside the noise of a UE or LH with its a.
    """
    marks = [*_named_protocols(demand)]
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
    plot = Plot(
        "Noise over what one fake can lift",
        Axis("gain factor a", log=True),
        Axis("error without an attack", log=True),
        tuple(series),
        note=f"ε = {text.short(demand.epsilon, 3)}: every protocol has a ≥ {text.short(least, 4)}",
    )
    rows = [
        (
            name_protocol(each),
            each.gain_factor,
            math.sqrt(each.mse),
            _on_curve(each, demand),
            each.bits,
        )
        for each in _distinct([*marks, beside, design.found])
    ]
    return figure(plot, ("protocol", "a", "error", "UE, LH of this a", "bits"), rows)


def _on_curve(each: Rated, demand: Demand) -> float | None:
    """The noise of a UE or LH with this gain factor; None where there is none."""
    if each.gain_factor <= hardening.least_gain_factor(demand.epsilon) * (1 + 1e-9):
        return None
    return math.sqrt(hardening.curve_variance(each.gain_factor, demand.epsilon) / demand.users)


def _distinct(protocols: Iterable[Rated]) -> list[Rated]:
    """The protocols by rising gain factor, each name once."""
    by_name = {name_protocol(each): each for each in protocols}
    return sorted(by_name.values(), key=lambda each: each.gain_factor)


def _kind(each: Rated) -> str:
    return str(each.table["kind"]).upper()


def _points(label: str, x: float, y: float, tone: Tone) -> Series:
    return Series(label, (x,), (y,), tone, "points")


def _named_protocols(demand: Demand) -> Iterable[Rated]:
    """Protocols by name: those of a chart, and those that a dial makes as well."""
    dialled = {KINDS[kind].mechanism for kind in DIALS}
    for kind in LOCAL:
        if kind in DIALS or not (kind in DRAWN or KINDS[kind].mechanism in dialled):
            continue
        try:
            yield rated({"kind": kind, "epsilon": demand.epsilon}, demand)
        except ScenarioError:
            continue  # of some ε there is none


def pareto_figure(demand: Demand, design: Design, beside: Rated) -> Figure:
    """The joint gain over the noise: what each dial makes, and what no other beats in both.

    Its cursor goes through those that no other beats, the one beside and the one found.
    """
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
    gain = f"gain of r = {demand.targets}"
    plot = Plot(
        "Gain of the attack over noise",
        Axis("error without an attack", log=True),
        Axis(gain, log=bool(demand.share)),
        tuple(series),
        note="each point is a protocol that runs: enter puts the one found into the scenario",
    )
    read = sorted(_distinct([*front, beside, design.found]), key=lambda each: each.mse)
    numbers = [(name_protocol(each), math.sqrt(each.mse), each.gain, each.gain_factor, each.bits)
            for each in read]  # fmt: skip
    return figure(plot, ("protocol", "error", gain, "a", "bits"), numbers)


def _places(rows: Sequence[Rated]) -> tuple[list[float], list[float]]:
    return [math.sqrt(each.mse) for each in rows], [each.gain for each in rows]


def _front(rows: Sequence[Rated]) -> list[Rated]:
    """The designs that no other beats in noise and in gain, by rising noise."""
    front: list[Rated] = []
    for each in sorted(rows, key=lambda one: (one.mse, one.gain)):
        if not front or each.gain < front[-1].gain:
            front.append(each)
    return front
