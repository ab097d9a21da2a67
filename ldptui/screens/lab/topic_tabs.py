"""The tabs of the lab by their numbers, and the questions of each."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from ...questions.topics import GROUPS, TOPICS
from ...terminal.keyboard import ALT_DIGITS
from ...widgets.choice_bar import ChoiceBar
from ...widgets.cursor import STEP

MEMBERS: Final = {
    group: tuple(name for name, topic in TOPICS.items() if topic.group == group) for group in GROUPS
}
"""The questions of each tab, of which it shows one."""


PAGE_KEYS: Final = Binding.Group("pages")
KEYS: Final[list[BindingType]] = [
    Binding("escape", "leave", "Back", id="lab.leave"),
    Binding("v", "view", "View", id="lab.view"),
    *STEP,
    Binding("left,h", "tab(-1)", "Tab before", False, id="lab.previous", group=PAGE_KEYS),
    Binding("right,l", "tab(1)", "Next tab", False, id="lab.next", group=PAGE_KEYS),
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
        Binding(
            str(number),
            f"group({number})",
            "Questions" if number == 1 else group,
            show=number == 1,
            key_display="1…9" if number == 1 else None,
            id=f"lab.tab.{number}",
        )
        for number, group in enumerate(GROUPS, 1)
    ),
    *(
        Binding(
            f"alt+{number},{ALT_DIGITS[number - 1]}",
            f"group({number})",
            group,
            show=False,
            priority=True,
            id=f"lab.tab.{number}.anywhere",
        )
        for number, group in enumerate(GROUPS, 1)
    ),
    Binding("enter", "take", "Into the scenario", id="lab.take"),
    Binding("ctrl+o", "file", "Choose the file", id="lab.file"),
    Binding("ctrl+e", "export", "Write a file", priority=True, id="lab.export"),
    Binding("y", "copy", "Copy", id="lab.copy"),
    Binding("question_mark,f1", "help", "Help", id="lab.help"),
]


LABELS: Final = tuple((group, f"{number} {group}") for number, group in enumerate(GROUPS, 1))
"""The tabs by the numbers that are their keys."""
PAGES: Final = ", ".join(TOPICS[name].title.lower() for name in MEMBERS[GROUPS[-1]])
WITH_PAGES: Final = (*LABELS[:-1], (GROUPS[-1], f"{LABELS[-1][1]}: {PAGES}"))
"""The same with the pages of the last one, which its name does not say, where that costs no row."""


class TopicTabs(Vertical):
    """The tab bar of the lab above the questions of the chosen tab."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._groups, self._questions = ChoiceBar(), ChoiceBar()

    def compose(self) -> ComposeResult:
        yield from (self._groups, self._questions)

    def select(self, name: str) -> None:
        """Mark a question and its tab."""
        group = TOPICS[name].group
        self._groups.selected = group
        self._questions.choices = tuple((each, TOPICS[each].title) for each in MEMBERS[group])
        self._questions.selected = name
        self._questions.display = len(MEMBERS[group]) > 1

    def show(self, width: int) -> None:
        """Lay out the tabs for a screen with `width` columns; the last ones have only numbers if
        their names do not fit.
        """
        room, labels = width - self.styles.padding.width, list(WITH_PAGES)
        if not self._groups.fits(WITH_PAGES, room):
            labels = list(LABELS)
        for at in reversed(range(len(labels))):
            group = labels[at][0]
            if group != self._groups.selected and not self._groups.fits(tuple(labels), room):
                labels[at] = group, str(at + 1)
        self._groups.choices = tuple(labels)
