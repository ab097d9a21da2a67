"""The tabs of the pane: which a draft has, which is shown first, and how they fit in a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ....charts.kinds import KINDS, About
from ....widgets.choice_bar import Choices

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario

    from ....session.draft import Draft

HITTERS: Final = "heavy-hitters"
"""The task that has views of its own."""
FREQUENCIES: Final = "frequencies"
"""The task that a scenario has without a table of its own; the others estimate no list of items."""
TARGETS: Final = "attack.targets.items"
"""A swept list of targets is a number on an axis: how many they are, or how many hold them."""
WIDE: Final = 128
"""From this width two of the tabs' charts stand side by side."""
NARROW: Final = 66
"""Below this width the pane is narrow."""


def tabs_of(draft: Draft | None) -> Choices:
    """The tabs that a draft has: kept answers alone have the panel of privacy, for example."""
    about = _about(draft)
    return tuple(
        (kind.name, (not about.levels and kind.unnamed) or kind.title)
        for kind in KINDS.values()
        if kind.has(about)
    )


def _about(draft: Draft | None) -> About:
    scenario = draft.scenario if draft is not None else None
    pairs = scenario is not None and len(scenario.document.get("sweep", {})) > 1
    lists, levels = (task_of(scenario) == task for task in (FREQUENCIES, HITTERS))
    cell = draft.cell if draft is not None else None
    if cell is None:
        in_text = in_rounds(draft.document if draft is not None else None)
        return About(lists=lists, levels=levels, rounds=in_text, pairs=pairs)
    return About(
        bound=True,
        lists=lists,
        spread=cell.task.truth(cell) is not None,
        levels=levels,
        rounds=bool(cell.rounds),
        pairs=pairs,
        measured=bool(cell.python_metrics),
        scored=any(hasattr(step, "scores") for step in cell.filters[:1]),
        keeps=cell.memory is not None,
        goal=cell.goal is not None,
        bounded=cell.concludes,
    )


def first_tab(scenario: Scenario | None) -> str:
    """The tab that shows what a scenario is about: its goal, rounds, sweep, or estimates."""
    if scenario is None:
        return "frequencies"
    if task_of(scenario) != FREQUENCIES and "goal" not in scenario.document:
        levels = task_of(scenario) == HITTERS and not any(map(_numbers, scenario.sweep.values()))
        return "levels" if levels else "success"
    if "goal" in scenario.document:
        return "answer"
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


def task_of(scenario: Scenario | None) -> str:
    """The kind of a scenario's task, which decides what its charts are about."""
    task = scenario.document.get("task") if scenario is not None else None
    return str(task.get("kind", FREQUENCIES)) if isinstance(task, dict) else FREQUENCIES


def fitting(tabs: Choices, width: int) -> Choices:
    """The tabs as the bar names them, in less room where that is scarce."""
    if not width:
        return tabs
    shorter, shortest = (
        tuple((name, getattr(KINDS[name], size) or words) for name, words in tabs)
        for size in ("short", "shortest")
    )
    usual = shorter if width < NARROW else tabs
    return usual if sum(len(words) + 1 for _, words in usual) <= width + 1 else shortest


def charts_of(tab: str, *, wide: bool, rounds: bool) -> tuple[str, ...]:
    """The charts that a tab shows, its own first, then, where it is wide, what stands beside it.

    rounds : whether there are rounds whose frequencies could be gone through.
    """
    kind = KINDS[tab]
    if not kind.drawn:
        return ()
    both = wide and kind.beside and (rounds or tab != "timeline")
    return (tab, kind.beside) if both else (tab,)
