"""The keys of the lab: a tab by its number, the next one, and what some topics can do."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from ...lab.topics import TOPICS
from ...terminal.keyboard import ALT_DIGITS
from ...widgets.cursor import STEP

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
        Binding(str(number % 10), f"go({number})", topic.title, show=False, id=f"lab.{topic.name}")
        for number, topic in enumerate(TOPICS.values(), start=1)
    ),
    *(
        Binding(
            f"alt+{number % 10},{meta}",
            f"go({number})",
            topic.title,
            show=False,
            priority=True,
            id=f"lab.{topic.name}.anywhere",
        )
        for number, (topic, meta) in enumerate(
            zip(TOPICS.values(), ALT_DIGITS, strict=False), start=1
        )
    ),
    Binding("enter", "take", "Into the scenario", id="lab.take"),
    Binding("ctrl+o", "file", "Choose the file", id="lab.file"),
    Binding("ctrl+e", "export", "Write a file", id="lab.export"),
    Binding("a", "releases", "Add this session's runs", id="lab.releases"),
    Binding("y", "copy", "Copy", id="lab.copy"),
    Binding("question_mark,f1", "help", "Help", id="lab.help"),
]
