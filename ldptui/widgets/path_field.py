"""A field for a path: what it can be completed to is suggested as one types."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from ldptui.core.base.files import is_file, is_folder

from .words import DOT

NAMED: Final = 12
"""The most files that are named below the field."""
OTHER: Final = 2
"""The rank of a file that is neither a folder nor wanted."""
Ends: TypeAlias = "str | tuple[str, ...]"
"""The end, or the ends, of the names of the files that are wanted."""


def completions(typed: str, folder: Path, ends: Ends = "") -> list[str]:
    """The paths that complete a typed beginning, in the form in which it was typed (`~/…`, relative
    or absolute).

    Wanted files come first, then folders (they end in `/`); other files only where there is none of
    these, and hidden ones only after a dot was typed. Relative paths start at `folder`. Empty if
    the folder cannot be listed.
    """
    if typed == "~":
        return ["~/"]
    head, slash, start = typed.rpartition("/")
    head += slash
    ranked: list[tuple[int, str, str]] = []
    try:
        with os.scandir(folder / Path(head).expanduser()) as entries:
            for entry in entries:
                name, whole = entry.name, entry.name.casefold()
                # What has no printable name cannot be shown, and need not be offered.
                if not whole.startswith(start.casefold()) or not name.isprintable():
                    continue
                if name.startswith(".") and not start.startswith("."):
                    continue
                inside = is_folder(Path(entry.path))
                rank = 1 if inside else 0 if name.endswith(ends or "\n") else OTHER
                ranked.append((rank, whole, f"{head}{name}{'/' * inside}"))
    except (OSError, ValueError, RuntimeError):
        return []
    wanted = [each for each in ranked if ends and each[0] < OTHER]
    return [path for _, _, path in sorted(wanted or ranked)]


def absolute_path(folder: Path, text: str) -> Path:
    """The absolute path of a text typed in a folder; `~` is the user's home."""
    try:
        written = Path(text).expanduser()
    except RuntimeError:  # a home that nobody has
        written = Path(text)
    return Path(os.path.abspath(folder / written))  # noqa: PTH100 - links stay


class PathSuggester(Suggester):
    """Suggests the first path that completes a typed beginning."""

    def __init__(self, folder: Path, ends: Ends = "") -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.folder, self.ends = folder, ends

    async def get_suggestion(self, value: str) -> str | None:
        return next(iter(completions(value, self.folder, self.ends)), None)


def takes_suggestion(field: Input) -> bool:
    """True if the field had a suggestion for the rest of a path, which is inserted now."""
    before = field.value
    if isinstance(field.suggester, PathSuggester) and field.cursor_position == len(before):
        field.action_cursor_right()
    return field.value != before


class PathField(Vertical):
    """The input of a path: tab inserts the suggestion, enter posts the path or enters a folder.

    Posts `PathChosen`; `tell` shows a sentence below.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", show=False, id="path.complete"),
        Binding("down", "walk(1)", "Next file", show=False, id="path.next"),
        Binding("up", "walk(-1)", "File before", show=False, id="path.previous"),
    ]

    @dataclass
    class PathChosen(Message):
        """Posted when enter was pressed; the path is absolute."""

        path: Path

    def __init__(self, folder: Path, text: str = "", ends: Ends = "") -> None:
        super().__init__()
        self._folder, self._first, self._ends = folder.absolute(), text, ends
        self._asked: Path | None = None
        self._typed = text  # what the files below the field complete
        self._walked: str | None = None  # the one of them that was put in

    def compose(self) -> ComposeResult:
        suggester = PathSuggester(self._folder, self._ends)
        words = "type or paste a path"
        field = Input(self._first, words, select_on_focus=False, suggester=suggester)
        field.cursor_blink = False
        yield field
        yield Static(markup=False)

    def on_mount(self) -> None:
        self._name_files(self._first)

    @property
    def text(self) -> str:
        """The typed text of the path."""
        return self.query_one(Input).value

    @text.setter
    def text(self, text: str) -> None:
        field = self.query_one(Input)
        field.value = text
        field.cursor_position = len(text)

    def absolute(self, text: str) -> Path:
        return absolute_path(self._folder, text)

    def tell(self, sentence: str, refused: bool = False, asking: bool = False) -> None:
        """Show a sentence below the field: why the path is refused, or what enter will do."""
        line, field = self.query_one(Static), self.query_one(Input)
        line.update(sentence)
        for widget in (line, field):
            widget.set_class(refused, "-refused")
            widget.set_class(asking, "-asking")

    def sure(self, path: Path, question: str) -> bool:
        """True if enter was pressed twice on a path; the first time, the question is shown."""
        if path == self._asked:
            return True
        self._asked = path
        self.tell(question, asking=True)
        return False

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._asked = None
        if event.value != self._walked:
            self._typed = event.value
        self._name_files(self._typed)

    def _name_files(self, typed: str) -> None:
        """Show below the field the names of the files that complete the typed text."""
        found = completions(typed, self._folder, self._ends)
        names = [path.rstrip("/").rpartition("/")[2] + "/" * path.endswith("/") for path in found]
        more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
        self.tell(DOT.join([*names[:NAMED], *more]) if len(names) > 1 else "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter a folder, so that its files are suggested, or post the path of a file."""
        event.stop()
        if not event.value.strip():
            self.tell("type a path: tab takes what is suggested")
        elif is_folder(path := self.absolute(event.value)):
            self.text = event.value if event.value.endswith("/") else f"{event.value}/"
        else:
            self.post_message(self.PathChosen(path))

    @property
    def only_file(self) -> Path | None:
        """The file whose path alone completes the typed text; None without one."""
        names = completions(self.text, self._folder, self._ends)
        path = self.absolute(names[0]) if len(names) == 1 else None
        return path if path is not None and is_file(path) else None

    def action_walk(self, by: int) -> None:
        """Put the next of the files that are named below into the field."""
        names = completions(self._typed, self._folder, self._ends)
        if names:
            at = names.index(self.text) + by if self.text in names else min(by, 0)
            self.text = self._walked = names[at % len(names)]

    def action_complete(self) -> None:
        """Insert the suggestion; if there is none, focus the next field."""
        if not takes_suggestion(self.query_one(Input)):
            self.screen.focus_next()
