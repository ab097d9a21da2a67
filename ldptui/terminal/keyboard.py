"""Keys: as they are written, and one after the other."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from textual.binding import Binding
from textual.events import Key, Paste

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.message import Message
    from textual.widget import Widget


RUN: Final = ("run.start", "ctrl+r")
RUNS: Final = ("pane.5", "5")
VIEW: Final = ("charts.view", "v")
AXIS: Final = ("charts.axis", "x")
UNDO: Final = ("draft.undo", "ctrl+z")
"""Ids and keys of bindings that sentences far from them name."""


def key_of(app: App[Any], name: str, default: str) -> str:
    """The first key of the binding with this id, as key hints write it: ^r, v, f9.

    The settings may replace its `default`.
    """
    changed: dict[str, str] = getattr(getattr(app, "settings", None), "keys", {})
    key = changed.get(name, default).split(",")[0].strip()
    return app.get_key_display(Binding(key, name))


ALT_DIGITS: Final = (
    "inverted_exclamation_mark",
    "trade_mark_sign",
    "pound_sign",
    "cent_sign",
    "infinity",
    "section_sign",
    "pilcrow_sign",
    "bullet",
    "ª",
    "º",
)
"""Textual's names of alt+1 … alt+9 and alt+0 from a terminal without the kitty keyboard protocol.

They go to a pane or a tab everywhere, so text fields leave them alone.
"""


PAUSE_S: Final = 0.004
"""A pause between two looks at what a key has brought about, a part of a frame."""

REST_S: Final = 2.0
"""Seconds for which the rest of a broken report is awaited."""
HELD_S: Final = 0.3
"""Seconds for which a `[` is held where no key follows: a report may break behind it."""
PARTS: Final = tuple("0123456789;-")
"""The characters of a report of the mouse before its end, M or m."""

LOOKS: Final = 290
"""The most looks for one key, the first forty without a pause: then the next key is heard."""


class BrokenReport:
    """Recognises keys that are parts of a mouse report which arrived too slowly.

    Textual waits 100 ms for the rest of `ESC [ < 35 ; 60 ; 6 M`; then it takes the parts for keys.
    A `[` directly followed by `<` comes from no keyboard. hear : receives a `[` that was held back
    and is a key.
    """

    def __init__(self, hear: Callable[[Key], object]) -> None:
        self._hear = hear
        self._bracket: Key | None = None
        self._began = -REST_S  # the last bracket came
        self._until = 0.0  # its end is expected

    def takes(self, key: Key) -> bool:
        """True for a key that is, or may be, a part of a mouse report; a `[` is held
        for a moment.
        """
        bracket, self._bracket = self._bracket, None
        now = time.monotonic()
        if key.character == "<" and (bracket is not None or now < self._began + REST_S):
            self._until = now + REST_S
            return True
        if bracket is not None:
            self._hear(bracket)
        if now < self._until:
            self._until = now + REST_S if key.character in PARTS else 0.0
            return True
        if key.character == "[":
            self._bracket, self._began = key, now
            asyncio.get_running_loop().call_later(HELD_S, self._release, key)
            return True
        return False

    @property
    def holds(self) -> bool:
        """True while a `[` is held."""
        return self._bracket is not None

    def _release(self, key: Key) -> None:
        if self._bracket is key:
            self._bracket = None
            self._hear(key)


class KeyQueue:
    """The keys and pastes that wait until the effects of the key before them are complete.

    Textual moves the focus, mounts and lays out in messages of their own; a key handled before them
    would go to the wrong field. app : the app whose widgets must be at rest. hear : passes a key to
    the app. is_open : False while the app starts; keys except ctrl and a letter are then kept for
    the first screen.
    """

    def __init__(self, app: App[Any], hear: Callable[[Message], bool], is_open: bool) -> None:
        self._app, self._hear = app, hear
        self._early: list[Message] | None = None if is_open else []
        self._waiting: deque[Message] = deque()
        self._broken = BrokenReport(self._hear_in_turn)
        self._task: asyncio.Task[None] | None = None

    def takes(self, message: Message) -> bool:
        """True if a message is queued or dropped, False if it is to be handled now."""
        if not isinstance(message, Key | Paste) or message.is_forwarded:
            return False
        if isinstance(message, Key) and self._broken.takes(message):
            return True
        is_control = isinstance(message, Key) and message.key.startswith("ctrl+")
        if self._early is not None and not is_control:
            self._early.append(message)
            return True
        return self._waits(message)

    def open(self) -> None:
        """Handle the keys that were typed while the app started."""
        early, self._early = self._early, None
        for message in early or ():
            if not self._waits(message):
                self._hear(message)

    def _hear_in_turn(self, key: Key) -> None:
        if not self._waits(key):
            self._hear(key)

    def _waits(self, message: Message) -> bool:
        """True if a key was queued behind others, or until the app is at rest."""
        if self._task is None and is_at_rest(self._app):
            return False
        self._waiting.append(message)  # first: from Python 3.12 on a task begins as it is made
        if self._task is None:
            task = asyncio.get_running_loop().create_task(self._hear_all())
            self._task = None if task.done() else task
        return True

    @property
    def is_empty(self) -> bool:
        """True if every key is handled with all its effects."""
        return self._task is None and not self._broken.holds and is_at_rest(self._app)

    async def _hear_all(self) -> None:
        try:
            while self._waiting:
                for look in range(LOOKS):
                    if is_at_rest(self._app):
                        break
                    await asyncio.sleep(0 if look < 40 else PAUSE_S)
                self._hear(self._waiting.popleft())
        finally:
            self._task = None


def is_at_rest(app: App[Any]) -> bool:
    """True if every widget is mounted, laid out, and has handled its messages."""
    if not app.is_running or not app.screen_stack:
        return True
    screen = app.screen
    return not (screen._layout_required or screen._callbacks) and all(
        node._message_queue.empty() and not node._next_callbacks and node._mounted_event.is_set()
        for node in (app, *screen.walk_children(with_self=True))
    )


def hidden(widget: Widget | None, within: Widget | None = None) -> TypeGuard[Widget]:
    """True if a widget, or a widget around it inside `within`, is not displayed.

    Textual calls such a widget focusable until the next layout.
    """
    if widget is None:
        return False
    around = takewhile(lambda node: node is not within, widget.ancestors_with_self)
    return not all(node.display for node in around)


def takes_focus(widget: Widget, within: Widget) -> bool:
    """True if a widget can take the focus once the widgets around it are displayed."""
    return widget.focusable and not hidden(widget, within)


def first_focus(within: Widget) -> Widget | None:
    """The first widget inside `within` that can take the focus; None if there is none."""
    return next((each for each in within.query("*") if takes_focus(each, within)), None)
