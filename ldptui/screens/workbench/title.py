"""The first line: the program, the scenario, and where the panes are."""

from __future__ import annotations

from typing import Final

from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

NAMES: Final = {
    1: "Protocol", 2: "Parameters", 3: "Attack", 4: "Charts", 5: "Runs", 7: "Defences",
}  # fmt: skip
"""The panes by their numbers; 6 is the lab."""
ROOM_FOR_TITLE: Final = 24
"""Columns that a title needs to be told from others; the program's name gives way to it."""


class TitleBar(Widget):
    """The scenario's title, ● while it is not saved; where one pane is alone, the panes' tabs.

    pane : the one that is alone, 0 where all are shown.
    """

    DEFAULT_CSS = """
    TitleBar {
        height: 1;
        padding: 0 1;
        background: $panel;
        link-style: not underline;
        link-style-hover: underline;
        link-background-hover: $panel;
        & > .title--name { color: $text-accent; text-style: bold; }
        & > .title--on { color: $text-accent; text-style: bold underline; }
        & > .title--muted { color: $foreground-muted; }
    }
    """
    COMPONENT_CLASSES = {"title--name", "title--on", "title--muted"}  # noqa: RUF012

    scenario: reactive[str] = reactive("")
    modified: reactive[bool] = reactive(False)
    pane: reactive[int] = reactive(4)

    def show_title(self, scenario: str, modified: bool) -> None:
        """Show this scenario's title."""
        self.scenario, self.modified = scenario, modified

    def render(self) -> Text:
        name, on, muted = (
            self.get_component_rich_style(f"title--{part}", partial=True)
            for part in ("name", "on", "muted")
        )
        line = Text(no_wrap=True, overflow="ellipsis")
        if self.pane:
            tabs = sum(len(pane) + 4 for pane in NAMES.values())
            roomy = self.size.width >= tabs
            if self.size.width >= len("ldptui  ") + tabs + ROOM_FOR_TITLE:
                line.append("ldptui  ", name)
            for number, pane in NAMES.items():
                start = len(line)
                line.append(f"{number}", on if number == self.pane else name)
                if roomy or number == self.pane:
                    line.append(f" {pane}", on if number == self.pane else muted)
                line.apply_meta({"@click": f"screen.pane({number})"}, start, len(line))
                line.append("  ")
        else:
            line.append("ldptui", name).append(" │ ", muted)
        line.append("● " if self.modified else "", name).append(self.scenario, muted)
        line.truncate(self.size.width, overflow="ellipsis")
        return line
