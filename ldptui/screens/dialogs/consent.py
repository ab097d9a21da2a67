"""The question before somebody's Python code runs."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button, Static

from ...session.consent import Code
from ...text.prose import plain
from ...widgets.dialog import Dialog, ModalScreen
from .text import TextScreen

WORDS: Final = (
    "The scenario asks for Python code that ldptui does not come with. It would run with your "
    "permissions, as any program that you start. The answer holds until you quit, and for this "
    "hash alone."
)


class ConsentScreen(ModalScreen[bool]):
    """Shows whose code it is; y lets it run until the app ends, v views it, n or esc is no."""

    AUTO_FOCUS = "#no"  # a key that was meant for something else allows nothing

    DEFAULT_CSS = """
    ConsentScreen {
        & > Dialog { padding: 1 2 0 2; }
        Static { width: 100%; height: auto; }
        .facts { margin: 1 0; }
        Horizontal { width: auto; height: 1; }
        Button { margin-right: 2; min-width: 8; }
        Button:focus { text-style: bold reverse; background: transparent; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Allow until quit", id="consent.yes"),
        Binding("v", "view", "View the code", id="consent.view"),
        Binding("n,escape", "answer(False)", "No", id="consent.no"),
        Binding("left,h", "app.focus_previous", "Before", show=False, id="consent.before"),
        Binding("right,l", "app.focus_next", "Next", show=False, id="consent.next"),
    ]

    def __init__(self, code: Code) -> None:
        super().__init__()
        self._code = code

    def compose(self) -> ComposeResult:
        wide = max(len(head) for head, _ in self._code.facts)
        facts = (f"{head:<{wide}}  {plain(value)}" for head, value in self._code.facts)
        with Dialog("Let this code run?", ""):
            yield Static(WORDS, markup=False)
            yield Static("\n".join(facts), markup=False, classes="facts")
            with Horizontal():
                yield Button("No (n)", id="no", compact=True)
                yield Button("View (v)", id="view", compact=True)
                yield Button("Allow until quit (y)", id="yes", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "view":
            self.action_view()
        else:
            self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)

    def action_view(self) -> None:
        """The whole file, with a bar beside the lines of what the scenario asks for."""
        first, last = self._code.lines or (0, -1)
        lines = plain(self._code.text).splitlines()
        text = "\n".join(
            f"{at:>4} {'│' if first <= at <= last else ' '} {line}"
            for at, line in enumerate(lines, 1)
        )
        self.app.push_screen(TextScreen(plain(self._code.title), text or "There is no text."))
