"""The body of the lab: the form of a tab, and its answer in charts, a table and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from ...lab.answer import Answer
from ...lab.topics import Topic
from ...messages import ChoicesAsked
from ...widgets.words import put
from ..picking import pick
from .form import LabForm
from .results import Results, Words, spelled_out, verdict

WIDE: Final = 160
ROOM_FOR_BOTH: Final = 100
"""Columns from which the form stands beside the answer, and a chart over the table."""
SHORT: Final = 24
"""Rows below which a narrow form scrolls, and the verdict is among the words alone."""


class LabBody(Vertical):
    """The parts of a tab that have room; the screen says which tab, what was typed, which view."""

    DEFAULT_CSS = """
    LabBody {
        height: 1fr;
        #lab-body { height: 1fr; }
        #lab-verdict { height: auto; padding: 0 1; text-style: bold; }
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
        &.-wide #lab-left { width: 60; }
        &.-narrow #lab-body { layout: vertical; }
        &.-narrow #lab-left { width: 1fr; height: auto; &.-whole { height: 1fr; } }
        &.-narrow LabForm { max-height: 9; }
        &.-short LabForm { max-height: 4; }
        &.-narrow #lab-right { height: 1fr; }
        &.-narrow #lab-table-box { height: 1fr; max-height: 100%; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, LabForm] = {}
        self.results = Results()
        self._text = Words()
        self._words = VerticalScroll(self._text, id="lab-words")
        self._words.border_title = "In words"
        self._left = Vertical(self._words, id="lab-left")
        self._verdict = Static(id="lab-verdict", markup=False)
        self._answer: Answer | None = None

    def compose(self) -> ComposeResult:
        yield Horizontal(self._left, self.results, id="lab-body")
        yield self._verdict

    def open(self, topic: Topic) -> LabForm:
        """Show the form of a topic, which is made when it is shown first."""
        form = self.forms.get(topic.name)
        if form is None:
            form = self.forms[topic.name] = LabForm(topic)
            self._left.mount(form, before=0)
        for each in self.forms.values():
            each.display = each is form
        return form

    def fill(self, topic: str, values: Mapping[str, Any], problems: Mapping[str, str]) -> None:
        """Show the values of a topic's form, and what is wrong with them."""
        self.forms[topic].show(values, problems)

    def answer(self, answer: Answer | None, view: int) -> None:
        """Show an answer; None: there is none yet."""
        self._answer = answer
        self.results.show(answer)
        self._text.show(answer)
        self.lay_out(view)

    def on_choices_asked(self, message: ChoicesAsked) -> None:
        """Show all values that a field can have."""
        message.stop()
        pick(self.app, message)

    def lay_out(self, view: int) -> None:
        """Show the parts that have room; `view` chooses among the others."""
        width, answer = self.app.size.width, self._answer
        narrow, wide = width < ROOM_FOR_BOTH, width >= WIDE
        short = narrow and self.app.size.height < SHORT
        self.set_class(narrow, "-narrow")
        self.set_class(short, "-short")
        self.set_class(wide, "-wide")
        charts = max(1, len(answer.charts)) if answer is not None else 1
        views = charts + 2 if narrow else 1 if wide else charts
        at = view % views
        words = not narrow or at == charts + 1
        self.results.lay_out(at, charts, both=wide, table=not narrow or at == charts)
        self.results.display = not narrow or at <= charts
        self._words.display = words
        self._left.set_class(narrow and words, "-whole")
        # Its words are not there to be read, but the first of them is what was asked for.
        self._verdict.display = not (words or short) and answer is not None
        if self._verdict.display:
            put(self._verdict, verdict(spelled_out(answer, self), width - 2))
