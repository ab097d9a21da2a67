"""What can be opened: files of this folder, the user's own scenarios, the bundled ones."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from ldptui import scenarios
from ldptui.core.base.errors import LdpError
from ldptui.core.base.files import is_there

from ..session.exporting import DRAWN
from ..session.scenario_file import split_claim
from ..terminal import places
from ..text.synonyms import are_in
from ..widgets.blank import Scroll
from ..widgets.dialog import Dialog
from ..widgets.path_field import absolute_path, completions
from ..widgets.picker import ListScreen, rank_of

ENDS: Final = (".toml", ".ldptui", ".ldprun", ".csv")
"""The ends of the names of scenarios, recordings and tables."""
OPENED: Final = (*ENDS, *DRAWN)
"""The ends of the names of all that can be opened: also figures, which carry their scenario."""


class LibraryEntry(Struct, frozen=True):
    """A scenario, recording or table in the library, with the text of its file.

    own : True if it is a file of the user.
    """

    name: str
    title: str
    text: str
    path: Path
    own: bool

    def matches(self, words: str) -> bool:
        """True if every word occurs in the entry's name, title or text."""
        return are_in(words, f"{self.name}\n{self.title}\n{self.text}")

    def rank(self, words: str) -> tuple[int, int]:
        """The sort key of the entry for typed words: the distance of the words, then their place in
        the title.
        """
        title = self.title.casefold()
        first = words.casefold().split()[:1]
        return rank_of(words, self.name, title), title.find(first[0]) if first else 0


class LibraryScreen(ListScreen[Path | None]):
    """The library: a list of scenarios filtered by name, title or text, or the files that complete
    a typed path; the result is the path of the chosen one, or None.

    Page up and page down scroll the preview.
    """

    help_words = (
        "What can be opened: scenarios, tables of people and recordings of this folder, your own "
        "scenarios, and those that come with ldptui. Typed words are looked for in names, titles "
        "and texts. Words with a slash, or a ~ before them, are a path: its files are listed, also "
        "figures, which carry their scenario."
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", show=False, priority=True, id="library.complete"),
        Binding("pagedown", "preview(1)", "Down", False, priority=True, id="library.scroll-down"),
        Binding("pageup", "preview(-1)", "Up", False, priority=True, id="library.scroll-up"),
    ]

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__("words of a title or a text, or a path: ~/data/people.csv")
        self._folder = folder
        self._all: tuple[LibraryEntry, ...] = ()
        self._text = Static(markup=False)
        self._scroll = Scroll(self._text)
        self._scroll.can_focus = False

    def compose(self) -> ComposeResult:
        with Dialog("Open", "enter opens · type words or a path · tab completes · PgUp PgDn · esc"):
            yield self.field
            with Container():
                yield self.list
                yield self._scroll

    def on_mount(self) -> None:
        self._all = (*files_in(self._folder), *entries())
        self.fill("")

    def matching(self, words: str) -> list[LibraryEntry]:
        """The entries that contain these words, the nearest match first; the files of a path."""
        found = [] if is_path(words) else [entry for entry in self._all if entry.matches(words)]
        if found or not words:
            return sorted(found, key=lambda entry: entry.rank(words))
        folder = self._folder or places.current_dir()
        names = completions(words, folder, OPENED)
        if not names and is_there(absolute_path(folder, words)):
            names = [words]  # in a folder that cannot be listed
        names.sort(key=lambda name: name.rstrip("/") != words)
        return [_typed_entry(name, absolute_path(folder, name)) for name in names]

    def option_of(self, row: LibraryEntry) -> Option:
        """The line of an entry in the list; the user's own scenarios have a mark."""
        mark = Content.styled("• " if row.own else "  ", "$text-accent")
        name = row.name.ljust(max(len(entry.name) for entry in self._all))
        title = Content.styled(f"  {row.title}", "$foreground-muted")
        return Option(Content.assemble(mark, Content.styled(name, "bold"), title))

    def describe(self, row: LibraryEntry | None) -> None:
        """Show the preview of the marked entry, or where scenarios and paths are looked for."""
        if row is not None and row not in self._all:
            row = next(entries_of(row.path), row)
        folder = self._folder or places.current_dir()
        nothing = (
            f"Nothing has “{self.words}”. A path starts at {folder}, at / or at ~.\n"
            f"Your own scenarios are looked for in\n{places.scenarios_dir()}"
        )
        self._text.update(Content(nothing) if row is None else describe_entry(row))
        self._scroll.scroll_home(animate=False)

    def take(self, row: LibraryEntry) -> None:
        """Open the marked entry, or go into a folder; a sentence says why a file is not opened."""
        from .dialogs.paths import fault_to_open

        if row.name.endswith("/"):
            self.action_complete()
            return
        listed = row in self._all or any(entries_of(row.path))
        if fault := "" if listed else fault_to_open(row.path):
            self._text.update(Content.styled(fault, "$text-error"))
        else:
            self.dismiss(row.path)

    def action_complete(self) -> None:
        """Put the name of the marked entry into the field."""
        if self.marked_row is not None:
            self.field.value = self.marked_row.name
            self.field.cursor_position = len(self.field.value)

    def action_preview(self, way: int) -> None:
        scroll = self._scroll
        scroll.scroll_relative(y=way * max(1, scroll.size.height - 2), animate=False)


