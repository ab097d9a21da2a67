"""The question before something is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.dom import DOMNode
from textual.widgets import Button, Static

from ...text.format import count, percent
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
        return f"The run {ended} meanwhile. Quit?"
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
