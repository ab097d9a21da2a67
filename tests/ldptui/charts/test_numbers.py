"""The numbers in the table of every chart and under its cursor are those of the JSON document."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, Final

import pytest
from msgspec.structs import replace

import ldptui
from ldptui.charts.chart_data import ChartData
from ldptui.charts.curves import closed
from ldptui.charts.draw import draw
from ldptui.charts.draw.marks import marks_of
from ldptui.charts.figures.table import ChartTable, rows_at
from ldptui.charts.kinds import KINDS
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Panels, Plot
from ldptui.core.experiment import compile
from ldptui.core.view.redrawn import single_trials, verdicts
from ldptui.engine.measured import snapshot_of
from ldptui.session.draft import base

closed.AT_ONCE = 60.0  # tests wait for curves

ITEMS: Final = {
    "population": {"kind": "zipf", "items": 12, "users": 2000, "exponent": 1.0},
    "protocol": {"kind": "oue", "epsilon": 1.0},
    "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [7, 9]}},
    "trials": 3,
}
SHARES: Final = {"sweep": {"attack.share": [0.05, 0.1], "protocol.kind": ["oue", "grr"]}}
HITTERS: Final = {
    **ITEMS,
    "protocol": {"kind": "olh", "epsilon": 4.0},
    "task": {"kind": "heavy-hitters", "k": 2, "bits": 4, "groups": 2},
}
NUMBERS: Final = {
    "task": {"kind": "distribution", "low": 0.0, "high": 10.0},
    "population": {"kind": "normal", "items": 11, "users": 2000, "mean": 4.0, "std": 2.0},
    "protocol": {"kind": "sw", "epsilon": 1.0},
    "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [10]}},
    "trials": 3,
}
FILTER: Final = {"kind": "fiad"}

LOOKS: Final = [Look(*size, DARK) for size in ((78, 18), (76, 30), (140, 48))]

Row = Mapping[str, Any]
Pairs = Iterator[tuple[object, object]]


class Run:
    """A run of a scenario, its JSON document, and the chart of a kind."""

    def __init__(self, kind: str, tables: Mapping[str, Any]) -> None:
        results = ldptui.run(tables)
        self.kind, scenario = kind, results.measured.experiment.scenario
        self.cells = json.loads(results.to_json(frequencies=True))["cells"]
        (cell,) = compile(base(scenario)).cells
        run = snapshot_of(results.measured)
        detection = verdicts(cell) if kind == "detection" else None
        seen = single_trials(cell) if kind == "trials" else None
        self.data = ChartData(scenario, replace(run, by_trial=seen, detection=detection))
        self.frame: Any = KINDS[kind].make_frame(self.data, {})
        assert not isinstance(self.frame, str), self.frame
        self.base = next(
            each for each in self.cells if each["parameters"] == self.data.base.parameters
        )

    def rows(self) -> list[Row]:
        """The rows of the table, by the names of their columns."""
        return named(self.frame.table)

    def read(self, at: Any) -> list[Row]:
        """The rows under the cursor at a stop of the first view."""
        view, table = next(iter(self.frame.views.values())), self.frame.table
        if view.read is not None:
            return named(view.read(at))
        return named(replace(table, rows=tuple(rows_at(table, (self.frame.column, at)))))

    def cell(self, settings: list[tuple[str, Any]]) -> Any:
        """The only cell of the document that has these settings."""
        (found,) = (
            cell
            for cell in self.cells
            if all(cell["parameters"].get(key) == value for key, value in settings)
        )
        return found


def flat(values: Any) -> list[Any]:
    return [*values] if isinstance(values, list | tuple) else [values]


def named(table: ChartTable) -> list[Row]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def over_axis(metric: str) -> Callable[[Run], Pairs]:
    """Pairs of a chart over an axis: each row is the metric of the cell that enter would take."""

    def pairs(run: Run) -> Pairs:
        columns = {
            "measured": "mean", "± error": "standard_error", "closed form": "theory", "z": "z",
        }  # fmt: skip
        axis, read = run.frame.table.columns[1].name, 0
        for at in {row[axis]: None for row in run.rows()}:
            for number, row in enumerate(run.read(at)):
                if row["trials"] is None:
                    continue
                cell = run.cell(run.frame.settings_at(at, number))
                name = f"{metric}_after" if row["series"].endswith("defended") else metric
                yield from (
                    (row[head], cell["metrics"][name][key]) for head, key in columns.items()
                )
                yield row["trials"], cell["trials"]
                read += 1
        assert read == sum(row["trials"] is not None for row in run.rows()) > 0

    return pairs


def map_pairs(run: Run) -> Pairs:
    """The cells of a map, in its list, in its picture, and under its cursor."""
    metric, view = next(iter(run.frame.views.items()))
    chart = view.draw(None, (80, 24))
    keys = [*run.data.scenario.sweep]
    assert len(view.stops) == len(run.cells)
    for at in view.stops:
        cell = run.cell(run.frame.settings_at(at, 0))
        found = cell["metrics"][metric]
        yield chart.values[chart.rows.index(at[0])][chart.columns.index(at[1])], found["mean"]
        (read,) = run.read(at)
        yield read["measured"], found["mean"]
    for cell, row in zip(run.cells, run.frame.table.rows, strict=True):
        found = cell["metrics"][metric]
        yield row[len(keys) :], (found["mean"], found["standard_error"], found["theory"])


def grid_pairs(run: Run) -> Pairs:
    """The closed form and the means in each small chart, and the ends under the cursor."""
    (view, *_), names = run.frame.views.values(), run.frame.views.keys()
    chart = view.draw(None, (200, 100))
    assert len(chart.plots) == len(view.stops) == len(names) - 1 > 12
    for name, plot in zip(view.stops, chart.plots, strict=True):
        measured = [cell["metrics"][name]["mean"] for cell in run.cells]
        theory = [cell["metrics"][name]["theory"] for cell in run.cells]
        line, points = plot.series
        yield line.y, measured if None in theory else theory
        yield points.y, measured
        (read,) = run.read(name)
        yield (read["least"], read["greatest"]), (min(measured), max(measured))


def frequency_pairs(run: Run) -> Pairs:
    written = run.base["frequencies"]
    root = run.base["trials"] ** 0.5
    heads = {"true": "true", "before": "clean", "after": "attacked"}
    for row in run.rows():
        item = int(row["item"])
        yield from ((row[head], written[arm][item]) for head, arm in heads.items())
        yield row["±"], written["attacked_std"][item] / root
        yield row["± before"], written["clean_std"][item] / root
        yield row["change"], written["attacked"][item] - written["clean"][item]
        before, after = run.read(item)
        for read, arm in ((before, "clean"), (after, "attacked")):
            yield read["true"], written["true"][item]
            yield read["measured"], written[arm][item]
            yield read["± error"], written[f"{arm}_std"][item] / root


def trial_pairs(run: Run) -> Pairs:
    """Of all trials: their mean is the estimate that the document has."""
    written, rows = run.base["frequencies"], run.rows()
    for item in {row["item"] for row in rows}:
        own = [row for row in rows if row["item"] == item]
        assert len(own) == run.base["trials"]
        for head, arm in (("true", "true"), ("before", "clean"), ("after", "attacked")):
            yield sum(row[head] for row in own) / len(own), written[arm][int(item)]


def interval_pairs(run: Run) -> Pairs:
    """Of one trial, whose estimates are those of the document."""
    for row in run.rows():
        item = int(row["item"])
        yield row["true"], run.base["frequencies"]["true"][item]
        yield row["estimate"], run.base["frequencies"]["attacked"][item]


def distribution_pairs(run: Run) -> Pairs:
    written, root = run.base["frequencies"], run.base["trials"] ** 0.5
    for part, row in enumerate(run.frame.table.rows):
        _, true, before, before_error, after, after_error = row
        yield true, written["true"][part]
        yield (before, after), (written["clean"][part], written["attacked"][part])
        errors = written["clean_std"][part] / root, written["attacked_std"][part] / root
        yield (before_error, after_error), errors


def detection_pairs(run: Run) -> Pairs:
    """Of one trial: the users of the cell, and the shares that its defence flags."""
    last = run.rows()[-1]
    users = [sum(row[group] for row in run.rows()) for group in ("genuine", "fakes")]
    yield users, [run.base["users"], run.base["malicious"]]
    yield (last["genuine flagged"], last["fakes flagged"]), (1.0, 1.0)
    seen, metrics = run.data.run.detection, run.base["metrics"]
    yield seen.flagged, (metrics["false_positive_rate"]["mean"], metrics["recall"]["mean"])
    yield seen.area, metrics["auc"]["mean"]


def round_pairs(run: Run) -> Pairs:
    heads = {"gain": "gain", "target_frequency": "f_T after", "mse": "mse"}
    for at, (row, written) in enumerate(zip(run.rows(), run.base["rounds"], strict=True)):
        metrics, gain = written["metrics"], written["metrics"]["gain"]
        yield from ((row[head], metrics[name]["mean"]) for name, head in heads.items())
        yield (row["±"], row["theory"]), (gain["standard_error"], gain["theory"])
        yield (row["users"], row["fakes"]), (written["users"], written["malicious"])
        yield row["ε spent"], written["epsilon_spent"]
        estimates = [row[f"est. {item}"] for item in (7, 9)]
        yield estimates, [written["frequencies"]["attacked"][item] for item in (7, 9)]
        read = {line[""]: line for line in run.read(at)}
        yield read["gain"]["measured"], gain["mean"]
        yield read["7"]["measured"], written["frequencies"]["attacked"][7]


def answer_pairs(run: Run) -> Pairs:
    for row, cell in zip(run.rows(), run.cells, strict=True):
        answer, gain = cell["answer"], cell["metrics"]["gain"]
        yield row["fakes m"], answer["malicious"]
        yield row["β %"], 100 * answer["share"]
        yield row["value"], answer["value"]
        yield (row["measured"], row["±"]), (gain["mean"], gain["standard_error"])


def level_pairs(run: Run) -> Pairs:
    groups = {
        "true hitters before": ("clean", "hitters"), "true hitters after": ("attacked", "hitters"),
        "targets before": ("clean", "targets"), "targets after": ("attacked", "targets"),
    }  # fmt: skip
    levels = {level["level"]: level for level in run.base["levels"]}
    for row in [read for level in levels for read in run.read(level)]:
        level, (arm, group) = levels[row["level"]], groups[row["prefixes"]]
        found = level[arm][group]
        yield (row["measured"], row["± error"]), (found["mean"], found["standard_error"])
        yield row["candidates"], level["candidates"]


def item_pairs(run: Run) -> Pairs:
    bars, grid = (view.draw(None, (80, 24)) for view in run.frame.views.values())
    for row, item, bar, kept in zip(
        run.rows(), run.base["watched"], bars.bars, grid.values, strict=True
    ):
        assert row["item"] == item["item"]
        yield (bar.true, bar.before), (item["true"], row["before"] or 0)
        yield bar.value, math.nan if row["after"] is None else row["after"]
        yield kept, [100 * share for share in item["attacked"]["survived"]]
        yield (row["true"], row["rank"]), (item["true"], item["rank"])
        everyone = run.base["users"] + run.base["malicious"]
        after = item["attacked"]["estimate"]
        yield row["after"], None if after is None else round(after * everyone)
        yield row["named %"], 100 * item["attacked"]["survived"][-1]


CHARTS: Final[Mapping[str, tuple[Mapping[str, Any], Callable[[Run], Pairs]]]] = {
    "levels": (HITTERS, level_pairs),
    "items": (HITTERS, item_pairs),
    "frequencies": (ITEMS, frequency_pairs),
    "gain": ({**ITEMS, **SHARES, "defence": [{"kind": "norm-sub"}]}, over_axis("gain")),
    "error": ({**ITEMS, "sweep": {"protocol.epsilon": [0.5, 1.0]}}, over_axis("mse_clean")),
    "success": ({**HITTERS, "sweep": {"attack.share": [0.05, 0.1]}}, over_axis("targets_in_top_k")),
    "distribution": (NUMBERS, distribution_pairs),
    "grid": ({**ITEMS, "sweep": {"attack.share": [0.05, 0.1]}}, grid_pairs),
    "map": ({**ITEMS, **SHARES}, map_pairs),
    "trials": (ITEMS, trial_pairs),
    "intervals": ({**ITEMS, "trials": 1}, interval_pairs),
    "detection": ({**ITEMS, "trials": 1, "defence": [FILTER]}, detection_pairs),
    "timeline": ({**ITEMS, "campaign": {"rounds": 3}}, round_pairs),
    "answer": (
        {
            **ITEMS,
            "attack": {"kind": "mga", "targets": {"items": [7, 9]}},
            "goal": {"metric": "gain", "at_least": 0.2},
            "sweep": {"protocol.kind": ["oue", "grr"]},
        },
        answer_pairs,
    ),
}
"""A scenario of each kind, and the pairs of a number shown and the one of the document."""


@cache
def run_of(kind: str) -> Run:
    return Run(kind, CHARTS[kind][0])


def test_every_chart_is_compared() -> None:
    assert CHARTS.keys() == {kind.name for kind in KINDS.values() if kind.frame}


@pytest.mark.parametrize("kind", CHARTS)
def test_the_numbers_of_a_chart_are_those_of_the_document(kind: str) -> None:
    compared = [*CHARTS[kind][1](run_of(kind))]
    assert len(compared) > 2
    for shown, written in compared:
        for number, other in zip(flat(shown), flat(written), strict=True):
            assert (number, other) == (None, None) or number == pytest.approx(
                other, rel=1e-12, nan_ok=True
            )


@pytest.mark.parametrize("kind", CHARTS)
def test_every_sign_of_a_key_is_in_the_picture(kind: str) -> None:
    """Each mark of points stands in the key and in the data, or another is said to cover it."""
    for view, look in product(run_of(kind).frame.views.values(), LOOKS):
        chart = view.draw(None, (look.width, look.height))
        picture = "\n".join(strip.text for strip in draw(chart, look))
        plots = chart.plots if isinstance(chart, Panels) else [chart]
        for plot in plots if isinstance(chart, Plot | Panels) else ():
            for mark in marks_of(plot, look):
                alone = mark.glyph and not mark.dots and picture.count(mark.sample) == 1
                assert not alone or re.search(rf"{re.escape(mark.sample)}\S* under", picture)
