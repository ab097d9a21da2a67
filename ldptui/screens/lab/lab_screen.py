"""The privacy lab: what a trusted curator would give, what a release reveals, where budget goes.

A tab is a form, and an answer that the background worker computes from it. The screen holds what
was typed, asks with every change, and shows what comes back; it knows nothing of the mathematics.
Its worker is its own, so that a run of the workbench goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import ActiveBinding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ...engine.engine import LAB, Engine
from ...messages import (
    FieldFocused,
    KeyEdited,
    KeysProposed,
    QuestionReply,
    StatusNote,
    WorkerChanged,
)
from ...questions.sheet import decode_answer
from ...questions.topics import GROUPS, TOPICS, sharing
from ...session.snapshot import LabQuestion, Reply
from ...terminal.clipboard import copy
from ...terminal.keyboard import takes_focus
from ...terminal.places import current_dir
from ...widgets.choice_bar import ChoiceBar
from ...widgets.cursor import Move
from ...widgets.delays import call_after
from ...widgets.key_hints import KeyHints, group_words
from ...widgets.status import StatusLine
from ...widgets.words import cut_at_word
from .lab_form import LabBody
from .page import Page, title_of
from .topic_tabs import KEYS, MEMBERS, TopicTabs

if TYPE_CHECKING:
    from ...session.draft import Draft

DEBOUNCE_S: Final = 0.1
"""From the last keystroke of a burst to the question; none passes after its first one."""
NAMES: Final = tuple(TOPICS)


class LabScreen(Screen[None]):
    """The lab: tabs of questions, each with a form and its answer; typed values are kept."""

    AUTO_FOCUS = ""
    CSS_PATH = "lab.tcss"
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    tab: var[str] = var(NAMES[0], init=False)
    view: var[int] = var(0, init=False)
    """The chart that is shown; in a narrow terminal it counts the table and the words too."""

    def __init__(
        self, engine: type[Engine] | Engine = Engine, collection: dict[str, Any] | None = None
    ) -> None:
        super().__init__()
        if isinstance(engine, Engine):  # it works on the first question already
            self._engine = engine
            engine.listen(self.post_message)
        else:
            self._engine = engine(self.post_message, LAB, False)
        self._draft: Draft | None = None
        opened = collection or {}
        self.pages = {
            name: Page(topic, dict(opened) if opened and topic.uses_collection else {})
            for name, topic in TOPICS.items()
        }
        self._question: LabQuestion | None = None
        self._debounce: Timer | None = None
        self._typed = 0.0  # when the last keystroke came
        self._field = ""
        self._key = 0  # of the last question
        self._enters = False  # the form gets the focus
        self._ready = False  # its widgets are there and the engine is started
        self.is_answered = asyncio.Event()
        """Set once the first answer is shown, or nobody waits for it any more."""
        self._title = Static(id="lab-title")
        self._tabs = TopicTabs(id="lab-tabs")
        self._tabs.select(self.tab)
        self._body = LabBody()
        self._status = StatusLine()

    @property
    def page(self) -> Page:
        """The page (values, problems, answer) of the tab that is shown."""
        return self.pages[self.tab]

    @property
    def values(self) -> dict[str, Any]:
        """The values of the form that is shown."""
        return self.page.values(self._draft)

    # The picture.

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._tabs
        yield self._body
        yield self._status
        yield KeyHints()

    async def start(self) -> None:
        """Start the worker process unless it runs already; the screen need not be mounted."""
        await self._engine.start()

    async def on_mount(self) -> None:
        self.bindings_updated_signal.subscribe(self, self._show_keys)
        await self.start()
        self._ready = True
        self._show_tab()
        self._ask()

    async def shut_down(self) -> None:
        """Stop the worker process and wait for its end."""
        await self._engine.stop()

    def follow(self, draft: Draft | None) -> None:
        """Take over the workbench's draft, which sets fields that the user has not edited."""
        self._draft = draft
        if self._ready:
            self._show_title()
            self._show_values()
            self._mark_answer()
            self._ask_soon()

    def open(self, show: str) -> None:
        """Show a question by its name, else one about reports, and focus its form."""
        if show in TOPICS:
            self.tab, self._enters = show, True
            self._focus_form()
        elif not self.page.topic.uses_collection:
            self.tab = MEMBERS["My reports"][0]

    def _show_tab(self) -> None:
        self._tabs.show(self.size.width)
        form = self._body.open(self.page.topic)
        self._show_title()
        self._show_values()
        self._show_answer()
        self._ask_soon()
        form.focus()  # no field: arrows are those of the tabs
        self._focus_form()

    def _focus_form(self) -> None:
        """Focus the form if the question was opened by its name."""
        if self._enters and self._ready:
            self._enters = False
            self._body.forms[self.tab].focus_first()

    def _show_title(self) -> None:
        words = f" │ privacy lab │ {title_of(self._draft, self.page)}"
        line = Content.assemble(("ldptui", "$text-accent bold"), (words, "$foreground-muted"))
        self._title.update(cut_at_word(line, self.app.size.width - 2))

    def _show_values(self) -> None:
        self._body.forms[self.tab].show(self.values, self.page.problems)
        self._status.problem = self.page.problem

    def _show_answer(self) -> None:
        self._body.answer(*self.page.shown_answer(self._draft), self.page.missing)
        self.watch_view()
        self.refresh_bindings()

    def _mark_answer(self) -> None:
        """Show the answer again if an edit changes whether it belongs to the form's values."""
        if not self._body.shows(*self.page.shown_answer(self._draft), self.page.missing):
            self._show_answer()

    def _show_keys(self, _: Screen[Any]) -> None:
        self._status.idle = group_words(self)

    @property
    def focus_chain(self) -> list[Widget]:
        """The widgets that tab goes through: fields by columns, not by rows as Textual has it."""
        return [each for each in self.query("*") if takes_focus(each, self)]

    def on_resize(self, event: Resize) -> None:
        self._tabs.show(event.size.width)
        self._show_title()
        self.watch_view()

    # Tabs and views.

    def watch_tab(self, tab: str) -> None:
        self._tabs.select(tab)
        self.view = 0
        if self._ready:
            self.refresh_bindings()
            self._show_tab()

    def watch_view(self) -> None:
        self._body.lay_out(self.view)
        self.refresh_bindings()

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The active keys; the label of the key for views names the next view."""
        found, words = super().active_bindings, self._body.next_view(self.view)
        for key, active in found.items():
            if active.binding.id == "lab.view":
                found[key] = active._replace(binding=replace(active.binding, description=words))
        return found

    def action_tab(self, by: int) -> None:
        self.tab = NAMES[(NAMES.index(self.tab) + by) % len(NAMES)]

    def action_group(self, number: int) -> None:
        """Show a tab by its number; if it is shown already, the next question of the tab."""
        names = MEMBERS[GROUPS[number - 1]]
        at = names.index(self.tab) + 1 if self.tab in names else 0
        self.tab = names[at % len(names)]

    def on_choice_bar_choice_made(self, message: ChoiceBar.ChoiceMade) -> None:
        message.stop()
        if message.choice in TOPICS:
            self.tab = message.choice
        else:
            self.action_group(1 + GROUPS.index(message.choice))

    def action_view(self) -> None:
        """Show the next view of those that have no room together: chart, table, sentences."""
        self.view += 1

    # Typing.

    def on_key_edited(self, message: KeyEdited) -> None:
        message.stop()
        self._status.drop_refusal()
        _, topic, name = message.key.split(".", 2)
        for other in sharing(topic, name.partition(".")[0]):
            if words := self.pages[other].edit(self._draft, name, message.value):
                self._status.note = words
        self._show_title()
        self._show_values()
        self._mark_answer()
        before, self._typed = self._typed, time.monotonic()
        self._ask_soon(at_once=self._typed - before > DEBOUNCE_S)

    def on_field_focused(self, message: FieldFocused) -> None:
        message.stop()
        self._field = message.key

    # Questions and answers.

    def _ask_soon(self, *, at_once: bool = False) -> None:
        if self._debounce is not None:
            self._debounce.stop()
        wait = 0.0 if at_once or self.page.topic.live else DEBOUNCE_S
        self._debounce = call_after(self, wait, self._ask)

    def _ask(self, **more: Any) -> None:
        """Ask the form's question, unless it is answered already or being answered."""
        draft, page, question = self._draft, self.page, self._question
        if draft is None and not page.topic.uses_collection:
            return
        if question is not None and question.values.get("path"):
            return  # what is being written is not left half done: its end asks again
        inputs = page.inputs(draft)
        if page.asked == inputs:
            return
        if question is not None:  # left unanswered: its tab asks again
            self.pages[question.tab].asked = None
        page.asked = inputs
        self._key += 1
        values, document, folder = inputs
        self._question = LabQuestion(self._key, self.tab, values | more, document, str(folder))
        self._engine.run(self._question)

    def on_question_reply(self, message: QuestionReply) -> None:
        message.stop()
        reply, question = message.reply, self._question
        if question is None or reply.key != question.key:
            return
        page = self.pages[question.tab]
        if reply.offers is not None and (form := self._body.forms.get(question.tab)) is not None:
            form.offer(reply.offers)
        if reply.said or reply.status != "running":
            words = f"{page.topic.title}: {reply.said}; esc leaves, which stops it"
            self._status.busy = words if reply.said else ""
        if reply.answer is not None:
            page.answer, page.answer_inputs = decode_answer(reply.answer), page.asked
            page.problems = {}  # of the question before
        if reply.status == "running":
            if page is self.page and reply.answer is not None:
                self._show_values()
                self._show_answer()
            return
        self._question = None
        self._take(page, reply)
        self.call_after_refresh(self.is_answered.set)

    def _take(self, page: Page, reply: Reply) -> None:
        """Take over the end of a question: its answer, or its error."""
        page.problems = {}
        if reply.status == "failed":
            page.problems = {reply.field: reply.error}
        if page is self.page:
            self._show_values()
            self._show_answer()
        self._ask_soon()  # what was typed, or opened, meanwhile

    def on_worker_changed(self, message: WorkerChanged) -> None:
        message.stop()
        if not message.alive:
            self._status.note = message.note

    def on_status_note(self, message: StatusNote) -> None:
        message.stop()
        self._status.take(message)

    # Keys.

    def action_leave(self) -> None:
        """Go back to the workbench; the computation is cancelled, and starts again later."""
        self.is_answered.set()
        question = self._question
        if question is not None and not question.values.get("path"):
            self.pages[question.tab].asked = self._question = None
            self._status.busy = ""
            self._engine.cancel()
        self.app.pop_screen()

    def action_cursor(self, how: Move, by: int = 0) -> None:
        """Move the cursor of the chart and show the values at it."""
        self._body.chart.step(how, by)
        self._body.chart.draw()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "view":
            return len(self._body.views) > 1
        if action != "cursor":
            return self.page.can(action)
        chart = self._body.chart
        shown = chart.is_on_screen and chart.points
        return shown and (parameters[:1] != ("pool",) or chart.at is not None)

    def action_file(self) -> None:
        """Ask for the file (table or reports) that the question reads."""
        from ..dialogs.paths import PathScreen, fault_to_read, path_from

        folder = (self._draft.folder if self._draft is not None else current_dir()).absolute()
        key, title, ends = self.page.field_to_read(self._draft, self._field)

        def read(path: Path | None) -> None:
            if path is not None:
                self.post_message(KeyEdited(key, path_from(folder, path)))

        self.app.push_screen(PathScreen(title, folder, fault_to_read, "chooses", ends=ends), read)

    def action_export(self) -> None:
        """Ask for a path; the worker then writes the question's file with the numbers shown."""
        from ..dialogs.paths import PathScreen, fault_to_write

        title, name = self.page.file_to_write(self._draft)
        dialog = PathScreen(title, current_dir(), fault_to_write, "writes", name, Path(name).suffix)
        self.app.push_screen(dialog, self._write)

    def _write(self, path: Path | None) -> None:
        if path is not None:
            self.page.asked = None
            self._ask(path=str(path))

    def action_take(self) -> None:
        """Put the edits that the answer proposes into the scenario."""
        answer = self.page.answer
        if answer is not None and self.page.is_current(self._draft):
            edits = answer.proposed_edits(self._body.chart.at)
            if not edits:
                self._status.note = "no scenario simulates this: move the cursor of the chart"
                return
            self.post_message(KeysProposed(edits))
            self._status.note = "it is in the scenario: esc leads there, ctrl+z takes it back"

    def action_help(self) -> None:
        from ..help_screen import HelpScreen

        field = self._field if self._field.startswith(f"lab.{self.tab}.") else f"lab.{self.tab}"
        self.app.push_screen(HelpScreen(field, tuple(self.active_bindings.values())))

    def action_copy(self) -> None:
        """Copy the table if it has the focus, else the chart, as text."""
        self._status.note = copy(self.app, self._body.as_text())
