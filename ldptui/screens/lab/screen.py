"""The privacy lab: what a trusted curator would give, what a release reveals, where budget goes.

A tab is a form, and an answer that the background worker computes from it. The screen holds what
was typed, asks with every change, and shows what comes back; it knows nothing of the mathematics.
Its worker is its own, so that a run of the workbench goes on meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from ...catalogue.help import lab_field_help
from ...engine import LAB, Engine
from ...lab.answer import Answer, decoded
from ...lab.forms import FORMS, TABS, TITLES, Tab, release, starting
from ...messages import FieldFocused, KeyEdited, Replied, WorkerChanged
from ...session.snapshot import Question, Reply
from ...terminal.keyboard import ALT_DIGITS
from ...terminal.places import current_dir
from ...widgets.choice_bar import ChoiceBar
from ...widgets.key_hints import KeyHints
from ...widgets.number_table import NumberTable
from ...widgets.plot import ChartView
from ..workbench.status import StatusLine
from .form import LabForm

if TYPE_CHECKING:
    from ...session.draft import Draft
    from ...session.runs import Run

DEBOUNCE_S: Final = 0.1
"""From the last keystroke to the question."""
WIDE: Final = 160
ROOM_FOR_BOTH: Final = 100
"""Columns from which the form stands beside the answer, and a chart over the table."""
HINT: Final = "tab next field · ctrl+pgdn next tab · esc leaves the field, then the lab"
WAITING: Final = "the worker is on it"


class LabScreen(Screen[None]):
    """Tabs of forms with their answers; what was typed stays while the app runs."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    LabScreen {
        layout: vertical;
        overflow: hidden;
        & > #lab-title {
            height: 1;
            padding: 0 1;
            background: $panel;
            color: $foreground;
            text-wrap: nowrap;
            text-overflow: ellipsis;
        }
        & > #lab-tabs { padding: 0 1; }
        & > #lab-body { height: 1fr; }
        & > #lab-verdict { height: auto; padding: 0 1; text-style: bold; }
        #lab-left { width: 44; }
        #lab-right { width: 1fr; }
        LabForm { height: auto; max-height: 60%; }
        #lab-words {
            height: 1fr;
            padding: 0 1;
            border: round $foreground 25%;
            border-title-color: $text-muted;
            scrollbar-size-vertical: 1;
            &:focus { border: round $accent; }
            &:ansi:focus { border: heavy $accent; }
        }
        .lab-box {
            border: round $foreground 25%;
            height: 1fr;
            &:focus-within { border: round $accent; }
            &:ansi:focus-within { border: heavy $accent; }
        }
        #lab-charts { height: 1fr; }
        #lab-table-box { height: auto; max-height: 50%; }
        #lab-table-box > Static { height: 1; text-style: bold; }
        #lab-table-box > NumberTable { height: auto; max-height: 100%; }
        &.-wide #lab-left { width: 60; }
        &.-narrow #lab-body { layout: vertical; }
        &.-narrow #lab-left { width: 1fr; height: auto; }
        &.-narrow LabForm { max-height: 9; }
        &.-narrow #lab-right { height: 1fr; }
        &.-narrow #lab-table-box { height: 1fr; max-height: 100%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="lab.leave"),
        Binding("v", "view", "View", id="lab.view"),
        Binding("right,l", "tab(1)", "Next tab", show=False, id="lab.next"),
        Binding("left,h", "tab(-1)", "Tab before", show=False, id="lab.previous"),
        # A text field scrolls with these keys where its text is long: tabs go first.
        Binding(
            "ctrl+pagedown", "tab(1)", "Next tab", show=False, priority=True, id="lab.next.anywhere"
        ),
        Binding(
            "ctrl+pageup",
            "tab(-1)",
            "Tab before",
            show=False,
            priority=True,
            id="lab.previous.anywhere",
        ),
        *(
            Binding(str(number), f"go({number})", TITLES[tab], show=False, id=f"lab.{tab}")
            for number, tab in enumerate(TABS, start=1)
        ),
        *(
            Binding(
                f"alt+{number},{meta}",
                f"go({number})",
                TITLES[tab],
                show=False,
                priority=True,
                id=f"lab.{tab}.anywhere",
            )
            for number, (tab, meta) in enumerate(zip(TABS, ALT_DIGITS, strict=True), start=1)
        ),
        Binding("ctrl+o", "file", "Choose the file", id="lab.file"),
        Binding("ctrl+e", "export", "Write the column", id="lab.export"),
        Binding("a", "releases", "Add this session's runs", id="lab.releases"),
        Binding("y", "copy", "Copy", id="lab.copy"),
        Binding("f1,question_mark", "help", "Help", id="lab.help", key_display="?"),
    ]

    tab: var[Tab] = var("histograms", init=False)
    view: var[int] = var(0, init=False)
    """Which of the charts, and where there is room for one thing only also table and words."""

    def __init__(self, engine: type[Engine] = Engine) -> None:
        super().__init__()
        self._engine = engine(self.post_message, LAB, False)
        self._draft: Draft | None = None
        self.runs: tuple[Run, ...] = ()
        self._typed: dict[Tab, dict[str, Any]] = {tab: {} for tab in TABS}
        self.answers: dict[Tab, Answer] = {}
        self._problems: dict[Tab, dict[str, str]] = {tab: {} for tab in TABS}
        self._asked: dict[Tab, tuple[object, ...]] = {}
        self._question: Question | None = None
        self._debounce: Timer | None = None
        self._field = ""
        self._key = 0

    # The picture.

    def compose(self) -> ComposeResult:
        yield Static(id="lab-title")
        bar = ChoiceBar(id="lab-tabs")
        bar.selected = self.tab
        yield bar
        with Horizontal(id="lab-body"):
            with Vertical(id="lab-left"), VerticalScroll(id="lab-words") as words:
                words.border_title = "In words"
                yield Static(markup=False)
            with Vertical(id="lab-right"):
                with Horizontal(id="lab-charts"):
                    for which in ("first", "second"):
                        with Vertical(classes="lab-box", id=f"lab-{which}"):
                            yield ChartView(id=f"lab-chart-{which}", empty=WAITING)
                with Vertical(classes="lab-box", id="lab-table-box"):
                    yield Static(id="lab-table-title", markup=False)
                    yield NumberTable()
        yield Static(id="lab-verdict", markup=False)
        status = StatusLine()
        status.idle = HINT
        yield status
        yield KeyHints()

    async def on_mount(self) -> None:
        await self._engine.start()
        await self._show_form()
        self._show_answer()
        self._form.focus_first()

    async def shut_down(self) -> None:
        """Stop the worker; no process is left behind."""
        await self._engine.stop()

    def follow(self, draft: Draft | None, runs: tuple[Run, ...]) -> None:
        """Take over the workbench's draft and runs: what was not typed here follows them."""
        self._draft, self.runs = draft, runs
        if self.query(f"#form-{self.tab}"):  # else it is on its way
            self._show_title()
            self._show_values()
            self._ask_soon()

    @property
    def _form(self) -> LabForm:
        return self.query_one(f"#form-{self.tab}", LabForm)

    async def _show_form(self) -> None:
        """The form of the tab; it is made when it is shown first."""
        left = self.query_one("#lab-left")
        if not self.query(f"#form-{self.tab}"):
            await left.mount(LabForm(self.tab), before=0)
        for form in self.query(LabForm):
            form.display = form.tab == self.tab
        self._show_title()
        self._show_values()
        self._ask_soon()

    def _show_title(self) -> None:
        accent = self.app.theme_variables["accent"]
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append("ldptui", f"bold {accent}" if not self.app.native_ansi_color else "bold")
        line.append(" │ privacy lab │ ", "dim")
        line.append(_subject(self._draft), "dim")
        self.query_one("#lab-title", Static).update(line)

    @property
    def values(self) -> dict[str, Any]:
        """What the form of the tab holds: what was typed, over what it starts with."""
        return starting(self.tab, self._draft, self._typed[self.tab])

    def _show_values(self) -> None:
        problems = self._problems[self.tab]
        self._form.show(self.values, problems)
        said = [f"{_label(name)} {sentence}".lstrip() for name, sentence in problems.items()]
        self.query_one(StatusLine).problem = said[0] if said else ""

    def _show_answer(self) -> None:
        answer = self.answers.get(self.tab)
        charts = answer.charts if answer is not None else ()
        for at, which in enumerate(("first", "second")):
            view = self.query_one(f"#lab-chart-{which}", ChartView)
            view.chart = charts[at] if at < len(charts) else None
            view.empty = WAITING if answer is None else "no chart for this one: see the table"
        table = self.query_one(NumberTable)
        table.table = answer.table if answer is not None else None
        title = self.query_one("#lab-table-title", Static)
        title.update(answer.table.title if answer is not None else "")
        words = self.query_one("#lab-words > Static", Static)
        words.update(_said(answer) if answer is not None else "")
        verdict = answer.words[0] if answer is not None and answer.words else ""
        self.query_one("#lab-verdict", Static).update(verdict)
        self._arrange()

    def _arrange(self) -> None:
        """Show what there is room for; `view` chooses."""
        width = self.app.size.width
        narrow, wide = width < ROOM_FOR_BOTH, width >= WIDE
        answer = self.answers.get(self.tab)
        charts = max(1, len(answer.charts)) if answer is not None else 1
        views = charts + 2 if narrow else 1 if wide else charts
        at = self.view % views
        table, words = not narrow or at == charts, not narrow or at == charts + 1
        self.query_one("#lab-first").display = at == 0 or (wide and charts > 0)
        self.query_one("#lab-second").display = (wide and charts > 1) or at == 1 < charts
        self.query_one("#lab-charts").display = at < charts
        self.query_one("#lab-table-box").display = table
        self.query_one("#lab-words").display = words
        self.query_one("#lab-right").display = not narrow or at <= charts
        self.query_one("#lab-left").styles.height = "1fr" if narrow and words else None
        # Its words are not there to be read, but the first of them is what was asked for.
        self.query_one("#lab-verdict").display = not words and answer is not None

    def on_resize(self, event: Resize) -> None:
        wide = event.size.width >= ROOM_FOR_BOTH
        bar = self.query_one("#lab-tabs", ChoiceBar)
        bar.choices = tuple(
            (tab, f"{number} {title}" if wide else title)
            for number, (tab, title) in enumerate(TITLES.items(), start=1)
        )
        self._arrange()

    # Tabs and views.

    async def watch_tab(self, tab: Tab) -> None:
        self.query_one("#lab-tabs", ChoiceBar).selected = tab
        self.view = 0
        self.refresh_bindings()
        await self._show_form()
        self._show_answer()
        self._form.focus_first()

    def watch_view(self) -> None:
        self._arrange()

    def action_tab(self, by: int) -> None:
        self.tab = TABS[(TABS.index(self.tab) + by) % len(TABS)]

    def action_go(self, number: int) -> None:
        self.tab = TABS[number - 1]

    def on_choice_bar_chosen(self, message: ChoiceBar.Chosen) -> None:
        message.stop()
        if message.choice in TABS:
            self.tab = message.choice

    def action_view(self) -> None:
        """The next chart; where there is room for one thing only, then the table and the words."""
        self.view += 1

    # What is typed.

    def on_key_edited(self, message: KeyEdited) -> None:
        message.stop()
        _, owner, name = message.key.split(".", 2)
        tab = cast("Tab", owner)
        typed = self._typed[tab]
        name, _, place = name.partition(".")
        if place:
            rows = [*starting(tab, self._draft, typed)[name], ""]
            rows[int(place)] = message.value
            while rows and not rows[-1]:
                rows.pop()
            typed[name] = rows
        else:
            typed[name] = message.value
        self._show_values()
        self._ask_soon()

    def on_field_focused(self, message: FieldFocused) -> None:
        message.stop()
        self._field = message.key

    # Questions and answers.

    def _ask_soon(self) -> None:
        if self._debounce is not None:
            self._debounce.stop()
        self._debounce = self.set_timer(DEBOUNCE_S, self._ask)

    def _ask(self, **more: Any) -> None:
        """Ask what the form asks, unless that is answered already or being answered."""
        from ...session.draft import base

        draft, values = self._draft, self.values
        if draft is None or (self._question is not None and self._question.values.get("path")):
            return  # what is being written is not left half done: its end asks again
        document = None if draft.scenario is None else subject(base(draft.scenario).document)
        asked = (values, document, draft.folder)
        if self._asked.get(self.tab) == asked:
            return
        if self._question is not None:  # left unanswered: its tab asks again
            self._asked.pop(cast("Tab", self._question.tab), None)
        self._asked[self.tab] = asked
        self._key += 1
        folder = str(draft.folder)
        self._question = Question(self._key, self.tab, values | more, document, folder)
        self._engine.run(self._question)

    def on_replied(self, message: Replied) -> None:
        message.stop()
        reply, question = message.reply, self._question
        if question is None or reply.key != question.key:
            return
        status = self.query_one(StatusLine)
        tab = cast("Tab", question.tab)
        if reply.offers is not None:
            self.query_one(f"#form-{tab}", LabForm).offer(reply.offers)
        status.busy = f"{TITLES[tab]}: {reply.said}; esc stops it" if reply.said else ""
        if reply.status == "running":
            return
        self._question = None
        self._take(tab, reply)

    def _take(self, tab: Tab, reply: Reply) -> None:
        """The end of a question: its answer, or what is wrong."""
        self._problems[tab] = {}
        if reply.answer is not None:
            self.answers[tab] = decoded(reply.answer)
        elif reply.status == "failed":
            self._problems[tab] = {reply.field: reply.error}
        else:
            self._note("stopped; the next change asks again")
        if tab == self.tab:
            self._show_values()
            self._show_answer()
        self._ask_soon()  # what was typed, or opened, meanwhile

    def on_worker_changed(self, message: WorkerChanged) -> None:
        message.stop()
        if not message.alive:
            self._note(message.note)

    def _note(self, note: str) -> None:
        self.query_one(StatusLine).note = note

    # Keys.

    def action_leave(self) -> None:
        """Stop what is being computed; where nothing is, back to the workbench."""
        if self._question is not None:
            self._engine.cancel()
        else:
            self.app.pop_screen()

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002
    ) -> bool | None:
        """Some actions belong to some tabs."""
        match action:
            case "file":
                return any(entry.name == "file" for entry in FORMS[self.tab])
            case "export":
                return self.tab == "synthetic"
            case "releases":
                return self.tab == "budget"
        return True

    def action_file(self) -> None:
        """Choose the table to read."""
        from ..dialogs.path import PathScreen

        folder = self._draft.folder if self._draft is not None else current_dir()
        self.app.push_screen(PathScreen("A table to read", folder, ".csv"), self._read)

    def _read(self, path: Path | None) -> None:
        if path is not None:
            self.post_message(KeyEdited(f"lab.{self.tab}.file", str(path)))

    def action_export(self) -> None:
        """Write the synthetic column; the worker does it, with the draws that are shown."""
        from ..dialogs.path import PathScreen

        name = f"{self.values['column'] or 'item'}-synthetic.csv"
        dialog = PathScreen("Write the synthetic column", current_dir(), ".csv", name, writes=True)
        self.app.push_screen(dialog, self._write)

    def _write(self, path: Path | None) -> None:
        if path is not None:
            self._asked.pop("synthetic", None)
            self._ask(path=str(path))

    def action_releases(self) -> None:
        """Enter the runs of this session into the ledger, as if each had been a release."""
        found = [entry for run in self.runs if (entry := release_of(run))]
        rows = [one for one in self.values["entries"] if one.strip()]
        self._typed["budget"]["entries"] = [*rows, *found]
        self._show_values()
        self._ask_soon()
        runs = "1 run" if len(found) == 1 else f"{len(found)} runs"
        self._note(f"added {runs} of this session" if found else "no run of this session yet")

    def action_help(self) -> None:
        from ..help import HelpScreen

        field = self._field if self._field.startswith(f"lab.{self.tab}.") else f"lab.{self.tab}"
        self.app.push_screen(HelpScreen(field, tuple(self.active_bindings.values())))

    def action_copy(self) -> None:
        """Copy what is shown: the table if it has the focus, else the chart, as text."""
        from ...terminal.clipboard import copy

        self._note(copy(self.app, self.as_text()))

    def as_text(self) -> str:
        """The charts shown as text, and the table tab-separated."""
        focused = self.focused
        if isinstance(focused, ChartView):
            return focused.as_text()
        charts = [one.as_text() for one in self.query(ChartView) if one.is_on_screen and one.chart]
        table = self.query_one(NumberTable)
        if isinstance(focused, NumberTable) or not charts:
            return table.as_text()
        return "\n".join(charts)


