"""The bar of a playback: where it is, how fast, and the keys that move it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from ...charts.rows import clean
from ...session.transport import Transport
from ...widgets.plot import charset_of

FRAME_S: Final = 0.1
"""Between two pictures; over a network the screen sends fewer by itself."""


class TransportBar(Widget, can_focus=True):
    """Plays, pauses, steps and scrubs; posts Moved when other moments have come.

    transport : where the playback is; None shows nothing. about : what is played, in words.
    """

    COMPONENT_CLASSES = {"transport--on", "transport--muted"}  # noqa: RUF012
    DEFAULT_CSS = """
    TransportBar {
        height: 1;
        padding: 0 1;
        display: none;
        background: $panel;
        color: $foreground;
        & > .transport--on { color: $text-accent; text-style: bold; }
        & > .transport--muted { color: $foreground-muted; }
        &:focus { text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play, pause", id="transport.toggle"),
        Binding("left,h", "step(-1)", "Step", key_display="← →", id="transport.back"),
        Binding("right,l", "step(1)", "Step on", show=False, id="transport.forward"),
        Binding("up,plus", "faster(1)", "Speed", key_display="↑ ↓", id="transport.faster"),
        Binding("down,minus", "faster(-1)", "Slower", show=False, id="transport.slower"),
        Binding("comma,shift+left", "scrub(-1)", "Scrub", key_display=", .",
                id="transport.scrub-back"),
        Binding("full_stop,shift+right", "scrub(1)", "Scrub on", show=False,
                id="transport.scrub-forward"),
        Binding("home", "end(0)", "To the start", show=False, id="transport.start"),
        Binding("end", "end(1)", "To the end", id="transport.end"),
        Binding("escape,q", "close", "Close", id="transport.close"),
    ]  # fmt: skip

    @dataclass(eq=False)
    class Moved(Message):
        """News of playing: the number of moments that have come by now."""

        come: int

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, TransportBar.Moved)

    @dataclass(eq=False)
    class Closed(Message):
        """The playback is to be left."""

    transport: reactive[Transport | None] = reactive(None)
    about: reactive[str] = reactive("")
    words: reactive[str] = reactive("")

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name for it
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(id=id)
        self._timer: Timer | None = None
        self._clock, self._ticked = clock, 0.0

    def on_mount(self) -> None:
        self._timer = self.set_interval(FRAME_S, self.tick, pause=True)

    def watch_transport(self, before: Transport | None, after: Transport | None) -> None:
        if (before is None) != (after is None):  # who shows the bar may hide it meanwhile
            self.display = after is not None
        if after is None or self._timer is None:
            return
        playing = before is not None and before.playing
        if after.playing and not playing:
            self._ticked = self._clock()
            self._timer.resume()
        elif not after.playing:
            self._timer.pause()
        if before is None or before.come != after.come or before.moments is not after.moments:
            self.post_message(self.Moved(after.come))

    def tick(self) -> None:
        """Play on by the seconds since the tick before."""
        now = self._clock()
        passed, self._ticked = now - self._ticked, now
        self.go_on(passed)

    def go_on(self, seconds: float) -> None:
        """Play on by these seconds."""
        if self.transport is not None:
            self.transport = self.transport.after(seconds)

    # The picture.

    def render(self) -> Text:
        line = Text(no_wrap=True, overflow="ellipsis")
        transport = self.transport
        if transport is None:
            return line
        on = self.get_component_rich_style("transport--on", partial=True)
        muted = self.get_component_rich_style("transport--muted", partial=True)
        charset = charset_of(self.app)
        mark = "▶" if transport.playing else "■" if transport.ended else "‖"
        if charset == "ascii":
            mark = ">" if transport.playing else "#" if transport.ended else "="
        line.append(f"{mark} ", on).append(clean(self.about, charset))
        line.append(
            f" {transport.speed:g}x " if charset == "ascii" else f" {transport.speed:g}× ", on
        )
        tail = clean(f" {self.words}", charset)
        room = self.size.width - 2 - len(line) - len(tail)
        self._track = (len(line), 0)
        if room >= 10:
            self._track = (len(line), room)
            line.append_text(self._track_text(transport, room, charset, on, muted))
        line.append(tail)
        return line

    def _track_text(
        self, transport: Transport, room: int, charset: str, on: object, muted: object
    ) -> Text:
        share = transport.at / transport.length if transport.length else 1.0
        place = min(room - 1, round(share * (room - 1)))
        done, knob, left = ("=", "|", "-") if charset == "ascii" else ("━", "●", "─")
        text = Text()
        text.append(done * place, str(on)).append(knob, str(on))
        return text.append(left * (room - 1 - place), str(muted))

    _track: tuple[int, int] = (0, 0)

    # Moves.

    def _move(self, transport: Transport) -> None:
        self.transport = transport

    def action_play(self) -> None:
        """Play or pause; at the end, play once more."""
        if self.transport is not None:
            self._move(self.transport.toggled())

    def action_step(self, by: int) -> None:
        if self.transport is not None:
            self._move(self.transport.stepped(by))

    def action_scrub(self, steps: int) -> None:
        if self.transport is not None:
            self._move(self.transport.scrubbed(steps))

    def action_faster(self, steps: int) -> None:
        if self.transport is not None:
            self._move(self.transport.faster(steps))

    def action_end(self, share: int) -> None:
        """Go to the start, or to the end."""
        if self.transport is not None:
            self._move(self.transport.to(share * self.transport.length))

    def action_close(self) -> None:
        self.post_message(self.Closed())

    def on_click(self, event: Click) -> None:
        """A click on the track goes there."""
        first, room = self._track
        if self.transport is not None and room > 1:
            share = (event.x - 1 - first) / (room - 1)
            if 0 <= share <= 1:
                self._move(self.transport.to(share * self.transport.length))
