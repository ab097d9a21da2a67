"""Dialogs that ask one thing: yes or no, tags, whether code may run; and text to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.dom import DOMNode
from textual.widgets import Button, Input, Static

from ...session.consent import Code
from ...terminal.clipboard import copy
from ...text.format import count, percent
from ...text.prose import plain
from ...widgets.blank import Scroll
from ...widgets.dialog import Dialog, ModalScreen
from ...widgets.words import put

if TYPE_CHECKING:
    from ...session.runs import Run
    from ...session.shelf import Shelf
    from ...session.snapshot import Snapshot


class ConfirmScreen(ModalScreen[bool]):
    """Asks; y or enter is yes, n or esc is no."""

    # Not by hand when it is mounted: the app may be ending by then.
    AUTO_FOCUS = "#yes"

    DEFAULT_CSS = """
    ConfirmScreen {
        & > Dialog { width: auto; min-width: 44; max-width: 90%; padding: 1 2 0 2; }
        Static { width: auto; max-width: 100%; }
        Horizontal { width: auto; height: 1; margin-top: 1; }
        Button { margin-right: 2; min-width: 12; }
        Button:focus { text-style: bold reverse; background: transparent; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", id="confirm.yes"),
        Binding("n,escape", "answer(False)", "No", id="confirm.no"),
        Binding("left,right,h,l", "app.focus_next", "Other", show=False, id="confirm.other"),
    ]

    def __init__(self, question: str, yes: str = "Quit", no: str = "Stay") -> None:
        super().__init__()
        self._question, self._yes, self._no = question, yes, no

    def compose(self) -> ComposeResult:
        title = f"{self._yes}?"
        with Dialog(title, ""):
            yield Static(self._question, markup=False)
            with Horizontal():
                yield Button(f"{self._yes} (y)", id="yes", compact=True)
                yield Button(f"{self._no} (n)", id="no", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


class LeaveScreen(ConfirmScreen):
    """Asks before quitting while a run goes on; its words follow the run, to its end and after."""

    def __init__(self, holder: DOMNode, run: Snapshot) -> None:
        """A question about `run`; `holder` has the runs as its reactive `shelf`."""
        super().__init__(leaving(run))
        self._holder, self._key = holder, run.key

    def on_mount(self) -> None:
        self.watch(self._holder, "shelf", self._follow)

    def _follow(self, shelf: Shelf) -> None:
        run = next((run.snapshot for run in shelf.session if run.key == self._key), None)
        if run is not None:
            put(self.query_one(Static), leaving(run))


def leaving(run: Snapshot) -> str:
    """The question before quitting: what becomes of the run, or how it has ended meanwhile."""
    if run.status != "running":
        ended = {"done": "is done", "failed": "has failed"}.get(run.status, "was stopped")
        return f"The run {ended}. Quit?"
    share = percent(run.done / run.total if run.total else 0.0, 2)
    if run.kept is None:
        return f"A run is at {share}. Quit and lose it?"
    return f"A run is at {share}. Quit? The next start offers to go on with it."


def going_on(run: Run) -> str:
    """The question about a run whose process is gone."""
    done, total = run.snapshot.done, run.kept.total if run.kept is not None else 0
    share = percent(done / total if total else 0.0, 2)
    return (
        f"{run.name[:1].upper()}{run.name[1:]}, {run.title}, was cut off at {share} "
        f"({count(done)} of {count(run.snapshot.total)} trials).\n"
        "What it has is kept. Go on with it?"
    )


class TextScreen(ModalScreen[None]):
    """Shows a text; y copies it, esc or q closes."""

    # Not by hand when it is mounted: the app may be ending by then.
    AUTO_FOCUS = "Scroll"

    DEFAULT_CSS = """
    TextScreen {
        Scroll { height: auto; max-height: 100%; }
        .said { color: $text-accent; height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Close", id="text.close"),
        Binding("y", "copy", "Copy", id="text.copy"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with Dialog(self._title, "y copies · ↑ ↓ scroll · esc closes"):
            with Scroll():
                yield Static(self._text, markup=False)
            yield Static(classes="said", markup=False)

    def action_copy(self) -> None:
        self.query_one(".said", Static).update(copy(self.app, self._text))


WORDS: Final = (
    "The scenario asks for Python code that ldptui does not come with. It would run with your "
    "permissions, as any program that you start. The answer holds until you quit, and for what "
    "these files hold now."
)


class ConsentScreen(ModalScreen[bool]):
    """Asks whether code may run until the app ends, by its path and hash; n, esc or enter is no."""

    AUTO_FOCUS = "#no"  # a key that was meant for something else allows nothing

    DEFAULT_CSS = """
    ConsentScreen {
        & > Dialog { padding: 1 2 0 2; }
        Static { width: 100%; height: auto; }
        .facts { margin: 1 0; height: auto; max-height: 16; }
        Horizontal { width: auto; height: 1; }
        Button { margin-right: 2; min-width: 8; }
        Button:focus { text-style: bold reverse; background: transparent; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Allow until quit", id="consent.yes"),
        Binding("n,escape", "answer(False)", "No", id="consent.no"),
        Binding("left,right,h,l", "app.focus_next", "Other", show=False, id="consent.other"),
    ]

    def __init__(self, codes: Sequence[Code]) -> None:
        super().__init__()
        self._codes = codes

    def compose(self) -> ComposeResult:
        with Dialog("Let this code run?", ""):
            yield Static(WORDS, markup=False)
            with Scroll(classes="facts"):
                yield Static(plain("\n\n".join(code.facts for code in self._codes)), markup=False)
            with Horizontal():
                yield Button("No (n)", id="no", compact=True)
                yield Button("Allow until quit (y)", id="yes", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


class TagsScreen(ModalScreen[tuple[str, ...] | None]):
    """One line of tags with commas between them; enter gives the run these and no others."""

    DEFAULT_CSS = """
    TagsScreen {
        & > Dialog { max-width: 72; }
        Input { height: 1; border: none; padding: 0; }
        Input:focus { border: none; }
        Static { color: $foreground-muted; height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="tags.close"),
    ]

    def __init__(self, run: str, tags: tuple[str, ...]) -> None:
        super().__init__()
        self._run, self._tags = run, tags

    def compose(self) -> ComposeResult:
        with Dialog(f"Tags of {self._run}", "enter keeps them · esc closes"):
            field = Input(", ".join(self._tags), placeholder="paper, final")
            field.cursor_blink = False
            yield field
            yield Static("Words, with commas between the tags. / #tag finds the runs again.")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        tags = dict.fromkeys(part.strip() for part in event.value.split(",") if part.strip())
        self.dismiss(tuple(tag for tag in tags if tag.isprintable()))