def subject(document: Mapping[str, Any]) -> dict[str, Any]:
    """What the lab needs of a scenario: nobody attacks here."""
    return {key: document[key] for key in ("format", "seed", "population", "protocol")
            if key in document}  # fmt: skip


def release_of(run: Run) -> str:
    """A run as an entry of the ledger; "" where its budget is not known yet."""
    for cell in run.snapshot.parts.get("base", ())[:1]:
        kind = str(cell.parameters.get("protocol.kind", "run"))
        epsilon = cell.parameters.get("protocol.epsilon")
        if cell.rappor is not None:
            epsilon = cell.rappor.get("epsilon_one")
        if isinstance(epsilon, int | float):
            delta, rounds = (cell.parameters.get(key) for key in ("protocol.delta",
                                                                  "campaign.rounds"))  # fmt: skip
            return release(kind, epsilon, delta, rounds)
    return ""


def _label(name: str) -> str:
    """What a field is called, before the rule that its value breaks."""
    name, _, row = name.partition(".")
    found = lab_field_help(name)
    if found is None:
        return ""
    return f"{found.label} {int(row) + 1}" if row else found.label


def _subject(draft: Draft | None) -> str:
    """The population and the protocol that the tabs start from."""
    from ...text.format import count

    if draft is None or draft.cell is None:
        return "no valid scenario yet"
    document: Mapping[str, Any] = draft.document or {}
    population = draft.cell.first.population
    kind = str(draft.cell.parameters.get("protocol.kind", "")).upper()
    title = str(document.get("title") or "untitled")
    size = f"d = {count(population.domain_size)}, n = {count(population.users)}, {kind}"
    return f"{size} │ {title}"


def _said(answer: Answer) -> Content:
    """The verdict, then the other sentences, then the sources that the table cites."""
    first, *rest = answer.words or ("",)
    parts = [Content.styled(first, "bold"), Content("\n").join(map(Content, rest))]
    sources = Content.styled("\n".join(answer.sources), "dim")
    return Content("\n\n").join([part for part in (*parts, sources) if part.plain])
