"""Every message of the app: small, never changed once made, and complete in itself.

(Textual keeps its own marks on a message, so the dataclasses cannot be frozen.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from textual.message import Message
from textual.widget import Widget

from .session.snapshot import Reply, Snapshot


@dataclass(eq=False)
class KeyEdited(Message):
    """Posted when a form has changed a key of the scenario; a value of None removes the key.

    undo_step : of a step up or down, which is not taken if it breaks a rule of the key: puts the
        value before it back.
    """

    key: str
    value: Any
    undo_step: Callable[[], None] | None = None


@dataclass(eq=False)
class KeysProposed(Message):
    """Posted to set several keys of the scenario at once, as one edit.

    what : the edit's name.
    sweeps_stay : keep the sweeps of these keys; otherwise the new values replace them.
    """

    edits: Sequence[tuple[str, Any]]
    what: str = "what the lab found"
    sweeps_stay: bool = False


@dataclass(eq=False)
class StatusNote(Message):
    """Posted to show a note in the status line for a few seconds.

    refuses_key : it is about the last key alone, and gives way to a problem, an edit and another
        row.
    """

    note: str
    refuses_key: bool = False


@dataclass(eq=False)
class HelpAsked(Message):
    """Posted by a dialog to show the help of a key of the scenario, or of a field of the lab; or
    the dialog's own words.
    """

    key: str
    words: str = ""


@dataclass(eq=False)
class TextEdited(Message):
    """Posted when the user has edited the text of the script."""

    text: str


@dataclass(eq=False)
class FieldFocused(Message):
    """Posted when a field of a form gets the focus, for help and status line."""

    key: str


@dataclass(eq=False)
class SelectionsChanged(Message):
    """Posted when the charts need other cells to be measured."""


@dataclass(eq=False)
class LongWork(Message):
    """Posted with work that is too slow for the screen: `work` runs in a thread, then `done` is
    called with its result.

    Only the newest message of a kind is begun.
    """

    kind: str
    work: Callable[[], Any]
    done: Callable[[Any], None]


@dataclass(eq=False)
class ChoicesAsked(Message):
    """Posted to show the list of all values of a field; `chosen` is called with the choice.

    field : the widget that takes it.
    options : the values with their words.
    value : what the field says now.
    """

    field: Widget
    key: str
    title: str
    options: Sequence[tuple[Any, str]]
    value: Any
    chosen: Callable[[Any], None]


@dataclass(eq=False)
class RunProgressed(Message):
    """Posted with a new snapshot of a run; in the queue it replaces an unfinished one of the same
    run.
    """

    snapshot: Snapshot

    def can_replace(self, message: Message) -> bool:
        return (
            isinstance(message, RunProgressed)
            and message.snapshot.key == self.snapshot.key
            and self.snapshot.status == "running"
        )


@dataclass(eq=False)
class QuestionReply(Message):
    """Posted with a reply to a question of the lab."""

    reply: Reply


@dataclass(eq=False)
class WorkerChanged(Message):
    """Posted when the worker process is ready, has died, or was restarted."""

    alive: bool
    note: str = ""


@dataclass(eq=False)
class RunsChosen(Message):
    """Posted with the keys of the runs to show: one, and others to overlay."""

    shown: int
    overlays: tuple[int, ...] = ()


@dataclass(eq=False)
class GroupAsked(Message):
    """Posted to group the cells of the shown runs by the next key in which the runs differ."""


Ask = Literal["star", "remove", "restore", "open", "play", "resume", "difference", "verify"]


@dataclass(eq=False)
class RunAsked(Message):
    """Posted to change a run of the pane Runs, named by its key."""

    what: Ask
    key: int
