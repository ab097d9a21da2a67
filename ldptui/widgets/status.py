"""The status line: what runs, how far, how fast, how long still, or what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from ..catalogue import metric_words
from ..terminal.keyboard import RUNS, key_of
from ..text import format as fmt
from .words import parts_within

if TYPE_CHECKING:
    from ..session.snapshot import Snapshot

NOTE_S = 4.0
"""Seconds that a note stays."""
BAR = 12
EIGHTHS = " ▏▎▍▌▋▊▉"


class StatusLine(Widget):
    """One line, always there: a note for its few seconds, a problem of the draft, or the run.

    busy : what is being computed, in words. idle : what is said while there is nothing else.
    """

    COMPONENT_CLASSES = {"status--good", "status--bad", "status--busy", "status--muted"}  # noqa: RUF012

    snapshot: reactive[Snapshot | None] = reactive(None)
    problem: reactive[str] = reactive("")
    note: reactive[str] = reactive("", always_update=True)
    busy: reactive[str] = reactive("")
    idle: reactive[str] = reactive("starting the simulator …")

    def __init__(self) -> None:
        super().__init__()
        self._fading: Timer | None = None

    def watch_note(self, note: str) -> None:
        """A note is read within a few seconds, and then in the way."""
        if self._fading is not None:
            self._fading.stop()
        self._fading = self.set_timer(NOTE_S, self._drop_note) if note else None

    def _drop_note(self) -> None:
        self.note = ""

    def render(self) -> Text:
        line = Text(no_wrap=True, overflow="ellipsis")
        if self.note:
            line.append("· ", self._style("muted")).append(self.note)
        elif self.busy:
            line.append("● ", self._style("busy")).append(self.busy)
        elif self.problem:
            line.append("✗ ", self._style("bad")).append(self.problem)
            if hasattr(self.screen, "action_mend"):
                line.apply_meta({"@click": "screen.mend"})
        elif self.snapshot is None:
            room = self.content_size.width - 2
            line.append(f"· {parts_within(self.idle, room)}", self._style("muted"))
        else:
            self._run(line, self.snapshot)
        return line

    def _style(self, name: str) -> str:
        return str(self.get_component_rich_style(f"status--{name}", partial=True))

    def _run(self, line: Text, run: Snapshot) -> None:
        what = "run" if run.full else "preview"
        if run.status == "running":
            line.append("● ", self._style("busy")).append(f"{what} ")
            if run.total:
                share = run.done / run.total
                line.append(self._bar(share), self._style("busy")).append(
                    f" {100 * share:3.0f} %  "
                )
                line.append(f"{fmt.count(run.done)} of {fmt.count(run.total)} trials")
            if run.note:
                line.append(f" · {run.note}", self._style("busy"))
                return
            if run.done and run.seconds > 0.2:
                speed = run.done / run.seconds
                left = (run.total - run.done) / speed
                self._add(line, f"{fmt.rate(speed)} · {fmt.duration(left)} left")
            self._add(line, so_far(run))
            self._add(line, run.latest, self._style("muted"))
        elif run.status == "failed":
            line.append("✗ ", self._style("bad")).append(f"{what} failed: ")
            fits = (
                not run.details and cell_len(run.error) <= self.content_size.width - line.cell_len
            )
            line.append(run.error if fits else f"Runs ({key_of(self.app, *RUNS)}) says why")
        else:
            mark, style, word = (
                ("✓", "good", "done") if run.status == "done" else ("◐", "busy", "stopped, partial")
            )
            line.append(f"{mark} ", self._style(style)).append(f"{what} {word}: ")
            line.append(f"{fmt.count(run.done)} trials in {fmt.duration(run.seconds)}")
            if run.reused:
                known = "all" if run.reused >= run.done else fmt.count(run.reused)
                line.append(f", {known} from the store", self._style("good"))
            if run.note:
                line.append(f" · {run.note}", self._style("busy"))

    def _add(self, line: Text, words: str, style: str = "") -> None:
        """Add words to the line, if they have room as a whole."""
        if words and line.cell_len + cell_len(words) + 3 <= self.content_size.width:
            line.append(f" · {words}", style)

    def _bar(self, share: float) -> str:
        if getattr(self.app, "charset", "braille") == "ascii":
            full = round(share * BAR)
            return "#" * full + "." * (BAR - full)
        eighths = round(share * BAR * 8)
        bar = "█" * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")
        return bar.ljust(BAR, "░")


def so_far(run: Snapshot) -> str:
    """The first metric of the first cell and its error, which falls while trials come in."""
    cell = run.base_cell
    for name, measured in cell.metrics.items() if cell is not None else ():
        mean, error = measured.mean, measured.standard_error
        if mean is not None and error:
            return f"{metric_words(name).name} {fmt.short(mean, 3)} ± {fmt.short(error, 2)}"
    return ""
