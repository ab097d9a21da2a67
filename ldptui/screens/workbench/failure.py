"""Why a run failed: the traceback of an attack's own code, or a sentence."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from ...text.prose import plain


class FailureView(VerticalScroll):
    """Nothing while nothing failed; of a traceback the end, as that is where it says why."""

    DEFAULT_CSS = """
    FailureView {
        height: auto;
        max-height: 85%;
        border-top: solid $foreground 15%;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        display: none;
        & > Static { color: $text-error; height: auto; }
        & > Static.-traceback { color: $foreground 80%; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, error: str, details: str) -> None:
        """Show an error, or nothing.

        error : a sentence, "" where nothing failed. details : a traceback that says it too.
        """
        words, text = self.query_one(Static), plain(details or error)
        self.display = bool(text)
        if str(words.content) != text:
            words.update(text)
            words.set_class(bool(details), "-traceback")
            show = self.scroll_end if details else self.scroll_home
            self.call_after_refresh(show, animate=False)
