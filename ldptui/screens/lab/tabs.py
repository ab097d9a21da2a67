"""The tabs of the lab, a row for each group of topics."""

from __future__ import annotations

from typing import Final, get_args

from textual.app import ComposeResult
from textual.containers import Vertical

from ...lab.topics import TOPICS, Group
from ...widgets.choice_bar import ChoiceBar
from .bindings import key_of

GROUPS: Final[tuple[Group, ...]] = get_args(Group)
LOW: Final = 24
"""Rows of the terminal up to which the row of the tab is shown with its neighbour alone."""


class TopicTabs(Vertical):
    """A row for each group of topics; the numbers and letters are the keys of the tabs."""

    DEFAULT_CSS = """
    TopicTabs { height: auto; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._low = False
        self._tab = next(iter(TOPICS))
        self._bars = {group: ChoiceBar() for group in GROUPS}
        for group, bar in self._bars.items():
            bar.prefix = f"{group.capitalize():<{max(map(len, GROUPS))}}  "

    def compose(self) -> ComposeResult:
        yield from self._bars.values()

    def select(self, name: str) -> None:
        """Mark a topic's tab."""
        self._tab = name
        for bar in self._bars.values():
            bar.selected = name
        self._lay_out()

    def _lay_out(self) -> None:
        """Show every row; in a low terminal that of the tab and the one before it, or after."""
        at = max(1, GROUPS.index(TOPICS[self._tab].group))
        for place, bar in enumerate(self._bars.values()):
            bar.display = not self._low or place in (at - 1, at)

    def show(self, *, numbers: bool, low: bool) -> None:
        """Name the tabs, with their keys where there is room; low : not all rows are shown."""
        self._low = low
        self._lay_out()
        for group, bar in self._bars.items():
            bar.choices = tuple(
                (name, f"{key_of(name)} {topic.title}" if numbers else topic.title)
                for name, topic in TOPICS.items()
                if topic.group == group
            )
