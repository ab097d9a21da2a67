"""The charts and sheets of a run: what each is called, and which runs have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario

    from ..session.snapshot import ChartSelection
    from .chart_data import ChartData
    from .figures import Frame

    Cells: TypeAlias = Callable[[Scenario, Mapping[str, str]], tuple[ChartSelection | None, ...]]


class About(Struct, frozen=True):
    """The properties of a scenario that decide which charts and tabs it has.

    bound : its values are valid; until then its text decides.
    lists : it estimates a list of items.
    spread : its estimates can be compared item by item with true values.
    levels : the server names items, level by level.
    rounds : it is a campaign.
    pairs : it sweeps two keys.
    measured : it has metrics in Python.
    scored : its first filter has scores.
    keeps : users memoise their answers.
    goal : it searches for the smallest attack.
    """

    bound: bool = False
    lists: bool = True
    spread: bool = False
    levels: bool = False
    rounds: bool = False
    pairs: bool = False
    measured: bool = False
    scored: bool = False
    keeps: bool = False
    goal: bool = False


class ChartKind(Struct, frozen=True):
    """A tab of charts, numbers or words, and the figure for paper, if the tab has one.

    title : of its tab; "" if it is only a figure for paper.
    has : returns whether a scenario has it.
    frame : the file in figures/ whose function `frame` returns the chart from `ChartData` and the
        chosen options, or a sentence if there is none; "" for a tab without charts.
    numbers : returns the values that the frame depends on.
    beside : the chart shown at its side on a wide screen.
    paper : its place among the figures for paper; 0 if it is none.
    view : the view for paper.
    needs : what a scenario needs for such a figure, in words.
    short : a shorter title.
    unnamed : the title if the server names no items.
    cells : the cells that a preview measures for it besides the base.
    waiting : the sentence until there are numbers.
    asks : the field of `ChartSelection` with the details that a preview measures for it; "" for
        none.
    at_cell : it shows the cell at a cursor.
    tall, wide : the rows and columns from which its next view is shown too, below or beside; 0 for
        never.
    overlays : other runs can be laid over it.
    leads : the keys move its cursor before that of rounds or of a sweep.
    """

    name: str
    title: str
    has: Callable[[About], bool]
    frame: str = ""
    numbers: Callable[[ChartData], tuple[Any, ...]] = lambda data: (data.run,)
    beside: str = ""
    paper: int = 0
    view: str = ""
    needs: str = ""
    short: str = ""
    unnamed: str = ""
    cells: Cells | None = None
    waiting: str = ""
    asks: str = ""
    at_cell: bool = False
    tall: int = 0
    wide: int = 0
    overlays: bool = False
    leads: bool = True

    def make_frame(self, data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
        """The frame of the chart; raises LateError if its closed forms take long."""
        module = import_module(f".figures.{self.frame}", __package__)
        made: Frame | str = module.frame(data, chosen)
        return made


def _along(chart: str) -> Cells:
    """The function that selects the cells along the axis of a chart."""

    def cells(scenario: Scenario, chosen: Mapping[str, str]) -> tuple[ChartSelection | None, ...]:
        from .curves import chart_selection, closed_forms

        axis = closed_forms(scenario).axis(chart, chosen.get("axis", ""))
        return (chart_selection(chart, scenario, axis),)

    return cells


def _metrics(scenario: Scenario, chosen: Mapping[str, str]) -> tuple[ChartSelection | None, ...]:
    from .curves import names_items

    return _along("success" if names_items(scenario) else "gain")(scenario, chosen)


def _pairs(scenario: Scenario, chosen: Mapping[str, str]) -> tuple[ChartSelection | None, ...]:
    from .curves import map_selection

    return (map_selection(scenario, chosen.get("layer")),)


def _goal(scenario: Scenario, _: Mapping[str, str]) -> tuple[ChartSelection | None, ...]:
    from .curves import answer_selections, spite_selections

    return (*answer_selections(scenario), *spite_selections(scenario))


def _over_axis(data: ChartData) -> tuple[Any, ...]:
    return (data.forms, data.table, *data.overlays)


def _at_cursor(data: ChartData) -> tuple[Any, ...]:
    return (*data.at_cursor(), *data.overlays, data.bits, data.cell_words)


_ROWS: Final = (
    ChartKind("levels", "Levels", lambda about: about.levels, "levels"),
    ChartKind("items", "Items", lambda about: about.levels, "items", tall=40),
    ChartKind("frequencies", "Frequencies", lambda about: about.lists, "estimates", _at_cursor,
         overlays=True, beside="gain", paper=4, view="rank", short="Freq",
         needs="a task that estimates items", tall=40, wide=100, leads=False),
    ChartKind("gain", "Gain", lambda about: about.lists, "gain", _over_axis,
         overlays=True, beside="frequencies", paper=1, cells=_along("gain"),
         needs="an attack, a key with numbers to put on its axis, "
         "and a task that estimates items"),
    ChartKind("error", "Error", lambda about: about.lists, "error", _over_axis,
         overlays=True, beside="gain", paper=2,
         needs="a task that estimates items, and a key with numbers to put on its axis"),
    ChartKind("success", "Success", lambda about: not about.lists or about.measured, "success",
         _over_axis, overlays=True, paper=3, unnamed="Metrics", cells=_along("success"),
         needs="a task that names items, or a metric of your own"),
    ChartKind("distribution", "Distribution", lambda about: about.spread and not about.lists,
         "distribution", paper=8, needs="a task about numbers", short="Dist",
         waiting="waiting for the first trials …"),
    ChartKind("map", "Map", lambda about: about.pairs, "maps",
         lambda data: (data.scenario, data.table), paper=5, needs="two swept keys", cells=_pairs),
    ChartKind("trials", "Trials", lambda about: about.lists and not (about.bound and about.rounds),
         "trials", lambda data: (data.by_trial, data.cell_words, data.frequencies),
         beside="frequencies", paper=6,
         needs="a task that estimates items", asks="by_trial", at_cell=True,
         waiting="waiting for the estimates of single trials …"),
    ChartKind("intervals", "", lambda _: False, "intervals", paper=9,
         needs="a protocol of items in one collection"),
    ChartKind("detection", "Detection", lambda about: about.scored, "detection",
         beside="frequencies", asks="detection", tall=25,
         waiting="waiting for the verdict on each report of one trial …"),
    ChartKind("timeline", "Timeline", lambda about: about.lists and about.rounds, "timeline",
         lambda data: (data.rounds, data.base, data.round), beside="frequencies",
         paper=7, needs="rounds", tall=33, leads=False),
    ChartKind("answer", "Answer", lambda about: about.goal, "answers", cells=_goal,
         waiting="looking for the smallest attack …"),
    ChartKind("report", "One report", lambda _: True, short="Report"),
    ChartKind("privacy", "Privacy", lambda about: about.keeps),
    ChartKind("grid", "Grid", lambda _: True, "grid", _over_axis, cells=_metrics, overlays=True,
         waiting="waiting for the metrics …"),
    ChartKind("table", "Table", lambda _: True),
    ChartKind("equations", "Equations", lambda _: True, short="Eqs"),
)  # fmt: skip
KINDS: Final[dict[str, ChartKind]] = {kind.name: kind for kind in _ROWS}
"""The kinds by name, in the order of their tabs."""


def on_paper() -> tuple[ChartKind, ...]:
    """The charts that are drawn for paper."""
    return tuple(
        sorted((kind for kind in KINDS.values() if kind.paper), key=lambda kind: kind.paper)
    )
