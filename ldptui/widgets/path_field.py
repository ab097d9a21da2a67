"""A field for a path, with what it can be completed to below it."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from ldptui.core.base.files import is_file, is_folder

from .option_list import LineList

MOST: Final = 500
"""The most completions that are listed; one more letter leaves fewer."""
Ends: TypeAlias = "str | tuple[str, ...]"
"""The end, or the ends, of the names of the files that are wanted."""
BEGINNING: Final = 4096
"""The number of characters at the start of a file that tell whether it is a scenario."""


def completions(typed: str, folder: Path, suffix: Ends = "") -> list[str]:
    """The paths that a half-typed one can become, as it was begun (`~/…`, relative or absolute).

    Wanted files come first, then folders (they end in `/`), then other files, each by name with
    numbers in it by size; hidden ones only after a dot was typed. Relative paths start at `folder`.
    Empty where nothing can be listed.
    """
    if typed == "~":
        return ["~/"]
    head, slash, start = typed.rpartition("/")
    head += slash
    named: list[tuple[int, list[str | int], str]] = []
    try:
        with os.scandir(folder / Path(head).expanduser()) as entries:
            for entry in entries:
                name = entry.name
                # What has no printable name cannot be shown, and need not be offered.
                if not _begins(name, start) or not name.isprintable():
                    continue
                if name.startswith(".") and not start.startswith("."):
                    continue
                is_folder = _is_folder(entry)
                rank = 1 if is_folder else 0 if _is_wanted(Path(entry.path), suffix) else 2
                named.append((rank, _by_name(name), f"{head}{name}{'/' if is_folder else ''}"))
    except (OSError, ValueError, RuntimeError):
        return []
    return [path for _, _, path in sorted(named)[:MOST]]


def _by_name(name: str) -> list[str | int]:
    """`run-2` before `run-10`."""
    parts = re.split(r"(\d+)", name.casefold())
    return [int(part) if at % 2 else part for at, part in enumerate(parts)]


def _is_wanted(path: Path, suffix: Ends) -> bool:
    """True if a file's name ends so; a TOML file has to be a scenario too."""
    if not suffix or not path.name.endswith(suffix):
        return False
    try:
        status = path.stat()
        return path.suffix != ".toml" or _is_scenario(path, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):
        return False


@functools.lru_cache(maxsize=4 * MOST)
def _is_scenario(path: Path, _changed: int, _size: int) -> bool:
    """True if a TOML file begins as a scenario does: with its format, before its first table."""
    if not is_file(path):  # a pipe would not end
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        top = re.split(r"^\s*\[", file.read(BEGINNING), maxsplit=1, flags=re.MULTILINE)[0]
    return re.search(r"^\s*format\s*=", top, re.MULTILINE) is not None


def completed(typed: str, candidates: Sequence[str]) -> str:
    """The typed path, as far as the candidates agree on how it goes on."""
    if not candidates:
        return typed
    first, last = min(candidates), max(candidates)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    common = first[:same] if same is not None else min(first, last, key=len)
    return common if len(common) >= len(typed) else typed


def _begins(name: str, start: str) -> bool:
    """Lower-case letters stand for both cases."""
    return name.startswith(start) or name.casefold().startswith(start)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


class PathInput(Input):
    """The line that a path is typed into."""

    def on_resize(self) -> None:
        """Show the part of a long path where the cursor is: Textual shows how it begins."""
        at = cell_len(self.value[: self.cursor_position])
        self.scroll_to_region(Region(at, 0, 1, 1), force=True, animate=False)


