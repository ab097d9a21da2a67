"""The charts of a run, for paper and for notebooks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from ldptui.core.base.errors import ScenarioError, check_among, got, one_line
from ldptui.core.experiment import Experiment
from ldptui.core.experiment import compile as bind
from ldptui.core.reports.arguments import whole, words
from ldptui.core.running.runner import RunResults
from ldptui.core.scenario import Scenario
from ldptui.core.view.redrawn import single_trials

from ..charts.chart_data import ChartData
from ..charts.curves import LateError, names_items
from ..charts.draw.paper import WIDTHS, fault_to_draw, figure_of, write_figure
from ..charts.kinds import KINDS, on_paper
from ..charts.series import Chart
from ..engine.measured import snapshot_of
from ..session import exporting
from ..session.draft import base
from ..session.runs import difference_labels
from ..session.snapshot import Overlay, Snapshot
from ..text.labels import with_labels

PAPER: Final = (80, 60)
"""The columns and rows that a figure for paper has room for, where its picture asks."""


class FigureText(str):
    """The text of an SVG file, which a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg(results: RunResults, name: str | None, columns: int) -> FigureText:
    """A chart of results as SVG text; raises ScenarioError if the results have no such chart,
    RunError without matplotlib.
    """
    chart, caption = _caption_chart(results, name, columns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        write_figure(chart, path, columns=columns, caption=caption, embedded="")
        return FigureText(path.read_text(encoding="utf-8"))


def draw_figure(
    results: RunResults, name: str | None, columns: int, others: Sequence[RunResults] = ()
) -> Any:
    """A chart of results as a matplotlib figure; raises ScenarioError if the results have no such
    chart, RunError without matplotlib.
    """
    chart, caption = _caption_chart(results, name, columns, others)
    return figure_of(chart, columns=columns, caption=caption)


def _caption_chart(
    results: RunResults, name: str | None, columns: int, others: Sequence[RunResults] = ()
) -> tuple[Chart, str]:
    """A chart of results with others over it, and its caption; raises ScenarioError, RunError."""
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
    chart = chart_of(name, scenario, run, overlays=overlays_of([results, *others]))
    return with_labels(chart, scenario.labels), caption


def overlays_of(runs: Sequence[RunResults]) -> tuple[Overlay, ...]:
    """The runs after the first as overlays of its chart, labelled with the settings that differ."""
    documents = [each.experiment.scenario.document for each in runs]
    named = [(f"run {number}", document) for number, document in enumerate(documents, start=1)]
    under, *labels = difference_labels(named)
    pairs = zip(labels, runs[1:], strict=True)
    return tuple(Overlay(label, snapshot_of(each), under) for label, each in pairs)


def check_matplotlib() -> None:
    """Raise ScenarioError if matplotlib is not installed."""
    if fault := fault_to_draw():
        raise ScenarioError(f"{fault} (a figure in text, .txt, needs none)")


def chart_of(
    name: str | None,
    scenario: Scenario,
    run: Snapshot,
    metric: str | None = None,
    permit: Callable[[Experiment], Experiment] = lambda experiment: experiment,
    overlays: tuple[Overlay, ...] = (),
) -> Chart:
    """The chart named `name`, without a name the success where items are named, else the gain, or
    the first chart that the run has.

    metric : the metric of a map, of the success or over the rounds; if None, the first measured
        one, over the rounds the targets' estimates.
    permit : finds the Python code that the scenario names and that may run.
    overlays : other runs, drawn over this one.
    Raises ScenarioError at "chart" or "metric" if the run has no such chart.
    """
    names = [name] if name else ["success" if names_items(scenario) else "gain"]
    if name is None:
        names += [kind.name for kind in on_paper() if kind.overlays or not overlays]
    name = names[0]
    kinds = {kind.name: kind for kind in on_paper()}
    check_among(name, kinds, "chart")
    if overlays and not kinds[name].overlays:
        several = ", ".join(kind.name for kind in on_paper() if kind.overlays)
        rule = f"must be one of {several} for several runs"
        raise ScenarioError(f"{rule}, {got(name)}", key="chart")
    tries = (_chart(each, scenario, run, metric, permit, overlays) for each in names)
    made = next((each for each in tries if each is not None), None)
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
    overlays: tuple[Overlay, ...] = (),
) -> Chart | None:
    """The chart of that name; None where the run has none."""
    if name == "trials":
        cell = permit(bind(base(scenario))).cells[0]  # drawn again, exactly as in the run
        if (seen := single_trials(cell)) is None:
            return None
        run = replace(run, by_trial=seen)
    kind, data = KINDS[name], ChartData(scenario, run, overlays)
    chosen = {"view": metric} if metric else {}
    try:
        frame = kind.make_frame(data, chosen)
    except LateError as late:
        late.work()
        frame = kind.make_frame(data, chosen)
    if isinstance(frame, str):
        if name != "gain" or run.rounds is None or not run.rounds.targets:
            return None
        return _chart("timeline", scenario, run, "gain", permit)
    if metric is not None and metric not in frame.views:
        known = ", ".join(frame.views) or "none"
        raise ScenarioError(f"must be a metric of this chart ({known}), {got(metric)}", "metric")
    views = (each for each in (metric or "", kind.view, *frame.views) if each in frame.views)
    chart = frame.views[next(views)].draw(None, PAPER)
    return replace(chart, note="; ".join(filter(None, (chart.note, frame.aside))))
