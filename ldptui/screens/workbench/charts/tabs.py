"""The tabs of the pane: which a draft has, how they fit in a row, and the keys of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.binding import Binding, BindingType

from ....charts.kinds import KINDS, About
from ....widgets.choice_bar import Choices
from ....widgets.cursor import STEP

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario

    from ....session.draft import Draft


HITTERS: Final = "heavy-hitters"
"""The task that has views of its own."""
LISTS: Final = ("frequencies", "attributes")
"""The tasks that estimate a list of items."""
"""The task that a scenario has without a table of its own; the others estimate no list of items."""
TARGETS: Final = "attack.targets.items"
"""A swept list of targets is a number on an axis: how many they are, or how many hold them."""
WIDE: Final = 128
"""From this width two of the tabs' charts stand side by side."""


def tabs_of(draft: Draft | None) -> Choices:
    """The names and titles of the tabs that a draft has; Privacy, for example, only if clients keep
    answers.
    """
    about = _about(draft)
    return tuple(
        (kind.name, (not about.levels and kind.unnamed) or kind.title)
        for kind in KINDS.values()
        if kind.has(about)
    )


def lone_words(tab: str, tabs: Choices) -> str:
    """The sentence that a tab draws no other run over the one shown; "" if it does, or is a table
    of a chart that may.
    """
    if KINDS[tab].overlays or tab == "table":
        return ""
    several = [title for name, title in tabs if KINDS[name].overlays]
    where = f"; {several[0]} draws others over it" if several else ""
    return f"{dict(tabs)[tab]} shows one run alone{where}"


def _about(draft: Draft | None) -> About:
    scenario = draft.scenario if draft is not None else None
    pairs = scenario is not None and len(scenario.document.get("sweep", {})) > 1
    lists, levels = task_of(scenario) in LISTS, task_of(scenario) == HITTERS
    cell = draft.cell if draft is not None else None
    if cell is None:
        text = (draft.document if draft is not None else None) or {}
        rounds, goal = in_rounds(text), "goal" in text
        return About(lists=lists, levels=levels, rounds=rounds, pairs=pairs, goal=goal)
    from ldptui.core.law.longitudinal import Memoising

    return About(
        bound=True,
        lists=lists,
        spread=cell.task.truth(cell) is not None,
        levels=levels,
        rounds=bool(cell.rounds),
        pairs=pairs,
        measured=bool(cell.python_metrics),
        scored=any(step.scores for step in cell.filters[:1]),
        keeps=isinstance(cell.protocol, Memoising),
        goal=cell.goal is not None,
    )


def first_tab(scenario: Scenario | None) -> str:
    """The tab that a scenario opens with: the one of its goal, rounds, sweep or estimates."""
    if scenario is None:
        return "frequencies"
    if task_of(scenario) not in LISTS and "goal" not in scenario.document:
        levels = task_of(scenario) == HITTERS and not any(map(_numbers, scenario.sweep.values()))
        return "levels" if levels else "success"
    if "goal" in scenario.document:
        return "answer"
    attack, sweep = scenario.document.get("attack", {}), scenario.sweep
    if in_rounds(scenario.document):
        return "timeline"
    attacked = attack.get("kind", "none" if "mix" not in attack else "mix") != "none"
    if not attacked and not sweep and _items(scenario) == 2:
        return "report"  # a coin for each answer: what a class is shown first
    if TARGETS in sweep or any(map(_numbers, sweep.values())):
        chart = "gain" if attacked or "attack.kind" in sweep else "error"
        if _has_axis(scenario, chart):
            return chart
    return "map" if len(sweep) > 1 else "frequencies"


def _has_axis(scenario: Scenario, chart: str) -> bool:
    """True if there are closed forms of a chart to draw over an axis; of RAPPOR's error, none."""
    from ....charts.curves import closed_forms

    return closed_forms(scenario).axis(chart) is not None


def _items(scenario: Scenario) -> int | None:
    """The number of items, if the population's table states it."""
    population = scenario.document.get("population", {})
    return len(population.get("counts", ())) or population.get("items")


