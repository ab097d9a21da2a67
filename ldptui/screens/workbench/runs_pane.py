"""Pane 5: the runs of this session and of the store, newest first."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.reactive import var
from textual.widgets import Static

from ...messages import Ask, GroupAsked, RunAsked, RunsChosen, StatusNote
from ...session.run_list import RunList
from ...session.runs import Run, describe_scenario, differences, matching, may_change
from ...terminal.keyboard import RUN, key_of
from ...text import format as fmt
from ...text.prose import plain
from ...widgets.blank import Scroll, call_on_resize
from ...widgets.option_list import FilteredList, FilterInput, LineList, no_match
from ...widgets.words import put, put_or_hide, spell_text

MARKS: Final = {
    "running": "●", "done": "✓", "partial": "◐", "failed": "✗", "interrupted": "◌",
}  # fmt: skip
WORDS: Final = {
    "running": "running",
    "done": "done",
    "partial": "stopped, r goes on with it",
    "failed": "failed",
    "interrupted": "its process is gone, r goes on with it",
}
ROOMY: Final = 8
"""Rows from which a rule and four lines below the list describe the run under the cursor."""
LOW: Final = 4
"""Rows from which a run that failed says why."""
LEAST: Final = 20
"""Cells that the difference of a run has at least; time, trials and duration give way to it."""
NEEDING: Final = {
    "runs.overlay": "this is the run shown: on another run this key lays it over",
    "runs.difference": "there is no other run yet: ctrl+r makes one",
    "runs.group": "no run is laid over the one shown: space on another does that",
}
"""What the keys need that do nothing, by their bindings."""
DRAWN: Final = "ldptui {ldptui}, NumPy {numpy}, Python {python}"
EMPTY: Final = "No run yet. {} runs the scenario with all its trials and its sweep, and keeps it."


class RunsPane(FilteredList):
    """The pane Runs: all runs, newest first, with status, time, trials, and the difference from the
    run before.

    Posts RunsChosen and RunAsked.
    """

    BORDER_TITLE = "5 Runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "overlay", "Overlay", id="runs.overlay"),
        Binding("g", "group", "Group", id="runs.group"),
        Binding("d", "ask('difference')", "Diff", id="runs.difference"),
        Binding("p", "ask('play')", "Play", id="runs.play"),
        Binding("o", "ask('open')", "Scenario", id="runs.open"),
        Binding("r", "ask('resume')", "Resume", id="runs.resume"),
        Binding("V", "ask('verify')", "Verify", id="runs.verify"),
        Binding("slash", "filter", "Filter", key_display="/", id="runs.filter"),
        Binding("escape", "drop_filter", "Drop the filter", show=False, id="runs.drop-filter"),
        Binding("asterisk", "ask('star')", "Star", id="runs.star"),
        Binding("delete,backspace", "ask('remove')", "Delete", id="runs.remove"),
        Binding("u", "ask('restore')", "Undo", id="runs.restore"),
    ]

    run_list: var[RunList] = var(RunList())

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._keys: list[int] = []  # of the rows
        self._shown: int | None = None

    async def mount_rest(self) -> None:
        """Mount the widgets that the first frame leaves out."""
        await self.mount(
            Static(id="empty"),
            LineList(),
            Scroll(Static(id="details", markup=False)),
            FilterInput("filter: words, #tag, star, done, oue, share>=0.01, kind~olh …", LineList),
        )
        call_on_resize(self, self._fill)

    def watch_run_list(self) -> None:
        self._fill()

    def focus_first(self) -> None:
        """Put the focus on the list of runs, also if it is empty."""
        for options in self.query(LineList):
            self.screen.set_focus(options)

    # The list.

    def _fill(self) -> None:
        if not self.children:
            return
        options = self.query_one(LineList)
        words = self.query_one(FilterInput).words
        newest = list(
            reversed(matching(self.run_list.runs, words) if words else self.run_list.runs)
        )
        empty = self.query_one("#empty", Static)
        nothing = no_match(words) if words else EMPTY.format(key_of(self.app, *RUN))
        put_or_hide(empty, "" if newest else nothing)
        self.query_one(FilterInput).count(len(newest), len(self.run_list.runs))
        before = _befores(self.run_list.runs)
        rows = [self._row(run, before.get(run.key)) for run in newest]
        keys, before_keys = [run.key for run in newest], self._keys
        self._keys = keys
        at = options.highlighted if options.has_focus else None
        held = before_keys[at] if at is not None and at < len(before_keys) else None
        options.write_rows(rows)
        moved = (keys, self.run_list.shown) != (before_keys, self._shown)
        self._shown = self.run_list.shown
        if keys and (moved or options.highlighted is None):
            # Whoever is in the list stays on the run; for all others the one shown comes first.
            at = held if held in keys else self.run_list.shown
            options.highlighted = keys.index(at) if at in keys else 0
        self._describe()
        self.refresh_bindings()

    def _row(self, run: Run, before: Run | None) -> Text:
        view = run.snapshot
        shown, overlays = self.run_list.shown, self.run_list.overlays
        mark = "▶" if run.key == shown else "+" if run.key in overlays else " "
        star = "★" if run.kept is not None and run.kept.star else " "
        what = describe_scenario(run.document) if view.full or before is not None else ""
        if before is not None and before.title == run.title:
            same = "" if may_change(run.document) else f"as {before.name}: "
            what = ", ".join(differences(before.document, run.document)) or f"{same}{what}"
        number = run.name.removeprefix("run ") if view.full else "now"
        row = Text(no_wrap=True, overflow="ellipsis")
        row.append(f"{mark} {MARKS.get(run.status, ' ')} {number:>4}{star} ")
        room = max(20, self.content_size.width - 2)
        if view.full:
            trials, seconds = fmt.count(view.done), fmt.duration(view.seconds)
            columns = [f"{_when(run.started)} ", f"{trials:>7} trials ", f"{seconds:>7}  "]
            while columns and cell_len("".join(columns)) > room - row.cell_len - LEAST:
                columns.pop()
            row.append("".join(columns))
        row.append("".join(f"#{tag} " for tag in run.tags), "italic")
        row.append(spell_text(self, what))
        row.truncate(room, overflow="ellipsis")
        return row

    def _describe(self) -> None:
        """Describe the run under the cursor, if there is room; for a failed run the reason and the
        end of the traceback.

        Of a traceback the end, as that is where it says why.
        """
        words, run, height = (
            self.query_one("#details", Static),
            self.current,
            self.content_size.height,
        )
        details = self.query_one(Scroll)
        failed = run is not None and run.status == "failed"
        details.display = run is not None and height >= (LOW if failed else ROOMY)
        details.set_class(failed, "-failed")
        if run is None:
            return
        if failed:
            put(words, plain(run.snapshot.details or run.snapshot.error))
            scroll = details.scroll_end if run.snapshot.details else details.scroll_home
            self.call_after_refresh(scroll, animate=False)
        else:
            before = _befores(self.run_list.runs).get(run.key)
            # Its height does not depend on the words.
            text = "\n".join(_description(run, before))
            words.update(spell_text(self, text), layout=False)

    @property
    def current(self) -> Run | None:
        """The run under the cursor."""
        options = self.query_one(LineList)
        at = options.highlighted if options.display else None
        return (
            self.run_list.run(self._keys[at]) if at is not None and at < len(self._keys) else None
        )

    def on_option_list_option_highlighted(self, event: LineList.OptionHighlighted) -> None:
        event.stop()
        self._describe()
        self.refresh_bindings()

    # Requests.

    def on_key(self, event: Key) -> None:
        """Say why the keys that lay runs over the one shown, and group them, do nothing."""
        active = self.screen.active_bindings.get(event.key)
        if active is not None and active.binding.id in NEEDING and not active.enabled:
            event.stop()
            self.post_message(StatusNote(NEEDING[active.binding.id], refuses_key=True))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for keys that do nothing with the run under the cursor, None for those that
        say why.
        """
        if not self.children:
            return True
        run = self.current
        if action == "overlay":
            is_shown = run is not None and run.key == self.run_list.shown
            return None if is_shown else run is not None
        if action == "filter":
            return bool(self.run_list.runs)
        if action == "group":
            return bool(self.run_list.laid_over) or None
        if action != "ask":
            return super().check_action(action, parameters)
        what, kept = parameters[0], run is not None and run.kept is not None
        if what == "restore":
            return bool(self.run_list.deleted)
        if run is None:
            return False
        match what:
            case "resume":
                return kept and run.status in ("partial", "interrupted", "failed")
            case "play" | "verify":
                return kept and run.snapshot.done > 0
            case "star":
                return kept
            case "remove":
                return run.status != "running" and run.snapshot.full
        return what != "difference" or len(self.run_list.runs) > 1 or None

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        event.stop()
        if self.current is not None:  # the list may have changed since
            key = self.current.key
            self.post_message(
                RunsChosen(
                    key, tuple(overlay for overlay in self.run_list.overlays if overlay != key)
                )
            )

    def action_overlay(self) -> None:
        """Overlay the run under the cursor on the one shown, or remove its overlay."""
        run = self.current
        if run is None or run.key == self.run_list.shown:
            return
        if run.key in self.run_list.overlays:
            kept = tuple(key for key in self.run_list.overlays if key != run.key)
        else:
            kept = (*self.run_list.overlays, run.key)
        self.post_message(RunsChosen(self.run_list.shown, kept))

    def action_group(self) -> None:
        """Post a request to group the cells of all shown runs by the next key in which the runs
        differ.
        """
        self.post_message(GroupAsked())

    def action_ask(self, what: Ask) -> None:
        run = self.current
        if run is not None or what == "restore":
            self.post_message(RunAsked(what, run.key if run is not None else 0))

    # The filter.

    def on_filter_input_changed(self, message: FilterInput.Changed) -> None:
        message.stop()
        self._fill()


