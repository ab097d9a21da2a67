"""The charts and sheets of a run: what each is called, and which runs have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario
    from ldptui.core.view import CellView

    from ..session.snapshot import Selection, Snapshot
    from .figures.table import Frame


class About(Struct, frozen=True):
    """What a scenario is about, as far as it decides which charts there are.

    bound : whether its values are known; until then its text says what it can.
    lists : whether it estimates a list of items.
    spread : whether its estimates stand beside a truth, item by item, list or not.
    levels : whether the server names items, level by level.
    rounds : whether it is collected in rounds.
    pairs : whether it sweeps two keys.
    measured : whether it has metrics in Python.
    scored : whether its first filter has scores.
    keeps : whether users keep their answers.
    goal : whether it looks for the smallest attack.
    bounded : whether it is known what one fake can say of an item.
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
    bounded: bool = False


class Kind(Struct, frozen=True):
    """A chart or a sheet: a tab of the workbench, and maybe a figure for paper.

    title : of its tab.
    has : whether a scenario has it.
    drawn : False for a sheet of numbers or words.
    beside : the chart that a wide screen shows at its side.
    paper : its place among the figures for paper; 0 where it is none.
    needs : what a scenario needs for such a figure.
    short : the title in less room.
    unnamed : the title where the server names no items.
    cells : what a preview measures for it besides the base.
    numbers : the values of a run of a scenario that its frame is made of.
    frame : the file in figures/ whose `frame` makes of them the numbers and the chart, None while
        there are none: all that the workbench and paper show of it. A kind without one has a widget
        of its own.
    waiting : the words until the numbers are there.
    asks : what a preview measures of the base besides, a field of `Selection`; "" for nothing.
    at_cell : whether it shows the cell at a cursor, where there is one.
    tall : rows from which its next view stands below the one that is shown; 0: it never does.
    """

    name: str
    title: str
    has: Callable[[About], bool]
    drawn: bool = True
    beside: str = ""
    paper: int = 0
    needs: str = ""
    short: str = ""
    unnamed: str = ""
    cells: Callable[[Scenario], tuple[Selection, ...]] = lambda _: ()
    numbers: Callable[[Snapshot, Scenario | None], Any] = lambda *_: None
    frame: str = ""
    waiting: str = ""
    asks: str = ""
    at_cell: bool = False
    tall: int = 0

    def framed(self, numbers: Any) -> Frame | None:
        """The frame of these values; None where there is none yet, or never one."""
        if not self.frame or numbers is None:
            return None
        made: Frame | None = import_module(f".figures.{self.frame}", __package__).frame(numbers)
        return made


def _goal(scenario: Scenario) -> tuple[Selection, ...]:
    from .curves import answer_selections, spite_selections

    return answer_selections(scenario) + spite_selections(scenario)


def _answers(run: Snapshot, scenario: Scenario | None) -> tuple[CellView, ...]:
    """The cells of the scenario that answer its goal."""
    if scenario is None or "goal" not in scenario.document:
        return ()
    return answers_at(run, scenario, [scenario])


def answers_at(run: Snapshot, scenario: Scenario, of: Iterable[Scenario]) -> tuple[CellView, ...]:
    """The cells of these scenarios that answer a goal, as far as the run has them."""
    if not any(cell.answer is not None for cell in run.cells):
        return ()
    from .curves import points_of

    points = (point for each in of for point in points_of(each.document, scenario))
    cells = (run.table.at(point.parameters) for point in points)
    return tuple(cell for cell in cells if cell is not None and cell.answer is not None)


def _spread(run: Snapshot, _: Scenario | None) -> Any:
    return (run.frequencies, run.base_cell) if run.frequencies and run.base_cell else None


_ROWS: Final = (
    Kind("levels", "Levels", lambda about: about.levels,
         numbers=lambda run, _: run.levels, frame="levels"),
    Kind("items", "Items", lambda about: about.levels, drawn=False,
         numbers=lambda run, _: run.levels, frame="items"),
    Kind("frequencies", "Frequencies", lambda about: about.lists, beside="gain", paper=4,
         short="Freq", needs="a task that estimates items"),
    Kind("gain", "Gain", lambda about: about.lists, beside="frequencies", paper=1,
         needs="an attack, a key with numbers to put on its axis, and a task that estimates items"),
    Kind("error", "Error", lambda about: about.lists, beside="gain", paper=2,
         needs="a task that estimates items, and a key with numbers to put on its axis"),
    Kind("success", "Success", lambda about: not about.lists or about.measured, paper=3,
         unnamed="Metrics", needs="a task that names items, or a metric of your own"),
    Kind("distribution", "Distribution", lambda about: about.spread and not about.lists, paper=8,
         needs="a task about numbers", short="Dist",
         numbers=_spread, frame="distribution", waiting="waiting for the first trials …"),
    Kind("map", "Map", lambda about: about.pairs, paper=5, needs="two swept keys"),
    Kind("trials", "Trials", lambda about: about.lists and not (about.bound and about.rounds),
         beside="frequencies", paper=6, needs="a task that estimates items",
         numbers=lambda run, _: run.by_trial, frame="trials",
         waiting="waiting for the estimates of single trials …", asks="by_trial", at_cell=True),
    Kind("intervals", "Intervals", lambda about: about.lists and about.bounded, paper=9,
         needs="a protocol of items in one collection", short="Int",
         numbers=lambda run, _: run.frequencies and run.frequencies.ends, frame="intervals",
         waiting="waiting for the first trials …"),
    Kind("detection", "Detection", lambda about: about.scored, beside="frequencies",
         numbers=lambda run, _: run.detection, frame="detection", asks="detection", tall=25,
         waiting="waiting for the verdict on each report of one trial …"),
    Kind("timeline", "Timeline", lambda about: about.lists and about.rounds, beside="frequencies",
         paper=7, needs="rounds"),
    Kind("answer", "Answer", lambda about: about.goal, drawn=False, cells=_goal,
         numbers=_answers, frame="answers",
         waiting="looking for the smallest attack …"),
    Kind("report", "One report", lambda _: True, drawn=False, short="Report"),
    Kind("privacy", "Privacy", lambda about: about.keeps, drawn=False),
    Kind("table", "Table", lambda _: True, drawn=False),
    Kind("equations", "Equations", lambda _: True, drawn=False, short="Eqs"),
)  # fmt: skip
KINDS: Final[dict[str, Kind]] = {kind.name: kind for kind in _ROWS}
"""The kinds by name, in the order of their tabs."""


def on_paper() -> tuple[Kind, ...]:
    """The charts that are drawn for paper."""
    return tuple(
        sorted((kind for kind in KINDS.values() if kind.paper), key=lambda kind: kind.paper)
    )
