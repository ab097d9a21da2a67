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

from ..session.scenario_file import split_claim
from ..terminal import places
from ..text.synonyms import are_in
from ..widgets.blank import Scroll
from ..widgets.dialog import Dialog
from ..widgets.picker import ListScreen, rank_of

ENDS: Final = (".toml", ".ldptui", ".ldprun", ".csv")
"""The ends of the names of scenarios, recordings and tables."""


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
    """The library: a list of scenarios filtered by name, title or text; the result is the path of
    the chosen one, or None.

    Page up and page down scroll the preview.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+o", "by_path", "By its path", show=False, priority=True, id="library.path"),
        Binding("pagedown", "preview(1)", "Scroll down", show=False, id="library.scroll-down"),
        Binding("pageup", "preview(-1)", "Scroll up", show=False, id="library.scroll-up"),
    ]

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__("filter by name, title or words of the text")
        self._folder = folder
        self._all: tuple[LibraryEntry, ...] = ()
        self._text = Static(markup=False)
        self._scroll = Scroll(self._text)
        self._scroll.can_focus = False

    def compose(self) -> ComposeResult:
        with Dialog("Open", "enter opens · type to filter · ^o by its path · PgUp PgDn · esc"):
            yield self.field
            with Container():
                yield self.list
                yield self._scroll

    def on_mount(self) -> None:
        self._all = (*files_in(self._folder), *entries())
        self.fill("")

    def matching(self, words: str) -> list[LibraryEntry]:
        """The entries that contain these words, the nearest match first."""
        found = (entry for entry in self._all if entry.matches(words))
        return sorted(found, key=lambda entry: entry.rank(words))

    def option_of(self, row: LibraryEntry) -> Option:
        """The line of an entry in the list; the user's own scenarios have a mark."""
        mark = Content.styled("• " if row.own else "  ", "$text-accent")
        name = row.name.ljust(max(len(entry.name) for entry in self._all))
        title = Content.styled(f"  {row.title}", "$foreground-muted")
        return Option(Content.assemble(mark, Content.styled(name, "bold"), title))

    def describe(self, row: LibraryEntry | None) -> None:
        """Show the preview of the marked entry, or where the user's own scenarios are
        looked for.
        """
        own = places.scenarios_dir()
        nothing = f"No scenario has “{self.words}”; ^o opens a file by its path.\n"
        nothing += f"Your own scenarios are looked for in\n{own}"
        self._text.update(Content(nothing) if row is None else describe_entry(row))
        self._scroll.scroll_home(animate=False)

    def take(self, row: LibraryEntry) -> None:
        self.dismiss(row.path)

    def action_by_path(self) -> None:
        """Ask for the path of any other file: a figure that carries its run, code, a recording."""
        from .dialogs.paths import open_screen

        self.app.push_screen(open_screen(self._folder or places.current_dir()), self._open)

    def _open(self, path: Path | None) -> None:
        if path is not None:
            self.dismiss(path)

    def action_preview(self, way: int) -> None:
        scroll = self._scroll
        scroll.scroll_relative(y=way * max(1, scroll.size.height - 2), animate=False)


def files_in(folder: Path | None) -> Iterator[LibraryEntry]:
    """Yields the scenarios, recordings and tables of people in a folder, the newest first."""
    try:
        paths = [path for path in folder.iterdir() if path.suffix in ENDS] if folder else []
        paths.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for path in paths:
        if path.suffix == ".toml":
            yield from _entry(path, own=True)
        elif path.suffix == ".csv":
            yield from _table_entry(path)
        else:
            yield LibraryEntry(path.name, "a recording of a run", "", path, own=True)


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
