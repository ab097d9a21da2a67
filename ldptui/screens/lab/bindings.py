"""The keys of the lab: a question by its number, all of them, what some topics can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textual.binding import Binding, BindingType

from ...lab.topics import TOPICS
from ...terminal.keyboard import ALT_DIGITS
from ...widgets.cursor import STEP

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
