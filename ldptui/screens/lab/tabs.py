"""The tabs of the lab: the usual questions by their numbers, those about reports, and More."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from ...questions.topics import TOPICS
from ...terminal.keyboard import ALT_DIGITS
from ...widgets.choice_bar import ChoiceBar
from ...widgets.cursor import STEP
from ...widgets.words import spell_text

TABS: Final = tuple(name for name, topic in TOPICS.items() if topic.group != "more")
"""The topics with a tab and a number of their own; `MORE` leads to the others."""
MORE: Final = "0"
FIRST_FURTHER: Final = 13
"""The function key of the first topic behind More: most terminals send f13 for shift+f1."""


def key_of(topic: str) -> str:
    """The number of a topic's tab; of a topic behind More the key of all these."""
    return str(TABS.index(topic) + 1) if topic in TABS else MORE


def _ways(name: str, title: str) -> Iterator[Binding]:
    """The keys of a topic: its number, and with alt the same from anywhere."""
    if name in TABS:
        key, alike = key_of(name), f",{ALT_DIGITS[TABS.index(name)]}"
    else:
        key = f"f{FIRST_FURTHER + list(TOPICS).index(name) - len(TABS)}"
        alike = ""
    yield Binding(key, f"go('{name}')", title, show=False, id=f"lab.{name}")
    yield Binding(
        f"alt+{key}{alike}",
        f"go('{name}')",
        title,
        show=False,
        priority=True,
        id=f"lab.{name}.anywhere",
    )


KEYS: Final[list[BindingType]] = [
    Binding("escape", "leave", "Back", id="lab.leave"),
    Binding("v", "view", "View", id="lab.view"),
    *STEP,
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
    *(binding for name, topic in TOPICS.items() for binding in _ways(name, topic.title)),
    Binding(MORE, "more", "All questions", id="lab.more"),
    Binding(
        f"alt+{MORE},{ALT_DIGITS[-1]}",
        "more",
        "All questions",
        show=False,
        priority=True,
        id="lab.more.anywhere",
    ),
    Binding("enter", "take", "Into the scenario", id="lab.take"),
    Binding("ctrl+o", "file", "Choose the file", id="lab.file"),
    Binding("ctrl+e", "export", "Write a file", id="lab.export"),
    Binding("a", "releases", "Add this session's runs", id="lab.releases"),
    Binding("y", "copy", "Copy", id="lab.copy"),
    Binding("question_mark,f1", "help", "Help", id="lab.help"),
]


ASKED: Final = tuple(name for name in TABS if TOPICS[name].group == "asked")
REPORTS: Final = tuple(name for name in TABS if TOPICS[name].group == "reports")
ROWS: Final = 3
"""The most rows that the tabs take."""
ROOM_FOR_NUMBERS: Final = 70
"""Columns from which a tab is named with the number that is its key."""
MARGIN: Final = 2
"""Cells beside the words."""
ABOUT_REPORTS: Final = "Reports  "


class TopicTabs(Vertical):
    """The questions in as few rows as can be; where they are too wide, their short names."""

    DEFAULT_CSS = """
    TopicTabs { height: auto; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._tab = TABS[0]
        self._width = 0
        self._bars = [ChoiceBar() for _ in range(ROWS)]

    def compose(self) -> ComposeResult:
        yield from self._bars

    def select(self, name: str) -> None:
        """Mark a topic's tab; one behind More is named there."""
        self._tab = name
        for bar in self._bars:
            bar.selected = name if name in TABS else MORE
        if self._width:
            self.show(self._width)

    def show(self, width: int) -> None:
        """Name the tabs in this many columns."""
        self._width = width
        rows = self._rows(width - MARGIN)
        for bar, row in zip(self._bars, [*rows, *[()] * (ROWS - len(rows))], strict=True):
            bar.display = bool(row)
            bar.prefix = ABOUT_REPORTS if row and row[0][0] in REPORTS and self._whole else ""
            bar.choices = tuple(row)

    @property
    def _whole(self) -> bool:
        """True where there is room for the word before the questions about reports."""
        return self._width >= ROOM_FOR_NUMBERS

    def _rows(self, room: int) -> list[tuple[tuple[str, str], ...]]:
        """The tabs by row: whole questions in one row or two, or else their short names."""
        last = (*((name, self._named(name, room)) for name in REPORTS), self._more(room))
        for names in (_split(ASKED, 1), _split(ASKED, 2)):
            rows = [tuple((name, self._asked(name)) for name in row) for row in names]
            if all(self._cells(row) <= room for row in (*rows, last)):
                return [*rows, last]
        first = tuple((name, self._named(name, room, short=True)) for name in ASKED)
        short = tuple((name, self._named(name, room, short=True)) for name in REPORTS)
        return [first, (*short, self._more(room))]

    def _cells(self, row: tuple[tuple[str, str], ...]) -> int:
        """The cells of a row with its gaps, and with the word before it."""
        words = sum(len(spell_text(self, label)) for _, label in row) + 2 * (len(row) - 1)
        return words + (len(ABOUT_REPORTS) if row and row[0][0] in REPORTS else 0)

    def _asked(self, name: str) -> str:
        return f"{key_of(name)} {TOPICS[name].question}"

    def _named(self, name: str, room: int, *, short: bool = False) -> str:
        whole = f"{key_of(name)} " if room + MARGIN >= ROOM_FOR_NUMBERS else ""
        return f"{whole}{TOPICS[name].title if short else TOPICS[name].question}"

    def _more(self, room: int) -> tuple[str, str]:
        """The way to the other topics, with the one that is shown."""
        key = f"{MORE} " if room + MARGIN >= ROOM_FOR_NUMBERS else ""
        other = "" if self._tab in TABS else f": {TOPICS[self._tab].title}"
        return MORE, f"{key}More{other}"


def _split(names: tuple[str, ...], rows: int) -> list[tuple[str, ...]]:
    """The names in this number of rows, of nearly the same length."""
    each = -(-len(names) // rows)
    return [names[at : at + each] for at in range(0, len(names), each)]
