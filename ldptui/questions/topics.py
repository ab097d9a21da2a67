"""The topics of the lab: each is a command and a tab of the same name.

The answer of a topic that is no question yet, as it reads reports, is in `ldptui.api.opened`.
Nothing here imports NumPy.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from ldptui.core.base.errors import ScenarioError

from ..catalogue.rows import rows
from . import find_questions, load_question
from .choices import EXAMPLES, kinds
from .collection import SHARED, Collection
from .options import Option, add_arguments, made, options_of

if TYPE_CHECKING:
    from ..session.draft import Draft

Group = Literal["asked", "reports", "more"]
"""Where a topic stands: among the questions that are asked most, among those about reports of real
users, or behind More."""
GROUPS: Final[tuple[Group, ...]] = get_args(Group)


@dataclass(frozen=True)
class Topic:
    """A topic as people meet it, a row of `topics.toml`, which says what its fields are.

    title : a word. question : what the topic answers. Without `arguments` its command is made
    elsewhere. reads : its answer may read reports.
    """

    name: str
    title: str
    question: str
    usage: str
    summary: str
    about: str
    example: str
    arguments: Mapping[str, Sequence[str]] = field(default_factory=dict)
    required: Sequence[str] = ()
    hint: str = ""
    written: Mapping[str, str] = field(default_factory=dict)
    options_class: str = ""
    live: bool = False
    reads: bool = False
    group: Group = "more"
    place: int = 99

    @cached_property
    def asked(self) -> type[Any]:
        """The dataclass of its options."""
        module, _, name = (self.options_class or f"{self.name}.Options").rpartition(".")
        kind: type[Any] = getattr(import_module(f"{__package__}.{module}"), name)
        return kind

    @property
    def collected(self) -> bool:
        """Whether it is about reports."""
        return issubclass(self.asked, Collection)

    @property
    def home(self) -> str:
        """The module that has its answer."""
        return f"ldptui.api.opened.{self.name}"

    @cached_property
    def options(self) -> tuple[Option, ...]:
        return tuple(options_of(self.asked, self.arguments, self.required))

    @property
    def blanks(self) -> tuple[Option, ...]:
        """The options that its form shows."""
        return tuple(option for option in self.options if option.blank is not None)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the options that its form shows."""
        return tuple(option.name for option in self.blanks)

    def typed(self, values: Mapping[str, Any]) -> Any:
        """The options as the fields of the form have them; raises ScenarioError.

        A field that has no meaning beside the others has its default.
        """
        read: dict[str, Any] = {}
        for option in self.options:
            value, empty = option.default, True
            if option.blank is not None and option.shown(values):
                value, empty = values.get(option.name), option.blank.optional
            read[option.name] = option.read(
                value.strip() if isinstance(value, str) else value, empty
            )
        return made(self.asked, read)


@cache
def read_rows() -> Mapping[str, Any]:
    """The rows of the topics that are no questions yet."""
    found: Mapping[str, Any] = rows("words", __package__)["topic"]
    return found


def find_names() -> tuple[str, ...]:
    """The names of all questions and topics; none of them is loaded."""
    return (*find_questions(), *read_rows())


def find_topic(name: str) -> Any:
    """A question or a topic by its name; no other one is loaded."""
    return load_question(name) if name in find_questions() else load_topics()[name]


@cache
def load_topics() -> dict[str, Any]:
    """All questions and topics, in the order of their tabs."""
    every: list[Any] = [Topic(name, **row) for name, row in read_rows().items()]
    every += map(load_question, find_questions())
    every.sort(key=lambda each: (GROUPS.index(each.group), each.place))
    return {each.name: each for each in every}


def __getattr__(name: str) -> Any:
    """`TOPICS`, all of them, which are loaded when somebody asks."""
    if name != "TOPICS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load_topics()


if TYPE_CHECKING:
    TOPICS: Mapping[str, Any]


def sharing(topic: str, option: str) -> tuple[str, ...]:
    """The topics whose forms have one value of an option: those about reports, of a collection."""
    if option not in SHARED or not find_topic(topic).collected:
        return (topic,)
    return tuple(name for name, each in load_topics().items() if each.collected)


def parser(name: str, make: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """The parser of a topic's command; `make` takes its name, description and epilog."""
    topic = find_topic(name)
    example = topic.example
    if "{kinds}" in example:
        example = textwrap.fill(example.replace("{kinds}", ", ".join(kinds())), 84)
    parser = make(f"ldptui {name}", topic.about, example)
    add_arguments(parser, topic.options)
    parser.add_argument("--format", choices=("table", "json", "csv", "md"), default="table")
    page = "write the answer as one page as well"
    flags = dict.fromkeys(("--page", topic.page_flag))
    parser.add_argument(*flags, dest="page", metavar="FILE.md", help=page)
    return parser


def starting(
    name: str, draft: Draft | None, typed: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The values of a topic's form: those that were typed, over those that it starts with: the
    draft's own where it has them, and bundled examples of tables."""
    typed = typed or {}
    values: dict[str, Any] = {}
    for option in find_topic(name).blanks:
        assert option.blank is not None
        start = option.default if option.blank.start is None else option.blank.start
        followed = None if draft is None else _followed(option, draft)
        values[option.name] = start if followed is None else followed
    if values.get("file") is EXAMPLES:
        values["file"] = EXAMPLES.get(str(typed.get("what", values["what"])), "")
    return values | dict(typed)


def _followed(option: Option, draft: Draft) -> Any:
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
        option.read(value)
    except ScenarioError:
        return None
    return value
