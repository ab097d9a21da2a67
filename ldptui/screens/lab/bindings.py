"""The keys of the lab: a tab by its number or letter, the next one, what some topics can do."""

from __future__ import annotations

from itertools import chain, repeat
from typing import Final

from textual.binding import Binding, BindingType

from ...lab.topics import TOPICS
from ...terminal.keyboard import ALT_DIGITS
from ...widgets.cursor import STEP


def key_of(topic: str) -> str:
    """The key of a tab: its number, from the eleventh on the first letter of its title."""
    at = list(TOPICS).index(topic) + 1
    return str(at % 10) if at <= len(ALT_DIGITS) else TOPICS[topic].title[0].lower()


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
    *(
        Binding(key_of(name), f"go('{name}')", topic.title, show=False, id=f"lab.{name}")
        for name, topic in TOPICS.items()
    ),
    *(
        Binding(
            f"alt+{key_of(name)}{alike}",
            f"go('{name}')",
            topic.title,
            show=False,
            priority=True,
            id=f"lab.{name}.anywhere",
        )
        for (name, topic), alike in zip(
            TOPICS.items(),
            chain((f",{digit}" for digit in ALT_DIGITS), repeat("")),
            strict=False,
        )
    ),
    Binding("enter", "take", "Into the scenario", id="lab.take"),
    Binding("ctrl+o", "file", "Choose the file", id="lab.file"),
    Binding("ctrl+e", "export", "Write a file", id="lab.export"),
    Binding("a", "releases", "Add this session's runs", id="lab.releases"),
    Binding("y", "copy", "Copy", id="lab.copy"),
    Binding("question_mark,f1", "help", "Help", id="lab.help"),
]
