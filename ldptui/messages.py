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
    """A form changed one key of the scenario; None removes it."""

    key: str
    value: Any


@dataclass(eq=False)
class KeysProposed(Message):
    """Values for keys of the scenario, in the order to set them, and the name of that edit.

    sweeps_stay : else what was swept of the keys is swept no longer.
    """

    edits: Sequence[tuple[str, Any]]
    what: str = "what the lab found"
    sweeps_stay: bool = False


@dataclass(eq=False)
class StatusNote(Message):
    """Something to say in the status line for a while."""

    note: str


@dataclass(eq=False)
class TextEdited(Message):
    """The script editor's text changed by the user's hand."""

    text: str


@dataclass(eq=False)
class FieldFocused(Message):
    """A field of the form has the focus: help and status follow it."""

    key: str


@dataclass(eq=False)
class SelectionsChanged(Message):
    """Another chart or axis is shown: other cells have to be measured."""


@dataclass(eq=False)
class LongWork(Message):
    """Work too slow for the screen: `work` runs in a thread, then `done` gets its result.

    Only the newest message of a kind is begun.
    """

    kind: str
    work: Callable[[], Any]
    done: Callable[[Any], None]


@dataclass(eq=False)
class ChoicesAsked(Message):
    """A request for the list of all values of a field: `chosen` receives the choice.

    field : the widget that takes it. options : the values with their words. value : what the field
    says now.
    """

    field: Widget
    key: str
    title: str
    options: Sequence[tuple[Any, str]]
    value: Any
    chosen: Callable[[Any], None]


@dataclass(eq=False)
class RunProgressed(Message):
    """News of a run. In the queue a newer one replaces an unfinished one of the same run."""

    snapshot: Snapshot

    def can_replace(self, message: Message) -> bool:
        return (
            isinstance(message, RunProgressed)
            and message.snapshot.key == self.snapshot.key
            and self.snapshot.status == "running"
        )


@dataclass(eq=False)
class QuestionReply(Message):
    """A reply to a question of the lab."""

    reply: Reply


@dataclass(eq=False)
class WorkerChanged(Message):
    """The background worker is warm, has died, or was started anew."""

    alive: bool
    note: str = ""


@dataclass(eq=False)
class RunsChosen(Message):
    """Runs chosen in the Runs pane, by key: one to show, others to lay over it."""

    shown: int
    overlays: tuple[int, ...] = ()


@dataclass(eq=False)
class GroupAsked(Message):
    """A request to group the charts' runs by the next key in which they differ."""


Ask = Literal["star", "remove", "restore", "open", "play", "resume", "difference", "verify"]


@dataclass(eq=False)
class RunAsked(Message):
    """A request to change a run of the Runs pane, named by its key."""

    what: Ask
    key: int
