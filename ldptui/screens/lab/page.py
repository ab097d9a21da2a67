"""A tab of the lab while the app runs: what was typed, the answer, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...questions.choices import EXAMPLE, EXAMPLES, kinds
from ...questions.collection import ENDS
from ...questions.field_help import lab_field_help
from ...questions.options import find_option
from ...questions.question import Question
from ...questions.sheet import AnswerSheet
from ...questions.topics import starting
from ...session.draft import base
from ...terminal.places import current_dir
from ...text.format import count

if TYPE_CHECKING:
    from ...session.draft import Draft


READ: Final = {
    "file": ("A table to read", (".csv",)),
    "reports": ("Reports to read", ENDS),
    "domain": ("Names of items to read, one a line", (".txt",)),
}
"""What ctrl+o asks for, by the option that names it: the dialog's title, and the ends of names."""
STALE: Final = "STALE: other values · "
"""The mark of an answer that is not that of the form's values, as of a run's."""


@dataclass
class Page:
    """The state of one question in the lab: the typed values, their problems, the last inputs and
    the answer.

    problems : a sentence for each wrong field, by field; "" for the whole form.
    asked : the inputs of the last question; None if it was cancelled.
    answer_inputs : the inputs of the answer.
    """

    topic: Question[Any, Any]
    typed: dict[str, Any] = field(default_factory=dict)
    answer: AnswerSheet | None = None
    problems: dict[str, str] = field(default_factory=dict)
    asked: tuple[object, ...] | None = None
    answer_inputs: tuple[object, ...] | None = None

    def values(self, draft: Draft | None) -> dict[str, Any]:
        """The values of the form's fields: typed values, else those of the draft or the
        defaults.
        """
        return starting(self.topic.name, draft, self.typed)

    def inputs(self, draft: Draft | None) -> tuple[dict[str, Any], dict[str, Any] | None, Path]:
        """The inputs of an answer: the values of the form, the parts of the scenario that it uses,
        and the folder.
        """
        scenario = None if draft is None or self.topic.uses_collection else draft.scenario
        document = None if scenario is None else subject(base(scenario).document)
        return self.values(draft), document, self._folder(draft)

    def is_current(self, draft: Draft | None) -> bool:
        """True if the answer was computed from the values that the form shows now."""
        return not self.problems and self.answer_inputs == self.inputs(draft)

    def shown_answer(self, draft: Draft | None) -> tuple[AnswerSheet | None, str]:
        """The last answer and a mark before its first sentence, "" if it is current."""
        if self.answer is None:
            return None, ""
        before = "" if self.is_current(draft) else STALE
        return self.answer, before + ("Example data: " if self.examples(draft) else "")

    def examples(self, draft: Draft | None) -> tuple[str, ...]:
        """The names of the bundled example files in the form."""
        examples = EXAMPLE, *EXAMPLES.values()
        return tuple(text.partition(":")[2] for text in self.files(draft) if text in examples)

    def files(self, draft: Draft | None) -> list[str]:
        """The paths that the form names, as they were typed."""
        named = self.values(draft).get(self.read_from)
        return [text for text in (named if isinstance(named, (list, tuple)) else [named]) if text]

    def edit(self, draft: Draft | None, name: str, value: Any) -> str:
        """Store an edited value, with the columns of a table that it names, and clear the field's
        problem; returns a sentence about a table without names of columns, else "".

        name : a field; "entries.2" is the third row of the option `entries`.
        """
        self.problems.pop(name, None)
        name, _, row = name.partition(".")
        if row:
            rows = [*self.values(draft)[name], ""]
            rows[int(row)] = value
            while rows and not rows[-1]:
                rows.pop()
            value = rows
        self.typed[name] = value
        option = find_option(self.topic.blanks, name)
        if option is not None and option.argument.role == "table" and isinstance(value, str):
            from ...questions.inputs import find_file, guess_values

            path = Path(find_file(self._folder(draft), value))
            values, words = guess_values(self.topic, path)
            self.typed |= values
            return words
        return ""

    def _folder(self, draft: Draft | None) -> Path:
        return current_dir() if draft is None else draft.folder

    def can(self, action: str) -> bool:
        """True if the question offers an action: read a file, write a file, or edit the
        scenario.
        """
        match action:
            case "file":
                return bool(self.read_from)
            case "export":
                return bool(self.topic.written)
            case "take":
                answer = None if self.problems else self.answer
                return answer is not None and bool(answer.edits or answer.choices)
        return True

    @property
    def read_from(self) -> str:
        """The name of the option that takes a file to read; "" if the question reads no file."""
        named = (option.name for option in self.topic.options)
        return next((name for name in named if name in ("file", "reports")), "")

    def field_to_read(self, draft: Draft | None, focused: str) -> tuple[str, str, tuple[str, ...]]:
        """The key of the field that takes a file, with what `READ` says of it: the focused field if
        it takes one, else the table's, or the first for reports that is empty or names an example.
        """
        name, _, row = focused.removeprefix(f"lab.{self.topic.name}.").partition(".")
        if name not in READ:
            name, row = self.read_from, ""
        if name == "reports" and not row:
            files = self.files(draft)
            row = str(files.index(EXAMPLE) if EXAMPLE in files else len(files))
        key = f"lab.{self.topic.name}.{name}"
        return (f"{key}.{row}" if row else key), *READ[name]

    def file_to_write(self, draft: Draft | None) -> tuple[str, str]:
        """The title of the dialog that writes the topic's file, and the name that it proposes."""
        written = self.topic.written
        column = self.values(draft).get("column") or "item"
        return written["title"], written["name"].format(column=column)

    @property
    def missing(self) -> str:
        """The words shown in place of the answer while there is none."""
        if self.problems:
            return "no answer yet: the form says what is wrong"
        return "the answer is being computed"

    @property
    def problem(self) -> str:
        """The label of the first wrong field with its problem; "" if no field is wrong."""
        for name, sentence in self.problems.items():
            return f"{_label(name)} {sentence}".lstrip()
        return ""


