"""The tabs of the lab in two rows: what a trusted curator answers, and what privacy is kept."""

from __future__ import annotations

from typing import Final, get_args

from textual.app import ComposeResult
from textual.containers import Vertical

from ...lab.topics import TOPICS, Group
from ...widgets.choice_bar import ChoiceBar

GROUPS: Final[tuple[Group, ...]] = get_args(Group)


class TopicTabs(Vertical):
    """A row for each group of topics; the numbers are the keys of the tabs."""

    DEFAULT_CSS = """
    TopicTabs { height: auto; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._bars = {group: ChoiceBar() for group in GROUPS}
        for group, bar in self._bars.items():
            bar.prefix = f"{group.capitalize():<{max(map(len, GROUPS))}}  "

    def compose(self) -> ComposeResult:
        yield from self._bars.values()

    def select(self, name: str) -> None:
        """Mark a topic's tab."""
        for bar in self._bars.values():
            bar.selected = name

    def show(self, *, numbers: bool) -> None:
        """Name the tabs; numbers : with their keys, where there is room for them."""
        for group, bar in self._bars.items():
            bar.choices = tuple(
                (topic.name, f"{at % 10} {topic.title}" if numbers else topic.title)
                for at, topic in enumerate(TOPICS.values(), start=1)
                if topic.group == group
            )
