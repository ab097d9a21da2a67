"""The tabs of the pane: which there are, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from ....widgets.choice_bar import Choices

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario

    from ....session.draft import Draft

Chart = Literal["success", "frequencies", "gain", "error", "map", "trials", "detection", "timeline"]
Tab = Chart | Literal["levels", "items", "answer", "report", "privacy", "table", "equations"]

HITTERS: Final = "heavy-hitters"
"""The task that has views of its own."""
TARGETS: Final = "attack.targets.items"
"""A swept list of targets is a number on an axis: how many they are, or how many hold them."""
CHARTS: Final[tuple[Chart, ...]] = get_args(Chart)
"""The tabs that show charts."""

TABS: Final[Choices] = (
    ("levels", "Levels"),
    ("items", "Items"),
    ("frequencies", "Frequencies"),
    ("gain", "Gain"),
    ("error", "Error"),
    ("success", "Success"),
    ("map", "Map"),
    ("trials", "Trials"),
    ("detection", "Detection"),
    ("timeline", "Timeline"),
    ("answer", "Answer"),
    ("report", "One report"),
    ("privacy", "Privacy"),
    ("table", "Table"),
    ("equations", "Equations"),
)
MEASURED: Final = {"success": "Metrics"}
"""The name of the chart of a metric where it is one in Python."""
SHORTER: Final = {"report": "Report"}
"""Names of tabs in a narrow pane."""
SHORTEST: Final = {**SHORTER, "frequencies": "Freq", "equations": "Eqs"}
"""Those in a pane so narrow that not all would be seen."""
OF_ITEMS: Final = ("frequencies", "gain", "error", "trials", "timeline")
"""The tabs about a list of items, which heavy hitters have not."""
NARROW: Final = 66
"""Below this width it is."""


def tabs_of(draft: Draft | None) -> Choices:
    """The tabs that a draft has: what noise gives away is a panel of RAPPOR's, for example."""
    cell = draft.cell if draft is not None else None
    keeps = cell is not None and cell.memory is not None
    goal = cell is not None and cell.goal is not None
    scenario = draft.scenario if draft is not None else None
    pairs = scenario is not None and len(scenario.document.get("sweep", {})) > 1
    scored = cell is not None and any(hasattr(step, "scores") for step in cell.filters[:1])
    missing = {
        "trials": cell is not None and bool(cell.rounds),
        "timeline": not (cell.rounds if cell is not None else draft and in_rounds(draft.document)),
        "privacy": not keeps,
        "answer": not goal,
        "map": not pairs,
        "detection": not scored,
    }
    hunted = seeks_hitters(scenario)
    missing |= dict.fromkeys(("levels", "items"), not hunted)
    missing["success"] = not hunted and not (cell is not None and cell.python_metrics)
    if hunted:
        missing |= dict.fromkeys(OF_ITEMS, True)
    shown = (tab for tab in TABS if not missing.get(tab[0]))
    return tuple((name, words if hunted else MEASURED.get(name, words)) for name, words in shown)


def first_tab(scenario: Scenario | None) -> Tab:
    """The tab that shows what a scenario is about: its rounds, its sweep, or its estimates."""
    if scenario is None:
        return "frequencies"
    if seeks_hitters(scenario):
        return "success" if any(map(_numbers, scenario.sweep.values())) else "levels"
    attack, sweep = scenario.document.get("attack", {}), scenario.sweep
    if in_rounds(scenario.document):
        return "timeline"
    attacked = attack.get("kind", "none" if "mix" not in attack else "mix") != "none"
    if TARGETS in sweep or any(map(_numbers, sweep.values())):
        return "gain" if attacked or "attack.kind" in sweep else "error"
    return "map" if len(sweep) > 1 else "frequencies"


def in_rounds(document: Mapping[str, Any] | None) -> bool:
    """Return whether a scenario is collected in rounds, as far as its text says."""
    attack = (document or {}).get("attack")
    phased = isinstance(attack, Mapping) and "phase" in attack
    return phased or "campaign" in (document or {})


def _numbers(values: list[object]) -> bool:
    return len(values) > 1 and all(isinstance(value, int | float) for value in values)


def seeks_hitters(scenario: Scenario | None) -> bool:
    """Return whether a scenario looks for heavy hitters: its charts are about no list of items."""
    task = scenario.document.get("task") if scenario is not None else None
    return isinstance(task, dict) and task.get("kind") == HITTERS


def fitting(tabs: Choices, width: int) -> Choices:
    """The tabs as the bar names them, in less room where that is scarce."""
    long, shorter, shortest = (
        tuple((name, short.get(name, words)) for name, words in tabs)
        for short in ({}, SHORTER, SHORTEST)
    )
    if not width:
        return long
    usual = shorter if width < NARROW else long
    return usual if sum(len(words) + 1 for _, words in usual) <= width + 1 else shortest


def charts_of(tab: Tab, *, wide: bool, rounds: bool) -> tuple[Chart, ...]:
    """The charts that a tab shows, its own first, then, where it is wide, what stands beside it.

    rounds : whether there are rounds whose frequencies could be gone through.
    """
    beside: dict[Tab, tuple[Chart, ...]] = {
        "frequencies": ("frequencies", "gain"),
        "gain": ("gain", "frequencies"),
        "error": ("error", "gain"),
        "map": ("map",),
        "success": ("success",),
        "trials": ("trials", "frequencies"),
        "detection": ("detection", "frequencies"),
        "timeline": ("timeline", "frequencies") if rounds else ("timeline",),
    }
    return beside.get(tab, ())[: 2 if wide else 1]
