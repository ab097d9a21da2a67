"""The metrics of somebody's code as columns: before and after the attack, defended or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ldptui.core.base.summary import Estimate
from ldptui.core.cell import Cell

from ...catalogue import metric_words
from .layout import Group
from .numbers import side_by_side


def python_groups(cells: Sequence[Cell], of: Callable[[str], Sequence[Estimate]]) -> list[Group]:
    """A group for each metric in Python of some cells, and one for its defended values.

    of : the estimates of a column, one for each row.
    """
    attacked = any(cell.attack is not None for cell in cells)
    groups: dict[str, dict[str, Sequence[Estimate]]] = {}
    for cell in cells:
        for metric in cell.python_metrics:
            name = metric_words(metric.name).name
            for column, arm in sorted(metric.columns(cell.arms).items(), key=lambda item: item[1]):
                if arm.attacked or attacked:  # else both are the same
                    head = ("after" if arm.attacked else "before") if attacked else "measured"
                    group = groups.setdefault(f"{name}{', defended' * arm.defended}", {})
                    group.setdefault(head, of(column))
    return [side_by_side(title, columns) for title, columns in groups.items()]