ASKED: Final = ("format", "seed", "population", "protocol")
"""The tables of a scenario that most tabs are about: nobody attacks there."""


def subject(document: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a scenario that a question of the lab reads."""
    return {key: document[key] for key in ASKED if key in document}


def _label(name: str) -> str:
    """The label of a field, to be followed by the rule that its value breaks."""
    name, _, row = name.partition(".")
    words = lab_field_help(name)
    if words is None:
        return ""
    return f"{words.label} {int(row) + 1}" if row else words.label


def title_of(draft: Draft | None, page: Page) -> str:
    """The title of the lab screen: the scenario that its values come from, or the files that it
    reads.
    """
    if examples := page.examples(draft):
        return f"example data: {', '.join(examples)}"
    if (files := page.files(draft)) or page.topic.uses_collection or page.read_from == "file":
        return ", ".join(Path(text).name for text in files) or "no file yet"
    return _setting(draft, page.values(draft), bool(page.typed))


def _setting(draft: Draft | None, values: Mapping[str, Any], is_typed: bool) -> str:
    """The domain, the users and the protocol of a form; those of the draft if the form has none.

    is_typed : the user has typed values, so that the draft's title does not apply.
    """
    if draft is None or draft.cell is None:
        return "" if draft is None else "no valid scenario yet"
    population = draft.cell.first.population
    kind = values.get("protocol") or draft.cell.parameters.get("protocol.kind", "")
    sizes = {"d": population.domain_size, "n": population.users}
    for sign, name in (("d", "items"), ("n", "users")):
        typed = values.get(name)
        sizes[sign] = typed if isinstance(typed, int) else sizes[sign]
    title = "as typed here" if is_typed else (draft.document or {}).get("title") or "untitled"
    words = [f"{sign} = {count(size)}" for sign, size in sizes.items()]
    words += [kind.upper()] if kind in kinds() else []
    return f"{', '.join(words)} │ {title}"
