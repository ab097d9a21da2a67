"""The questions as tabs of the lab and as commands, in their order. Nothing here imports NumPy."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.errors import ScenarioError

from . import find_questions, load_question
from .choices import EXAMPLES, kinds
from .collection import is_of_collection
from .options import OptionSpec, add_arguments, find_group
from .parameters import OUTPUT
from .question import Question

if TYPE_CHECKING:
    from ..session.draft import Draft

GROUPS: Final = (
    "My deployment", "Plan", "Design", "My reports", "Check", "Guess", "Trust", "Curator",
    "Teaching",
)  # fmt: skip
"""The tabs of the lab: each has one question, or a few as its views."""


def find_names() -> tuple[str, ...]:
    """The names of all questions, without importing them."""
    return tuple(find_questions())


@cache
def load_topics() -> dict[str, Question[Any, Any]]:
    """All questions, in the order of their tabs."""
    every = [*map(load_question, find_questions())]
    every.sort(key=lambda each: (GROUPS.index(each.group), each.place))
    return {each.name: each for each in every}


def __getattr__(name: str) -> Any:
    """The module's attribute `TOPICS`: all questions by name, imported at the first use."""
    if name != "TOPICS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load_topics()


if TYPE_CHECKING:
    TOPICS: Mapping[str, Question[Any, Any]]


def sharing(topic: str, option: str) -> tuple[str, ...]:
    """The questions whose forms share the value of an option (questions about reports)."""
    if not load_question(topic).uses_collection or not is_of_collection(option):
        return (topic,)
    return tuple(name for name, each in load_topics().items() if each.uses_collection)


def parser(name: str, make: type[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """The argument parser of a question's command, an instance of `make`."""
    topic = load_question(name)
    example = topic.example
    if "{kinds}" in example:
        example = textwrap.fill(example.replace("{kinds}", ", ".join(kinds())), 78)
    parser = make(f"ldptui {name}", None, topic.about, example)
    add_arguments(parser, topic.options)
    output = find_group(parser, OUTPUT.heading)
    formats = ("table", "json", "csv", "md")
    output.add_argument("--format", choices=formats, default="table", help="of the answer (table)")
    page = "write a page with the answer as well, in Markdown or HTML"
    flags = dict.fromkeys(("--page", topic.page_flag))
    output.add_argument(*flags, dest="page", metavar="FILE.md|html", help=page)
    own = {option.name for option in topic.options}
    if "out" not in own and topic.page_flag != "--out":
        output.add_argument("--out", "-o", metavar="FILE", help="write the answer to a file")
    if "force" not in own:
        output.add_argument("--force", action="store_true", help="replace files that are there")
    output.add_argument("--quiet", "-q", action="store_true", help="no notes")
    return parser


def starting(
    name: str, draft: Draft | None, typed: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The values of a question's form: typed values, else the draft's, else defaults and bundled
    examples.
    """
    typed = typed or {}
    values: dict[str, Any] = {}
    for option in load_question(name).blanks:
        assert option.blank is not None
        start = option.default if option.blank.start is None else option.blank.start
        followed = None if draft is None else _follow_draft(option, draft)
        values[option.name] = start if followed is None else followed
    if values.get("file") is EXAMPLES:
        values["file"] = EXAMPLES.get(str(typed.get("what", values["what"])), "")
    return values | dict(typed)


def _follow_draft(option: OptionSpec, draft: Draft) -> Any:
    """The draft's value for an option; None where it has none that the option takes."""
    assert option.blank is not None
    follows = option.blank.follows
    if not follows:
        return None
    if callable(follows):
        value = follows(draft)
    else:
        from ..session.draft import value_of

        value = value_of(draft, follows)
    if option.fields:
        return value if any(value == choice for choice, _ in option.fields) else None
    if isinstance(value, tuple):
        return value
    try:
        option.check(value)
    except ScenarioError:
        return None
    return value
