"""Pane 5: the runs of this session and of the store, newest first."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import var
from textual.widgets import Static
from textual.widgets.option_list import Option

from ...messages import Ask, RunAsked, RunsChosen
from ...session.runs import Run, changes, describe_scenario, differences, matching
from ...session.shelf import Shelf
from ...terminal.keyboard import RUN, key_of
from ...text import format as fmt
from ...text.prose import first_lines, plain
from ...widgets.blank import Scroll, call_on_resize
from ...widgets.filter_input import FilteredList, FilterInput, no_match
from ...widgets.option_list import LineList
from ...widgets.status import failure
from ...widgets.words import put_or_hide, spell_text


class FailureView(Scroll):
    """Nothing while nothing failed; of a traceback the end, as that is where it says why."""

    DEFAULT_CSS = """
    FailureView {
        height: auto;
        max-height: 85%;
        border-top: solid $foreground 15%;
        padding: 0 1;
        display: none;
        & > Static { color: $text-error; height: auto; }
        & > Static.-traceback { color: $foreground 80%; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, error: str, details: str) -> None:
        """Show an error, or nothing.

        error : a sentence, "" where nothing failed. details : a traceback that says it too.
        """
        words, text = self.query_one(Static), plain(details or error)
        self.display = bool(text)
        if str(words.content) != text:
            words.update(text)
            words.set_class(bool(details), "-traceback")
            show = self.scroll_end if details else self.scroll_home
            self.call_after_refresh(show, animate=False)


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
MOST_OVERLAYS: Final = 4
"""More runs over one another cannot be told apart."""
ROOM_FOR_DETAILS: Final = 8
"""Rows from which a rule and four lines below the list describe the run under the cursor."""
ROOM_FOR_DIGEST: Final = 4
"""Rows from which a line below the list says its digest, and lines that no run needs say more."""
DETAILS: Final = 4
"""Lines of the description at least; it takes half of the pane up to `MOST_DETAILS`."""
MOST_DETAILS: Final = 8
BRIEF: Final = 2
"""Sentences of the description where there is less room: its row says what differs."""
EMPTY: Final = "No run yet. {} runs the scenario with all its trials and its sweep, and keeps it."


class RunsPane(FilteredList):
    """The runs, newest first: status, time, trials, and what differs from the run before.

    Posts RunsChosen and RunAsked.
    """

    BORDER_TITLE = "5 Runs"
    DEFAULT_CSS = """
    RunsPane {
        border: round $foreground 25%;
        border-title-color: $foreground-muted;
        border-subtitle-color: $foreground-muted;
        & > LineList { height: 1fr; min-height: 1; }
        & > Static { color: $foreground-muted; padding: 0 1; height: auto; }
        & > #details { border-top: solid $foreground 15%; padding: 0 1; }
        & > #details.-brief { border-top: none; }
        & > #empty { height: 1fr; }
        & > FilterInput { padding: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "overlay", "Overlay", id="runs.overlay"),
        Binding("d", "ask('difference')", "Diff", id="runs.difference"),
        Binding("p", "ask('play')", "Play", id="runs.play"),
        Binding("o", "ask('open')", "Scenario", id="runs.open"),
        Binding("r", "ask('resume')", "Resume", id="runs.resume"),
        Binding("V", "ask('verify')", "Verify", id="runs.verify"),
        Binding("slash", "filter", "Filter", key_display="/", id="runs.filter"),
        Binding("escape", "drop_filter", "Drop the filter", show=False, id="runs.drop-filter"),
        Binding("asterisk", "ask('star')", "Star", id="runs.star"),
        Binding("number_sign", "ask('tags')", "Tags", id="runs.tags"),
        Binding("delete,backspace", "ask('remove')", "Delete", id="runs.remove"),
        Binding("u", "ask('restore')", "Undo", id="runs.restore"),
    ]

    shelf: var[Shelf] = var(Shelf())

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._keys: list[int] = []  # of the rows
        self._shown: int | None = None

    async def mount_rest(self) -> None:
        """All that is in the pane: the first frame would wait for it."""
        await self.mount(
            Static(id="empty"),
            LineList(),
            FailureView(),
            Static(id="details", markup=False),
            FilterInput("filter: words, #tag, star, done, oue …", LineList),
        )
        call_on_resize(self, self._fill)

    def watch_shelf(self) -> None:
        self._fill()

    def focus_first(self) -> None:
        """Put the focus on the list."""
        self.query(LineList).focus()

    # The list.

    def _fill(self) -> None:
        if not self.children:
            return
        options = self.query_one(LineList)
        words = self.query_one(FilterInput).words
        newest = list(reversed(matching(self.shelf.runs, words) if words else self.shelf.runs))
        empty = self.query_one("#empty", Static)
        nothing = no_match(words) if words else EMPTY.format(key_of(self.app, *RUN))
        put_or_hide(empty, "" if newest else nothing)
        options.display = bool(newest)
        self.query_one(FilterInput).count(len(newest), len(self.shelf.runs))
        before = _befores(self.shelf.runs)
        rows = [self._row(run, before.get(run.key)) for run in newest]
        keys, before_keys = [run.key for run in newest], self._keys
        self._keys = keys
        held = self.run_under_cursor(options, before_keys)
        if len(keys) == options.option_count:
            # A new list lays out the whole screen anew; the live row changes with every edit.
            for index, row in enumerate(rows):
                if options.get_option_at_index(index).prompt != row:
                    options.replace_option_prompt_at_index(index, row)
        else:
            options.clear_options()
            options.add_options(Option(row) for row in rows)
        moved = (keys, self.shelf.shown) != (before_keys, self._shown)
        self._shown = self.shelf.shown
        if keys and (moved or options.highlighted is None):
            # Whoever is in the list stays on the run; for all others the one shown comes first.
            at = held if held in keys else self.shelf.shown
            options.highlighted = keys.index(at) if at in keys else 0
        self._describe()
        self.refresh_bindings()

    def _row(self, run: Run, before: Run | None) -> Text:
        view = run.snapshot
        mark = (
            "▶" if run.key == self.shelf.shown else "+" if run.key in self.shelf.overlays else " "
        )
        star = "★" if run.kept is not None and run.kept.star else " "
        what = describe_scenario(run.document)
        if before is not None:
            what = differences(before.document, run.document) or f"as {before.name}: {what}"
        number = run.name.removeprefix("run ") if view.full else "now"
        row = Text(no_wrap=True, overflow="ellipsis")
        row.append(f"{mark} {MARKS.get(run.status, ' ')} {number:>4}{star} {_when(run.started)} ")
        row.append(f"{fmt.count(view.done):>7} trials {fmt.duration(view.seconds):>7}  ")
        row.append("".join(f"#{tag} " for tag in run.tags), "italic")
        row.append(spell_text(self, what))
        row.truncate(max(20, self.content_size.width - 2), overflow="ellipsis")
        return row

    @staticmethod
    def run_under_cursor(options: LineList, keys: list[int]) -> int | None:
        """The run under the cursor of somebody who is in the list."""
        at = options.highlighted
        return keys[at] if at is not None and at < len(keys) and options.has_focus else None

    def _describe(self) -> None:
        """The run under the cursor in words, where there is room."""
        details, run = self.query_one("#details", Static), self.current
        failed = run is not None and run.status == "failed"
        error, trace = (run.snapshot.error, run.snapshot.details) if run and failed else ("", "")
        if run and run.key == self.shelf.shown and failure(run.snapshot, self.app.size.width):
            error = ""  # the line at the foot says it
        self.query_one(FailureView).show(error, trace)
        width, height = self.content_size
        brief = height < ROOM_FOR_DETAILS
        details.display = run is not None and height >= ROOM_FOR_DIGEST and not failed
        if run is None or not details.display:
            return
        details.set_class(brief, "-brief")
        before = _befores(self.shelf.runs).get(run.key)
        half = min(MOST_DETAILS, max(DETAILS, (height - 1) // 2))
        most = max(1, min(DETAILS, height - len(self._keys))) if brief else half
        told = _description(run, before, brief=brief)[: min(most, BRIEF) if brief else most]
        lines = _fitting([spell_text(self, text) for text in told], width - 2, most)
        details.styles.height = len(lines) if brief else most + 1
        text = Text("\n".join(lines), no_wrap=True)
        details.update(text, layout=False)  # its height does not depend on the words

    @property
    def current(self) -> Run | None:
        """The run under the cursor."""
        options = self.query_one(LineList)
        if options.highlighted is None or not options.display:
            return None
        if options.highlighted >= len(self._keys):
            return None
        return self.shelf.run(self._keys[options.highlighted])

    def on_option_list_option_highlighted(self, event: LineList.OptionHighlighted) -> None:
        event.stop()
        self._describe()
        self.refresh_bindings()

    # Requests.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do nothing with the run under the cursor are not offered."""
        if not self.children:
            return True
        run = self.current
        if action == "overlay":
            return run is not None and run.key != self.shelf.shown
        if action == "filter":
            return bool(self.shelf.runs)
        if action != "ask":
            return super().check_action(action, parameters)
        what = parameters[0]
        if what == "restore":
            return bool(self.shelf.deleted)
        if run is None:
            return False
        kept = run.kept is not None
        match what:
            case "resume":
                return kept and run.status in ("partial", "interrupted", "failed")
            case "play" | "verify":
                return kept and run.snapshot.done > 0
            case "star" | "tags":
                return kept
            case "remove":
                return run.status != "running" and run.snapshot.full
            case "difference":
                return len(self.shelf.runs) > 1
        return True

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        event.stop()
        if self.current is not None:  # the list may have changed since
            key = self.current.key
            self.post_message(
                RunsChosen(key, tuple(overlay for overlay in self.shelf.overlays if overlay != key))
            )

    def action_overlay(self) -> None:
        """Lay the run under the cursor over the one shown; again takes it off."""
        run = self.current
        if run is None or run.key == self.shelf.shown:
            return
        if run.key in self.shelf.overlays:
            kept = tuple(key for key in self.shelf.overlays if key != run.key)
        else:  # the one laid over first gives way
            kept = (*self.shelf.overlays, run.key)[-MOST_OVERLAYS:]
        self.post_message(RunsChosen(self.shelf.shown, kept))

    def action_ask(self, what: Ask) -> None:
        run = self.current
        if run is not None or what == "restore":
            self.post_message(RunAsked(what, run.key if run is not None else 0))

    # The filter.

    def on_filter_input_changed(self, message: FilterInput.Changed) -> None:
        message.stop()
        self._fill()


def _befores(runs: tuple[Run, ...]) -> Mapping[int, Run]:
    """The run before each, by key, the previews left out."""
    found: dict[int, Run] = {}
    last = None
    for run in runs:
        if last is not None:
            found[run.key] = last
        if run.snapshot.full:
            last = run
    return found


def _description(run: Run, before: Run | None, *, brief: bool) -> list[str]:
    """A run in sentences: its state, its setting, its news; where it came from unless brief."""
    status = WORDS.get(run.status, run.status) if run.number is not None else run.status
    name = f"{run.name[:1].upper()}{run.name[1:]}"
    digest = run.snapshot.digest if run.snapshot.full else ""
    drawn = fmt.drawn_by(digest, run.snapshot.numpy) if digest and not brief else ""
    kept = "of this session" if run.kept is None else _drawn_with(run.kept.versions)
    kept = "" if brief else kept
    texts = [
        " · ".join(filter(None, (f"{name}: {status}", drawn, run.title))),
        " · ".join(
            filter(None, (describe_scenario(run.document), central_budget_words(run), kept))
        ),
    ]
    if before is not None:
        news = " ".join(changes(before.document, run.document)) or "nothing changed."
        texts.append(f"Since {before.name}: {news}")
    return texts


def central_budget_words(run: Run) -> str:
    """What all reports of the first cell keep together; "" where each stands alone."""
    cell = run.snapshot.base_cell
    central = None if cell is None else cell.budgets.get("central_epsilon")
    return "" if central is None else f"central ε ≤ {fmt.short(central)}"


def _fitting(texts: list[str], width: int, most: int) -> list[str]:
    """Texts in at most `most` lines: each has one, and what is left goes to them in their order."""
    lines: list[str] = []
    for at, text in enumerate(texts):
        lines += first_lines(text, width, most - len(lines) - (len(texts) - at - 1))
    return lines


def _when(moment: float) -> str:
    """The time of today's runs, the day of older ones; a clock may have been anywhere."""
    try:
        then, now = time.localtime(moment), time.localtime()
    except (ValueError, OverflowError, OSError):
        return "    –   "
    if then[:3] == now[:3]:
        return time.strftime("%H:%M:%S", then)
    return time.strftime("%d %b %y" if then[0] != now[0] else "%d %b   ", then)[:9].ljust(8)


def _drawn_with(versions: Mapping[str, object]) -> str:
    return "ldptui {ldptui}, NumPy {numpy}, Python {python}".format_map(versions)