def is_path(words: str) -> bool:
    """True if typed words are a path, and none of a title: with a slash, or the end of a file."""
    return "/" in words or words.startswith("~") or words.casefold().endswith(OPENED)


def files_in(folder: Path | None) -> Iterator[LibraryEntry]:
    """Yields the scenarios, recordings and tables of people in a folder, the newest first."""
    try:
        paths = [path for path in folder.iterdir() if path.suffix in ENDS] if folder else []
        paths.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for path in paths:
        yield from entries_of(path)


def entries_of(path: Path) -> Iterator[LibraryEntry]:
    """The entry of a file of the user; none for a file that is not listed."""
    if path.suffix == ".toml":
        yield from _entry(path, own=True)
    elif path.suffix == ".csv":
        yield from _table_entry(path)
    elif path.suffix in ENDS:
        yield LibraryEntry(path.name, "a recording of a run", "", path, own=True)


def _typed_entry(name: str, path: Path) -> LibraryEntry:
    """The entry of a file or folder that completes a typed path."""
    title = "a folder: enter goes into it" if name.endswith("/") else ""
    return LibraryEntry(name, title, "", path, own=True)


def _table_entry(path: Path) -> Iterator[LibraryEntry]:
    """The entry of a table of users that can be a population; none for another table."""
    from ldptui.core.scenario import find_columns

    with contextlib.suppress(LdpError):
        if (columns := find_columns(path)) and columns[0]:
            about = f"its people as the population, {' and '.join(filter(None, columns))}"
            yield LibraryEntry(path.name, about, "", path, own=True)


def entries() -> Iterator[LibraryEntry]:
    """Yields the user's own scenarios, then the bundled ones, without files that cannot be read."""
    try:
        paths = sorted(places.scenarios_dir().glob("*.toml"))
    except OSError:
        paths = []
    for path in paths:
        yield from _entry(path, own=True)
    yield from bundled_entries()


@cache
def bundled_entries() -> tuple[LibraryEntry, ...]:
    """The entries of the bundled scenarios, read once, since reading all of them takes longer than
    a key press may.
    """
    paths = (scenarios.path(name) for name in scenarios.names())
    return tuple(entry for path in paths for entry in _entry(path, own=False))


def _entry(path: Path, own: bool) -> Iterator[LibraryEntry]:
    """The entry of a TOML file; none if the file has neither a population nor a protocol."""
    try:
        text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    except (OSError, ValueError):
        return
    try:
        document = tomllib.loads(text)
        if not {"population", "protocol"} & document.keys():
            return
        title = str(document.get("title", ""))
    except (tomllib.TOMLDecodeError, RecursionError):
        title = "(not valid TOML)"
    yield LibraryEntry(path.stem, title, text, path, own)


def describe_entry(entry: LibraryEntry) -> Content:
    """The title and the claim of a scenario as prose, then the text of its file without
    the claim.
    """
    claim, rest = split_claim(entry.text)
    parts: list[Content] = [Content.styled(entry.title or entry.name, "bold $text-accent")]
    if claim:
        parts.append(Content(claim))
    parts.append(Content.styled(str(entry.path), "$foreground-muted"))
    parts.append(Content(rest))
    return Content("\n\n").join(parts)
