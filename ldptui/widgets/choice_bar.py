"""One row of choices: tabs, the variable on an axis, switches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.text import Text
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ..charts.rows import clean
from .plot import charset_of

GAP: Final = "  "
Choices = tuple[tuple[str, str], ...]
"""Choices as pairs: the name that is posted when it is chosen, and its text."""


class ChoiceBar(Widget):
    """A row of words, the selected one underlined, with switches on the right.

    It takes no focus; its keys are those of the pane around it.
    """

    COMPONENT_CLASSES = {"choice-bar--selected", "choice-bar--other"}  # noqa: RUF012

    @dataclass(eq=False)
    class ChoiceMade(Message):
        """Posted when a word, or the text before all words (`prefix`), was clicked."""

        bar: ChoiceBar
        choice: str

        @property
        def control(self) -> ChoiceBar:
            return self.bar

    prefix: reactive[str] = reactive("")
    choices: reactive[Choices] = reactive(())
    selected: reactive[str] = reactive("")
    switches: reactive[Choices] = reactive(())

    def fits(self, choices: Choices, width: int) -> bool:
        """True if these words fit into a row of `width` columns beside the switches."""
        charset = charset_of(self.app)
        left = GAP.join(label for _, label in choices)
        words = [left, *(label for _, label in self.switches)]
        return sum(cell_len(clean(word, charset)) + 2 for word in words) - 2 <= width

    def _pieces(self) -> Iterator[tuple[str, str, str]]:
        """Yields text, style class and choice of each piece; switches that do not fit are left out
        from the left.
        """
        charset = charset_of(self.app)
        words = [self.prefix, *(label for _, label in self.choices)]
        wide = sum(map(cell_len, words)) + len(GAP) * (len(self.choices) - 1)
        gap = GAP if wide <= self.size.width else " "
        left = [(clean(self.prefix, charset), "", "prefix")] if self.prefix else []
        for index, (choice, label) in enumerate(self.choices):
            if index:
                left.append((clean(gap, charset), "", ""))
            kind = "selected" if choice == self.selected else "other"
            left.append((clean(label, charset), f"choice-bar--{kind}", choice))
        room = self.size.width - sum(cell_len(text) for text, _, _ in left)
        right: list[tuple[str, str, str]] = []
        for choice, label in reversed(self.switches):
            switch = clean(label, charset)
            room -= cell_len(switch) + 2
            if room < 0:
                break
            right = [("  ", "", ""), (switch, "", choice), *right]
        yield from left
        if right:
            used = sum(cell_len(text) for text, _, _ in (*left, *right))
            yield " " * (self.size.width - used), "", ""
            yield from right

    def render(self) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        for piece, kind, _ in self._pieces():
            text.append(piece, self.get_component_rich_style(kind, partial=True) if kind else "")
        return text

    def on_click(self, event: Click) -> None:
        at = 0
        for piece, _, choice in self._pieces():
            if choice and at <= event.x < at + cell_len(piece):
                self.post_message(self.ChoiceMade(self, choice))
            at += cell_len(piece)