def in_rounds(document: Mapping[str, Any]) -> bool:
    """True if a scenario's document has several rounds."""
    attack = document.get("attack")
    return (isinstance(attack, Mapping) and "phase" in attack) or "campaign" in document


def _numbers(values: list[object]) -> bool:
    return len(values) > 1 and all(isinstance(value, int | float) for value in values)


def task_of(scenario: Scenario | None) -> str:
    """The kind of a scenario's task (frequencies, mean, …), which decides what its charts show."""
    task = scenario.document.get("task") if scenario is not None else None
    return str(task.get("kind", LISTS[0])) if isinstance(task, dict) else LISTS[0]


class Tabs:
    """The tabs of the draft; while it is invalid, those of the last valid draft.

    When a goal or a phase is added its tab is shown, and when it is removed the tab before.
    """

    def __init__(self) -> None:
        self.names = tabs_of(None)
        self._own = ""  # the tab of a goal or of rounds, if the draft has them
        self._kept = dict[str, str]()  # by the own tab: that which was shown last

    def open_on(self, draft: Draft) -> str:
        """The tab that a scenario opens with."""
        self._own, self._kept = _own_tab(tabs_of(draft)), {}
        return first_tab(draft.scenario)

    def follow(self, draft: Draft | None, tab: str) -> str:
        """Take over an edited draft; returns the tab to show in place of `tab`, or `tab`."""
        if draft is None or draft.parses:
            self.names = tabs_of(draft)
            if (own := _own_tab(self.names)) != self._own:
                self._kept[self._own], self._own = tab, own
                tab = self._kept.get(own, own or "frequencies")
        return tab if tab in dict(self.names) else self.names[0][0]


def _own_tab(tabs: Choices) -> str:
    """The tab of a goal or of rounds among these; "" if there is none."""
    return next((name for name, _ in tabs if name in ("answer", "timeline")), "")


def fitting(tabs: Choices, width: int) -> Choices:
    """The tabs with titles short enough for a bar of `width` columns."""
    short = tuple((name, KINDS[name].short or words) for name, words in tabs)
    return tabs if not width or sum(len(words) + 1 for _, words in tabs) <= width + 1 else short


def charts_of(tab: str, *, wide: bool, rounds: bool) -> tuple[str, ...]:
    """The charts that a tab shows: its own first, and on wide screens a second one beside it.

    rounds : True if there are rounds with frequencies of their own.
    """
    kind = KINDS[tab]
    if not kind.frame:
        return ()
    both = wide and kind.beside and (rounds or tab != "timeline")
    return (tab, kind.beside) if both else (tab,)


KEYS: Final[list[BindingType]] = [
    Binding("left,h", "tab(-1)", "Tab before", show=False,
            id="charts.previous"),
    Binding("right,l", "tab(1)", "Next tab", show=False, id="charts.next"),
    Binding("v", "view", "View", id="charts.view"),
    Binding("t", "table", "Table", id="charts.table"),
    Binding("x", "axis", "Axis", id="charts.axis"),
    Binding("f", "option('pick')", "Series", id="charts.pick"),
    Binding("g", "option('group')", "Group", id="charts.group"),
    Binding("X", "option('x')", "Log x", id="charts.log-x"),
    Binding("c", "option('y')", "Log y", id="charts.log-y"),
    Binding("j,down", "cohort(1)", "Pick", id="charts.next-cohort",
            key_display="j k"),
    Binding("k,up", "cohort(-1)", "Cohort, target, series before", show=False,
            id="charts.cohort-before"),
    Binding("enter", "take", "Take cell", id="charts.take"),
    *STEP,
    Binding("plus,equals_sign", "zoom_axis(1.6)", "Zoom axis", id="charts.zoom-in",
            key_display="+ - 0"),
    Binding("minus", "zoom_axis(0.625)", "Zoom out", show=False, id="charts.zoom-out"),
    Binding("0", "zoom_axis(0)", "Whole axis", show=False, id="charts.zoom-whole"),
    Binding("J,pagedown", "cohort(10)", "10 cohorts on", show=False, id="charts.cohorts-on"),
    Binding("K,pageup", "cohort(-10)", "10 back", show=False, id="charts.cohorts-back"),
]  # fmt: skip