def _befores(runs: tuple[Run, ...]) -> Mapping[int, Run]:
    """The previous run of each run, by key; previews are left out."""
    found: dict[int, Run] = {}
    last = None
    for run in runs:
        if last is not None:
            found[run.key] = last
        if run.snapshot.full:
            last = run
    return found


def _description(run: Run, before: Run | None) -> list[str]:
    """A run in sentences: its state, its setting and source, and the changes since the
    run before.
    """
    status = WORDS.get(run.status, run.status) if run.number is not None else run.status
    name = f"{run.name[:1].upper()}{run.name[1:]}"
    digest = run.snapshot.digest if run.snapshot.full else ""
    drawn = fmt.drawn_by(digest, run.snapshot.numpy) if digest else ""
    kept = "of this session" if run.kept is None else DRAWN.format_map(run.kept.versions)
    setting = describe_scenario(run.document), central_budget_words(run), drawn, kept
    texts = [(f"{name}: {status}", run.title), setting]
    lines = [" · ".join(filter(None, words)) for words in texts]
    if before is not None:
        news = ", ".join(differences(before.document, run.document)) or "the same scenario"
        lines.insert(1, f"Since {before.name}: {news}")
    return lines


def central_budget_words(run: Run) -> str:
    """The central ε of all reports of a run's first cell, in words; "" if reports are not shuffled
    or aggregated.
    """
    cell = run.snapshot.base_cell
    central = None if cell is None else cell.budgets.get("central_epsilon")
    return "" if central is None else f"central ε ≤ {fmt.short(central)}"


def _when(moment: float) -> str:
    """The time of today's runs, the day of older ones; "–" for an impossible time stamp."""
    try:
        then, now = time.localtime(moment), time.localtime()
    except (ValueError, OverflowError, OSError):
        return "    –   "
    if then[:3] == now[:3]:
        return time.strftime("%H:%M:%S", then)
    return time.strftime("%d %b %y" if then[0] != now[0] else "%d %b   ", then)[:9].ljust(8)
