"""The status line: what runs, how far, how fast, how long still, or what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget

from ..catalogue import metric_words
from ..terminal.keyboard import RUNS, key_of
from ..text import format as fmt
from .delays import call_after
from .words import DOT, cut_at_word, parts_within

if TYPE_CHECKING:
    from ..messages import StatusNote
    from ..session.snapshot import Snapshot

NOTE_S = 4.0
"""Seconds that a note stays."""
BAR = 12
MUTED = "$foreground-muted"


class StatusLine(Widget):
    """The status line: a note for a few seconds, a problem of the draft, or the progress of the
    run.

    busy : the computation in progress, in words.
    idle : the words if there is nothing else to show.
    """

    snapshot: reactive[Snapshot | None] = reactive(None)
    problem: reactive[str] = reactive("")
    note: reactive[str] = reactive("", always_update=True)
    busy: reactive[str] = reactive("")
    idle: reactive[str] = reactive("starting the simulator …")

    def __init__(self) -> None:
        super().__init__()
        self._fading: Timer | None = None
        self._stays = False  # the note, until a key is pressed
        self._refuses_key = False

    def watch_note(self, note: str) -> None:
        """Remove a note after a few seconds."""
        if self._fading is not None:
            self._fading.stop()
        self._stays = self._refuses_key = False
        self._fading = call_after(self, NOTE_S, self._drop_note) if note else None

    def _drop_note(self) -> None:
        self.note = ""

    def keep_note(self) -> None:
        """Let this note stay until a key is pressed."""
        if self._fading is not None:
            self._fading.stop()
        self._stays = True

    def drop_kept_note(self) -> None:
        """Remove a note that stays until a key is pressed."""
        if self._stays:
            self.note = ""

    def take(self, message: StatusNote) -> None:
        """Show the note of a message; one on a key that did nothing hides no problem."""
        if message.refuses_key and self.problem:
            return
        self.note = message.note
        self._refuses_key = message.refuses_key

    def drop_refusal(self) -> None:
        """Remove a note on a key that did nothing: something was edited since."""
        if self._refuses_key:
            self.note = ""

    def watch_problem(self, problem: str) -> None:
        if problem:
            self.drop_refusal()

    def render(self) -> Content:
        room = self.content_size.width - 2
        if self.note:
            mark, style, words = "·", MUTED, self.note
        elif self.busy:
            mark, style, words = "●", "$text-accent", self.busy
        elif self.problem:
            mark, style, words = "✗", "$text-error", self.problem
        elif self.snapshot is None:
            return Content.styled(f"· {parts_within(self.idle, room)}", MUTED)
        else:
            mark, style, words = self._run(self.snapshot, room)
        line = Content.assemble((f"{mark} ", style), words)
        if mark == "✗" and hasattr(self.screen, "action_mend"):
            line = line.stylize(Style.from_meta({"@click": "screen.mend"}))
        return cut_at_word(line, room + 2)

    def _run(self, run: Snapshot, room: int) -> tuple[str, str, str]:
        """A run in a line: its mark, the mark's style, and as many words as have room."""
        what, note = "run" if run.full else "preview", [run.note] * bool(run.note)
        trials = f"{fmt.count(run.done)} of {fmt.count(run.total)} trials"
        if run.status == "failed":
            fits = cell_len(run.error) <= room - len(f"{what} failed: ")
            reason = run.error if fits else f"Runs ({key_of(self.app, *RUNS)}) says why"
            return "✗", "$text-error", f"{what} failed: {reason}"
        if run.status == "running":
            share = run.done / run.total if run.total else 0.0
            bar = "█" * round(share * BAR)
            words = [f"{what} {bar:░<{BAR}} {100 * share:3.0f} %  {trials}" if run.total else what]
            if run.done and run.seconds > 0.2:
                speed = run.done / run.seconds
                left = fmt.duration((run.total - run.done) / speed)
                words.append(f"{fmt.rate(speed)} · {left} left")
            words += so_far(run), run.latest
            words = [words[0], *(note or filter(None, words[1:]))]
            fitting = DOT.join(words) if note else parts_within(DOT.join(words), room, dropped=-1)
            return "●", "$text-accent", fitting
        mark, word = ("✓", "done") if run.status == "done" else ("◐", "stopped, partial")
        known = "all" if run.reused >= run.done else fmt.count(run.reused)
        store = f", {known} from the store" if run.reused else ""
        trials = f": {fmt.count(run.done)} trials in {fmt.duration(run.seconds)}{store}" * run.full
        said = f"{what} {word}{trials}"
        return mark, "bold" if mark == "✓" else "$text-accent", DOT.join([said, *note])


def so_far(run: Snapshot) -> str:
    """The first metric of the first cell and its standard error; "" before there is one."""
    cell = run.base_cell
    for name, measured in cell.metrics.items() if cell is not None else ():
        mean, error = measured.mean, measured.standard_error
        if mean is not None and error:
            return f"{metric_words(name).name} {fmt.short(mean, 3)} ± {fmt.short(error, 2)}"
    return ""
