"""`ldptui record-cast`: the workbench while a sweep plays, as a moving picture for a terminal."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.drivers.headless_driver import HeadlessDriver

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.files import write_atomically

from ..app import Workbench
from ..terminal.exits import DONE
from ..terminal.output import check_writable, note
from ..terminal.settings import Settings
from .options import RecordCast
from .start import scenario_path

WINDOWS: Final = sys.platform == "win32"
if not WINDOWS:
    from ..terminal.driver import CellScreen

if TYPE_CHECKING:
    from textual.pilot import Pilot

Frame = tuple[float, str]
"""Seconds on a clock, and what the terminal gets then."""

LIMIT_S: Final = 120.0
"""Seconds that a preview, or a play, may take."""
STILL_S: Final = 1.0
"""Seconds of the first picture, and of the last one."""
SHOWN: Final = "frequencies"
"""The tab that is filmed, where there is one: its bars grow, and its ranks move."""
LEAST: Final = (60, 18)
MOST: Final = (400, 200)
"""Columns and rows of the workbench."""


class Reel(HeadlessDriver):
    """A driver without a terminal, which keeps what a terminal would get."""

    def __init__(self, frames: list[Frame], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._frames = frames
        # What the terminal shows already is left out, where there is such a driver.
        self._changed: Callable[[str], str] = str if WINDOWS else CellScreen().update

    @property
    def is_headless(self) -> bool:
        """False: somebody will watch, so that everything is drawn."""
        return False

    def write(self, data: str) -> None:
        if changed := self._changed(data):
            self._frames.append((time.monotonic(), changed))


def record_cast(options: RecordCast) -> int:
    """Play the sweep of a scenario, and write what a terminal shows of it."""
    out, size = Path(options.out), _size(options.size)
    check_writable(out)
    path = scenario_path(options.scenario)
    film = Film()
    with tempfile.TemporaryDirectory() as home:  # the draft that is being edited stays
        os.environ["XDG_STATE_HOME"] = home
        film.make(path, size)
    if film.trouble:
        raise ScenarioError(film.trouble, key="SCENARIO")
    write_atomically(out, "".join(film.lines(size)))
    note(f"wrote {out}: {film.seconds:.1f} s, at most {film.most / 1e3:.1f} kB in a second")
    return DONE


def _size(text: str) -> tuple[int, int]:
    """Columns and rows of a text as 120x36; raises ScenarioError."""
    columns, _, rows = text.partition("x")
    rule = f"must be COLUMNSxROWS, from {LEAST[0]}x{LEAST[1]} to {MOST[0]}x{MOST[1]}, got {text!r}"
    if not (columns.isdecimal() and rows.isdecimal()):
        raise ScenarioError(rule, key="--size")
    size = int(columns), int(rows)
    if not all(low <= at <= high for low, at, high in zip(LEAST, size, MOST, strict=True)):
        raise ScenarioError(rule, key="--size")
    return size


class Film:
    """The workbench, filmed while it plays the sweep of a scenario.

    frames : what the terminal got. began : when the first picture was whole. trouble : why there
    is nothing to see, "" where there is.
    """

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.began = self.ended = 0.0
        self.trouble = self.title = ""

    def make(self, path: Path | None, size: tuple[int, int]) -> None:
        """Open a scenario, play its sweep, and leave."""
        app = Workbench(Settings(), path)
        app.driver_class = partial(Reel, self.frames)  # type: ignore[assignment]
        app.run(size=size, mouse=False, auto_pilot=partial(self._play, app))

    async def _play(self, app: Workbench, pilot: Pilot[None]) -> None:
        screen = app.workbench
        until = time.monotonic() + LIMIT_S
        while not (screen.shelf.runs and screen.shelf.runs[-1].status != "running"):
            if time.monotonic() > until or (screen.draft is not None and screen.draft.problems):
                self.trouble = "must be a valid scenario whose preview takes less than two minutes"
                break
            await pilot.pause(0.05)
        charts, self.began = screen.charts, time.monotonic()
        self.title = screen.draft.title if screen.draft is not None else ""
        if SHOWN in dict(charts.tabs()):
            charts.tab = SHOWN
        await pilot.pause(STILL_S)
        charts.play()
        if not charts.sweep.playing and not self.trouble:
            self.trouble = "must have a chart over numbers, whose sweep can play"
        while charts.sweep.playing:
            await pilot.pause(0.05)
        await pilot.pause(STILL_S)
        self.ended = time.monotonic()
        await screen.shut_down()
        app.exit()

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    @property
    def most(self) -> int:
        """The most bytes of any second of playing."""
        sizes = [(when, len(data.encode())) for when, data in self.frames
                 if self.began < when <= self.ended]  # fmt: skip
        return max(
            (sum(size for at, size in sizes if first <= at < first + 1) for first, _ in sizes),
            default=0,
        )

    def lines(self, size: tuple[int, int]) -> Iterator[str]:
        """The film in asciinema's format, version 2: a header, then a line for each frame.

        All before the first whole picture comes at once.
        """
        head = {"version": 2, "width": size[0], "height": size[1], "title": self.title,
                "env": {"TERM": "xterm-256color"}}  # fmt: skip
        yield json.dumps(head, ensure_ascii=False) + "\n"
        for when, data in self.frames:
            if when <= self.ended:
                seconds = round(max(0.0, when - self.began), 6)
                yield json.dumps([seconds, "o", data], ensure_ascii=False) + "\n"
