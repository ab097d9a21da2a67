"""The questions of the lab as commands of the palette."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from textual.app import SystemCommand

from ...messages import KeyEdited
from ...questions.choices import EXAMPLES
from ...questions.topics import TOPICS

RELATIONS: Final = {
    "the relation R": EXAMPLES["relation"],
    "R′, R repaired": EXAMPLES["repaired"],
}
"""The relations of users and attributes that come with the program."""


def question_commands(screen: Any) -> Iterator[SystemCommand]:
    """A command for each question of the lab.

    screen : the workbench, whose action opens the lab.
    """
    for name, topic in TOPICS.items():
        go = partial(screen.action_lab, name)
        tab = " · ".join(dict.fromkeys((topic.group, topic.title)))
        yield SystemCommand(f"Lab: {topic.question} ({tab})", topic.summary, go, False)
    for name, file in RELATIONS.items():
        go, title = partial(_show_relation, screen, file), f"Lab: Attribute privacy of {name}"
        yield SystemCommand(title, "Example data", go, False)


def _show_relation(screen: Any, file: str) -> None:
    """Ask about the attribute privacy of one of the bundled relations."""
    screen.action_lab("disclose")
    screen.app.screen.post_message(KeyEdited("lab.disclose.file", file))
