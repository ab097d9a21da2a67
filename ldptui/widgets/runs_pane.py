"""Pane 5: the runs of this session. Choose one to show, mark a second one to lay over it."""

from __future__ import annotations

import time

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.reactive import var
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ..messages import RunsChosen
from ..runs import Run, described, differences
from .failure_view import FailureView

MARKS = {"running": "●", "done": "✓", "partial": "◐", "failed": "✗"}


class RunsPane(Vertical):
    """A list, newest first: status, time, trials, and what differs from the run before."""

    BORDER_TITLE = "5 Runs"
    DEFAULT_CSS = """
    RunsPane {
        border: round $foreground 25%;
        border-title-color: $foreground-muted;
        & > OptionList {
            height: 1fr;
            min-height: 1;
            border: none;
            background: transparent;
            padding: 0;
        }
        & > OptionList:focus { border: none; }
        & > Static { color: $foreground-muted; padding: 0 1; height: auto; }
    }
    """
    BINDINGS = [  # noqa: RUF012
        Binding("j", "cursor('down')", "Down", show=False, id="runs.down"),
        Binding("k", "cursor('up')", "Up", show=False, id="runs.up"),
        Binding("space", "overlay", "Overlay", id="runs.overlay"),
    ]

    runs: var[tuple[Run, ...]] = var(())
    shown: var[int] = var(-1)
    overlay: var[int | None] = var(None)

    def compose(self) -> ComposeResult:
        yield Static(
            "No run yet. ^r runs the scenario with all its trials and its sweep.", id="empty"
        )
        yield OptionList(compact=True)
        yield FailureView()

    def watch_runs(self) -> None:
        self._fill()

    def watch_shown(self) -> None:
        self._fill()

    def watch_overlay(self) -> None:
        self._fill()

    def on_resize(self) -> None:
        self._fill()

    def _fill(self) -> None:
        if not self.is_mounted:
            return
        options = self.query_one(OptionList)
        self.query_one("#empty").display = not self.runs
        options.display = bool(self.runs)
        newest = list(reversed(self.runs))
        rows = [self._row(at, newest) for at in range(len(newest))]
        if len(rows) == options.option_count:
            # A new list lays out the whole screen anew; the live row changes with every edit.
            for index, row in enumerate(rows):
                if options.get_option_at_index(index).prompt != row:
                    options.replace_option_prompt_at_index(index, row)
            self._explain()
            return
        highlighted = options.highlighted
        options.clear_options()
        options.add_options(Option(row) for row in rows)
        options.highlighted = 0 if highlighted is None else min(highlighted, len(rows) - 1)
        self._explain()

    def _explain(self) -> None:
        """Why the run under the cursor failed."""
        at = self.query_one(OptionList).highlighted
        view = self.runs[-1 - at].snapshot if at is not None and at < len(self.runs) else None
        failed = view is not None and view.status == "failed"
        error, details = (view.error, view.details) if view is not None and failed else ("", "")
        self.query_one(FailureView).show(error, details)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._explain()

    def _row(self, at: int, newest: list[Run]) -> Text:
        from .. import format as fmt

        run = newest[at]
        before = newest[at + 1] if at + 1 < len(newest) else None
        view = run.snapshot
        mark = "▶" if run.key == self.shown else "+" if run.key == self.overlay else " "
        changed = differences(before.document, run.document) if before else ""
        what = changed or (described(run.document) if before is None else "same scenario")
        clock = time.strftime("%H:%M:%S", time.localtime(run.started))
        kind = f"#{run.key}" if view.full else "live"
        row = Text(no_wrap=True, overflow="ellipsis")
        row.append(f"{mark} {MARKS[view.status]} {kind:<5}{clock}  ")
        row.append(f"{fmt.count(view.done):>8} trials {fmt.duration(view.seconds):>7}  ")
        row.append(view.error or what)
        row.truncate(max(20, self.query_one(OptionList).size.width - 2), overflow="ellipsis")
        return row

    def action_cursor(self, way: str) -> None:
        options = self.query_one(OptionList)
        (options.action_cursor_down if way == "down" else options.action_cursor_up)()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        key = self.runs[-1 - event.option_index].key
        self.post_message(RunsChosen(key, None if self.overlay == key else self.overlay))

    def action_overlay(self) -> None:
        """Lay the highlighted run over the one shown; again takes it off."""
        options = self.query_one(OptionList)
        if options.highlighted is None:
            return
        key = self.runs[-1 - options.highlighted].key
        if key != self.shown:
            self.post_message(RunsChosen(self.shown, None if key == self.overlay else key))
