"""The charts of a run, for paper and for notebooks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ldptui.core.base.errors import ScenarioError, check_among, got, one_line
from ldptui.core.base.pulse import no_pulse
from ldptui.core.experiment import Experiment
from ldptui.core.experiment import compile as bind
from ldptui.core.reports.arguments import whole, words
from ldptui.core.running.runner import Results
from ldptui.core.scenario import Scenario, value_at
from ldptui.core.view.redrawn import single_trials

from ..catalogue import key_words
from ..charts import curves, figures
from ..charts.draw.paper import WIDTHS, figure_of, write_figure
from ..charts.figures import maps, rounds, trials
from ..charts.kinds import KINDS, on_paper
from ..charts.series import Chart, Panels, Plot
from ..engine.measured import snapshot_of
from ..session import exporting
from ..session.draft import base
from ..session.snapshot import Snapshot
from ..text.labels import with_labels


class Picture(str):
    """The text of an SVG file, which a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg(results: Results, name: str | None, columns: int) -> Picture:
    """A chart of results as SVG; raises ScenarioError where there is none, RunError."""
    chart, caption = _captioned(results, name, columns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        write_figure(chart, path, columns=columns, caption=caption, embedded="")
        return Picture(path.read_text(encoding="utf-8"))


def drawn(results: Results, name: str | None, columns: int) -> Any:
    """A chart of results as a figure of matplotlib; raises as `svg` does."""
    chart, caption = _captioned(results, name, columns)
    return figure_of(chart, columns=columns, caption=caption)


def _captioned(results: Results, name: str | None, columns: int) -> tuple[Chart, str]:
    """A chart of results, and the line below it; raises ScenarioError, RunError."""
    if whole(columns, "columns") not in WIDTHS:
        raise ScenarioError(f"must be 1 or 2, {got(columns)}", key="columns")
    name = None if name is None else words(name, "chart")
    check_matplotlib()
    run, experiment = snapshot_of(results), results.experiment
    scenario = experiment.scenario
    title = one_line(str(scenario.document.get("title") or Path(scenario.name).name))
    caption = exporting.caption(
        title, experiment.cells[0].seed, run.done, run.digest, run.numpy, results.warnings
    )
    return with_labels(chart_of(name, scenario, run), scenario.labels), caption


def check_matplotlib() -> None:
    """Raise ScenarioError where there is none."""
    if find_spec("matplotlib") is None:
        raise ScenarioError(
            "figures need matplotlib: pip install 'ldptui[plot]' (one in text, .txt, needs none)"
        )


def chart_of(
    name: str | None,
    scenario: Scenario,
    run: Snapshot,
    metric: str | None = None,
    permit: Callable[[Experiment], Experiment] = lambda experiment: experiment,
) -> Chart:
    """The chart of that name; raises ScenarioError at "chart" or "metric" where there is none.

    None : the success where items are named, else the gain. metric : of a map, of the success or
    over the rounds; None: the first that was measured, over the rounds the targets' estimates.
    permit : finds the Python code that the scenario names and that may run.
    """
    name = name or ("success" if curves.names_items(scenario) else "gain")
    kinds = {kind.name: kind for kind in on_paper()}
    check_among(name, kinds, "chart")
    made = _chart(name, scenario, run, metric, permit)
    if made is None:
        needs = f" (it needs {kinds[name].needs})" if kinds[name].needs else ""
        others = (other for other in kinds if _chart(other, scenario, run, None, permit))
        rule = f"must be a chart of this run: {', '.join(others) or 'it has none'}"
        raise ScenarioError(f"{rule}, {got(name)}{needs}", key="chart")
    return made


def _chart(
    name: str,
    scenario: Scenario,
    run: Snapshot,
    metric: str | None,
    permit: Callable[[Experiment], Experiment],
) -> Chart | None:
    """The chart of that name; None where the run has none."""
    made: Chart | None = None
    match name:
        case "gain" | "error" | "success":
            made = _curve(name, scenario, run, metric)
            if made is None and name == "gain":
                made = _course(scenario, run, "gain")
        case "frequencies" if run.frequencies is not None and run.frequencies.trials:
            trials_words = figures.trials_note(run.frequencies.trials).partition(" ±")[0]
            made = _noted(figures.rank_plot(run.frequencies), trials_words, _base_words(scenario))
        case "map" if len(scenario.sweep) > 1:
            made = _map(scenario, run, metric)
        case "trials":
            made = _trials(scenario, permit)
        case "timeline":
            made = _course(scenario, run, metric)
    kind = KINDS[name]
    if (frame := kind.framed(kind.numbers(run, scenario))) is not None and frame.chart is not None:
        made = frame.chart
    return made


def _noted(plot: Plot | Panels, *words: str) -> Chart:
    return replace(plot, note="; ".join(filter(None, (plot.note, *words))))


def _base_words(scenario: Scenario) -> str:
    """The values of the swept keys in the cell whose items are shown: `protocol oue, β 0.1`."""
    document = base(scenario).document
    values = {key: value_at(document, key) for key in scenario.sweep}
    return maps.layer_words({key: value for key, value in values.items() if value is not None})


def _course(scenario: Scenario, run: Snapshot, metric: str | None) -> Chart | None:
    """A metric over the rounds, or the estimates of the targets; None without rounds."""
    if run.rounds is None or run.frequencies is None:
        return None
    if metric is None and run.rounds.targets:
        names = dict(zip(run.frequencies.items, run.frequencies.labels, strict=True))
        plot = rounds.estimates(run.rounds, names, more="not drawn")
        return _noted(plot, _base_words(scenario))
    cells = [] if run.base_cell is None else [run.base_cell]
    measured = [name for name in maps.mapped_metrics(cells) if name in run.rounds.metrics]
    if metric == "gain" and metric not in measured:
        return None
    shown = _metric(metric, measured)
    if shown is None:
        return None
    pooled = cells[0].metrics[shown]
    if shown == "gain":
        plot = rounds.gain(run.rounds, pooled)
    else:
        plot = rounds.in_words(run.rounds, shown, pooled)
    return _noted(plot, _base_words(scenario))


def _map(scenario: Scenario, run: Snapshot, metric: str | None) -> Chart | None:
    """The map of two swept keys; the values of the others are told below it."""
    layer = curves.map_layer(scenario)
    sides = {key: scenario.sweep[key] for key in curves.map_keys(scenario)}
    cells = run.table.grid(sides, layer)
    shown = _metric(metric, maps.mapped_metrics(cells))
    if shown is None:
        return None
    words = maps.layer_words(layer)
    return maps.map_grid(cells, curves.map_keys(scenario), shown, words)


def _metric(wanted: str | None, metrics: Sequence[str]) -> str | None:
    """The metric to show, None where none was measured; raises ScenarioError."""
    if wanted is not None and wanted not in metrics:
        known = ", ".join(metrics) or "none"
        raise ScenarioError(f"must be a metric of this chart ({known}), {got(wanted)}", "metric")
    return wanted or next(iter(metrics), None)


def _trials(scenario: Scenario, permit: Callable[[Experiment], Experiment]) -> Chart | None:
    """The estimates of single trials; they are drawn again, exactly as in the run."""
    cell = permit(bind(base(scenario))).cells[0]
    seen = single_trials(cell, no_pulse)
    if seen is None:
        return None
    return _noted(trials.trials_plot(seen, len(seen.items)), _base_words(scenario))


def _curve(name: str, scenario: Scenario, run: Snapshot, metric: str | None = None) -> Chart | None:
    """The curve over the swept key with most values that the chart knows."""
    course = curves.COURSES[name]
    axis = curves.axis_of(scenario, course.axes(scenario))
    if axis is None:
        return None
    cells = run.table
    if name == "success":
        measured = maps.mapped_metrics(cells.along(axis.key))
        first = [name for name in curves.success_metrics(scenario) if name in measured]
        own = [] if curves.names_items(scenario) else first
        shown = _metric(metric, [*dict.fromkeys([*own, *measured])])
        if shown is None:
            return None
        drawn = curves.success_curves(scenario, axis)
        plot: Plot | Panels = figures.success_plot(figures.Over(drawn, cells, axis), shown)
    elif name == "error":
        drawn = curves.error_curves(scenario, axis)
        plot = figures.error_plot(figures.Over(drawn, cells, axis))
    else:
        drawn = curves.gain_and_lines(scenario, axis, listed=False)
        scale = figures.scale_of(drawn, log_x=axis.log)
        linear = figures.linear_part(drawn, log_x=axis.log) if scale == "symlog" else 0.0
        over = figures.Over(drawn, cells, axis, log_y=scale == "log", linear=linear)
        plot = figures.gain_chart(over)
        drawn = tuple(curve for curve in drawn if not curve.line)
    parameters = [curve.parameters for curve in drawn]
    return _noted(plot, *_aside(scenario, parameters, axis.key))


def _aside(scenario: Scenario, drawn: Sequence[Mapping[str, Any]], axis: str) -> list[str]:
    """The swept values that all curves have alike, and those that none of them has."""
    same: dict[str, Any] = {}
    words: list[str] = []
    for key, values in scenario.sweep.items():
        known = [parameters[key] for parameters in drawn if key in parameters]
        if key == axis or not known:
            continue
        if all(value == known[0] for value in known):
            same[key] = known[0]
        elif left := [str(value) for value in values if value not in known]:
            words.append(f"not drawn: {key_words(key).short} {', '.join(left)}")
    return [maps.layer_words(same), *words]
