"""Dialogs that ask one thing: yes or no, tags, whether code may run; and text to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from ...session.consent import UnseenCode
from ...terminal.clipboard import copy
from ...text.prose import plain
from ...widgets.blank import Scroll
from ...widgets.dialog import Dialog, ModalScreen


class ConfirmScreen(ModalScreen[bool]):
    """A dialog with a yes-or-no question: y is yes, n and esc are no, enter presses the focused
    button.

    facts : sentences above the question.
    """

    # Not by hand when it is mounted: the app may be ending by then.
    AUTO_FOCUS = "#yes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", id="confirm.yes"),
        Binding("n,escape", "answer(False)", "No", id="confirm.no"),
        Binding("left,right,h,l", "app.focus_next", "Other", show=False, id="confirm.other"),
    ]

    def __init__(
        self, question: str, yes: str = "Quit", no: str = "Stay", title: str = "", facts: str = ""
    ) -> None:
        super().__init__()
        self._question, self._yes, self._no, self._facts = question, yes, no, facts
        self._heading = title or f"{yes}?"

    def compose(self) -> ComposeResult:
        with Dialog(self._heading, ""):
            yield Static(self._question, markup=False)
            if self._facts:
                yield Scroll(Static(plain(self._facts), markup=False))
            with Horizontal():
                yield Button(f"{self._yes} (y)", id="yes", compact=True)
                yield Button(f"{self._no} (n)", id="no", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


class ConsentScreen(ConfirmScreen):
    """A dialog that asks whether plug-in code, shown by its path and hash, may run until the app
    ends; enter is no.
    """

    AUTO_FOCUS = "#no"  # a key that was meant for something else allows nothing

    def __init__(self, codes: Sequence[UnseenCode]) -> None:
        facts = "\n\n".join(code.facts for code in codes)
        super().__init__(WORDS, "Allow until quit", "No", "Let this code run?", facts)


class TextScreen(ModalScreen[None]):
    """A dialog that shows a text or paragraphs; y copies the text, esc or q closes the dialog."""

    # Not by hand when it is mounted: the app may be ending by then.
    AUTO_FOCUS = "Scroll"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,question_mark", "leave", "Close", id="text.close"),
        Binding("y", "copy", "Copy", id="text.copy"),
    ]

    def __init__(self, title: str, *parts: str | Content) -> None:
        super().__init__()
        self._heading, self.parts = title, [*parts]

    def compose(self) -> ComposeResult:
        with Dialog(self._heading, "y copies · ↑ ↓ scroll · esc closes"):
            with Scroll():
                for part in self.parts:
                    yield Static(part, markup=False)
            yield Static(classes="said", markup=False)

    def action_copy(self) -> None:
        text = "\n".join(map(str, self.parts))
        self.query_one(".said", Static).update(copy(self.app, text))


WORDS: Final = (
    "The scenario asks for Python code that ldptui does not come with. It would run with your "
    "permissions, as any program that you start. The answer holds until you quit, and for what "
    "these files hold now."
)