class PathField(Vertical):
    """A path: tab completes, up and down choose, enter takes it; a folder is entered.

    Posts `Chosen` with what was taken, `Changed` when it is edited; `tell` puts a sentence below.
    """

    DEFAULT_CSS = """
    PathField {
        height: auto;
        & > Input { border: round $foreground 30%; background: transparent; padding: 0 1; }
        & > Input:focus { border: round $accent; background-tint: transparent; }
        & > Input:nocolor > .input--cursor { text-style: underline; }
        & > Input.-refused, & > Input.-refused:focus { border: round $error; }
        & > Static { height: auto; padding: 0 1; color: $text-muted; }
        & > Static.-path { text-wrap: nowrap; text-overflow: fold; }
        & > Static.-refused { color: $text-error; }
        & > Static.-asking { color: $text-warning; }
        & > LineList {
            height: auto;
            max-height: 10;
            margin: 0 1;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", show=False, id="path.complete"),
        Binding("down", "move(1)", "Next", show=False, id="path.next"),
        Binding("up", "move(-1)", "Previous", show=False, id="path.previous"),
        Binding("pagedown", "move(8)", "Page down", show=False, id="path.page-down"),
        Binding("pageup", "move(-8)", "Page up", show=False, id="path.page-up"),
    ]

    @dataclass
    class Chosen(Message):
        """Enter was pressed on this path; it is absolute."""

        path: Path

    @dataclass
    class Changed(Message):
        """The path was edited."""

        text: str

    def __init__(self, folder: Path, text: str = "", suffix: Ends = "", rows: int = 10) -> None:
        super().__init__()
        self._folder = folder.absolute()
        self._first = text
        self._suffix = suffix
        self._rows = rows
        self._candidates: list[str] = []
        self._asked: Path | None = None

    def compose(self) -> ComposeResult:
        field = PathInput(self._first, select_on_focus=False, placeholder="type or paste a path")
        field.cursor_blink = False
        yield field
        yield Static(markup=False)
        listed = LineList()
        listed.can_focus = False
        listed.styles.max_height = self._rows
        yield listed

    def on_mount(self) -> None:
        self._list(self._first)

    @property
    def text(self) -> str:
        """The path as it stands in the field."""
        return self.query_one(Input).value

    @text.setter
    def text(self, text: str) -> None:
        field = self.query_one(Input)
        field.value = text
        field.cursor_position = len(text)

    def absolute(self, text: str) -> Path:
        """The absolute path that a text means; `~` is the user's home."""
        try:
            written = Path(text).expanduser()
        except RuntimeError:  # a home that nobody has
            written = Path(text)
        return Path(os.path.abspath(self._folder / written))  # noqa: PTH100 - links stay

    def tell(self, sentence: str, refused: bool = False, asking: bool = False) -> None:
        """A sentence under the field: why the path is refused, or what enter will do."""
        line, field = self.query_one(Static), self.query_one(Input)
        if sentence.startswith("→ "):  # one long word, whose end says more than its beginning
            sentence = f"→ {_end_of(sentence[2:], self.size.width - 4)}"
        line.update(sentence)
        line.set_class(sentence.startswith("→ "), "-path")
        for widget in (line, field):
            widget.set_class(refused, "-refused")
            widget.set_class(asking, "-asking")

    def sure(self, path: Path, question: str) -> bool:
        """True where enter was pressed again on a path; the first time the question is put."""
        if path == self._asked:
            return True
        self._asked = path
        self.tell(question, asking=True)
        return False

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._asked = None
        self.tell("")
        self._list(event.value)
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._take(event.value if self._marked is None else self._marked)

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        event.stop()
        if self._marked is not None:  # what was typed since may have changed the list
            self._take(self._marked)

    @property
    def _marked(self) -> str | None:
        """The candidate under the cursor of the list."""
        at = self.query_one(LineList).highlighted
        return None if at is None else self._candidates[at]

    def _take(self, text: str) -> None:
        """A folder is entered, so that the list goes on inside it; a file is what was wanted."""
        if not text.strip():
            self.tell("type a path, or choose one with up and down")
            return
        path = self.absolute(text)
        if text != self.text:
            with self.prevent(Input.Changed):
                self.text = text
            self.tell("")
        if is_folder(path):
            with self.prevent(Input.Changed):
                self.text = text if text.endswith("/") else f"{text}/"
            self._list(self.text)
        else:
            self.post_message(self.Chosen(path))

    def _list(self, typed: str) -> None:
        self._candidates = completions(typed, self._folder, self._suffix)
        listed = self.query_one(LineList)
        listed.clear_options()
        listed.add_options(Option(self._row(path)) for path in self._candidates)
        listed.highlighted = None
        listed.display = bool(self._candidates)

    def _row(self, path: str) -> Content:
        name = path.rstrip("/").rpartition("/")[2]
        if path.endswith("/"):
            return Content.styled(f"{name}/", "$text-accent")
        wanted = _is_wanted(self.absolute(path), self._suffix)
        return Content(name) if wanted else Content.styled(name, "$foreground-muted")

    def action_complete(self) -> None:
        """Complete the path as far as it is clear; after that, offer the candidates one by one."""
        typed = self.text
        further = completed(typed, self._candidates)
        if further != typed:
            self.text = further
        else:
            self.action_move(1)

    def action_move(self, by: int) -> None:
        listed = self.query_one(LineList)
        if not self._candidates:
            return
        last = len(self._candidates) - 1
        at = listed.highlighted
        if at is None:
            listed.highlighted = 0 if by > 0 else last
        elif abs(by) == 1:
            listed.highlighted = (at + by) % (last + 1)
        else:
            listed.highlighted = max(0, min(last, at + by))


def _end_of(path: str, width: int) -> str:
    """A path, without its first folders where it has no room as a whole: `…/results/a.csv`."""
    parts = path.split("/")
    while len(parts) > 1 and width > 0 and cell_len("/".join(parts)) > width:
        parts = ["…", *parts[1 + (parts[0] == "…") :]]
        if len(parts) <= 2:
            break
    return "/".join(parts)
