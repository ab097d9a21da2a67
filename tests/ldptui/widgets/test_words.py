"""Words that are on the screen already lay out nothing anew."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from ldptui.widgets.words import cut_at_word, parts_within, put, put_or_hide


class Counted(Static):
    """Counts its updates."""

    updates = 0

    def update(self, *content: Any, **options: Any) -> None:
        self.updates += 1
        super().update(*content, **options)


def test_the_same_words_again_update_nothing() -> None:
    words = Counted("a")
    put(words, "a")
    assert words.updates == 0
    put(words, "b")
    put(words, "b")
    assert (str(words.content), words.updates) == ("b", 1)


def test_a_widget_without_words_is_not_there() -> None:
    words = Counted("why not")
    put_or_hide(words, "")
    assert (words.display, str(words.content)) == (False, "")
    put_or_hide(words, "why not")
    assert (words.display, str(words.content), words.updates) == (True, "why not", 2)


class Framed(Widget):
    """Notes which rows inside its border are drawn."""

    DEFAULT_CSS = "Framed { border: round red; padding: 1 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.drawn: list[int] = []

    def render_line(self, y: int) -> Strip:
        self.drawn.append(y)
        return super().render_line(y)


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield Framed()


@pytest.mark.parametrize(
    ("width", "hint"),
    [
        (40, "enter opens · tab completes · esc closes"),
        (39, "enter opens · esc closes"),
        (24, "enter opens · esc closes"),
        (23, "esc closes"),
        (0, "esc closes"),
    ],
)
def test_a_hint_without_room_loses_whole_parts_and_says_how_to_leave(width: int, hint: str) -> None:
    assert parts_within("enter opens · tab completes · esc closes", width) == hint


@pytest.mark.parametrize(
    ("width", "shown"),
    [(40, "● a path: /home/of/somebody"), (26, "● a path: …"), (9, "● a …"), (2, "●…")],
)
def test_a_line_without_room_ends_after_a_word_in_its_colours(width: int, shown: str) -> None:
    line = Content.assemble(("● ", "red"), "a path: /home/of/somebody")
    cut = cut_at_word(line, width)
    assert cut.plain == shown
    assert cut.spans[0] == line.spans[0] or width < 3
