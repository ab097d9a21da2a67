"""Words that are on the screen already lay out nothing anew."""

from __future__ import annotations

from typing import Any

from textual.widgets import Static

from ldptui.widgets.words import put, put_or_hide


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
