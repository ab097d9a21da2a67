"""Metrics that are no gain and no error: scenarios and series of curves over a key.

Those of answers that name items, whose closed forms take as long as some trials, so that those of
the cells stand for the curve; and those in Python, which have none.
"""

from __future__ import annotations

from typing import Any, Final

from ldptui.core.base.arms import ARMS, UNDEFENDED
from ldptui.core.metrics import METRICS, metrics_of
from ldptui.core.scenario import Point, Scenario, value_at
from ldptui.core.task import task_over

from ...catalogue import key_words
from ...session.draft import base
from ...session.snapshot import Part
from ...text import format as fmt
from .closed import Curve
from .documents import points_of, series_document, some_of
from .parts import swept
from .variables import Variable, axes_of

MOST_SERIES: Final = 6
"""Curves of one chart: more cannot be told apart."""


def names_items(scenario: Scenario) -> bool:
    """Return whether the server names items, so that there is neither a gain nor an error."""
    point = next(iter(points_of(base(scenario).document, scenario)), None)
    return point is not None and not METRICS["gain"].told_by(point.task.concludes)


def success_metrics(scenario: Scenario) -> tuple[str, ...]:
    """The metrics that such a chart can show: those in Python, or of a task's own conclusion.

    Those that compare arms come first, as the attacker's.
    """
    point = next(iter(points_of(base(scenario).document, scenario)), None)
    if point is None:
        return ()
    if names_items(scenario):
        names = metrics_of(UNDEFENDED, point.task.concludes)
        return tuple(sorted(names, key=lambda name: -len(METRICS[name].arms)))
    arms = ARMS if point.acting else UNDEFENDED
    return tuple(name for metric in point.metric for name in metric.columns(arms))


def success_axes(scenario: Scenario) -> tuple[Variable, ...]:
    """The variables of such a chart; empty where there is no metric for it."""
    if not success_metrics(scenario):
        return ()
    points = points_of(_document(scenario, ""), scenario)
    chart = "success" if names_items(scenario) else "gain"
    return axes_of(scenario, points, chart, only=_ONLY if _seeks(scenario) else ())


_ONLY: Final = ("attack.share",)
"""The axis of a scenario with a goal: what it takes is on it."""


def success_part(scenario: Scenario, axis: Variable) -> Part:
    """The cells to simulate for the chart: the points of the axis for each of the other values."""
    return Part("success", swept(_document(scenario, axis.key), scenario, axis))


def success_curves(scenario: Scenario, axis: Variable) -> tuple[Curve, ...]:
    """A series for each of the other swept values, without values of its own."""
    document = _document(scenario, axis.key)
    keys = [key for key in document.get("sweep", {}) if key != axis.key]
    points = points_of(_without(document, axis.key), scenario)
    return tuple(Curve(_label(point, keys), axis.key, point.parameters, (), (), (),
                       approximate=task_over(point.task, point.protocol).approximate)
                 for point in points)  # fmt: skip


def _seeks(scenario: Scenario) -> bool:
    return "goal" in scenario.document


def _document(scenario: Scenario, axis: str) -> dict[str, Any]:
    """The scenario with at most `MOST_SERIES` values of other keys swept, words before numbers.

    Numbers have a series each only over an axis of the scenario's own sweep, all of which is asked
    for.
    """
    plain, sweep, room = base(scenario), scenario.sweep, MOST_SERIES
    series: dict[str, list[Any]] = {}
    others = [key for key in sweep if key != axis]
    for key in sorted(others, key=lambda key: not isinstance(sweep[key][0], str)):
        values = sweep[key]
        if isinstance(values[0], str) and min(room, len(values)) > 1:
            series[key] = some_of(values, room, value_at(plain.document, key))
        elif axis in sweep and 1 < len(values) <= room:
            series[key] = values
        else:
            continue
        room //= len(series[key])
    return series_document(scenario, series, axis)


def _without(document: dict[str, Any], key: str) -> dict[str, Any]:
    left = {name: values for name, values in document.get("sweep", {}).items() if name != key}
    return {name: each for name, each in document.items() if name != "sweep"} | (
        {"sweep": left} if left else {}
    )


def _label(point: Point, keys: list[str]) -> str:
    """The swept values of a series; the attack and the protocol where nothing else is swept."""
    words = []
    for key in keys or ["attack.kind", "protocol.kind"]:
        value = point.parameters.get(key, "")
        if isinstance(value, str):
            words.append(value.upper() if key.endswith(".kind") else value)
        elif value is not None:
            number = fmt.short(value) if isinstance(value, float) else str(value)
            words.append(f"{key_words(key).short} {number}")
    return (" " if keys else " on ").join(filter(None, words))
