"""A command: a row of `commands.toml`, the class of its options, and its parser.

Imports nothing heavy.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, Final

from ..catalogue.rows import rows
from ..questions.choices import kinds, numbers
from ..questions.options import Option, add_arguments, made, options_of
from .formats import explained

MakeParser = Callable[..., argparse.ArgumentParser]

WORDS: Final[Mapping[str, Any]] = rows("commands", __package__)["words"]
LISTS: Final[Mapping[str, Any]] = rows("commands", __package__)["lists"]


@dataclass(frozen=True)
class Command:
    """A row of `commands.toml`, which says what its fields are."""

    name: str
    about: str
    options: str = ""
    place: str = "options"
    module: str = ""
    usage: str = ""
    summary: str = ""
    group: str = ""
    hidden: bool = False
    example: str | None = None
    required: Sequence[str] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Sequence[str]] = field(default_factory=dict)
    actions: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> type[Any]:
        """The dataclass of its options."""
        kind: type[Any] = getattr(import_module(f"{__package__}.{self.place}"), self.options)
        return kind

    @cached_property
    def below(self) -> dict[str, Command]:
        """Its actions by their names."""
        return {name: Command(name, **row) for name, row in self.actions.items()}

    @cached_property
    def lines(self) -> dict[str, list[str]]:
        """The words of its arguments, in their order."""
        given: dict[str, Sequence[str]] = {}
        for name, line in self.arguments.items():
            given |= LISTS[name[1:]] if name.startswith("+") else {name: line}
        given = {name: line or WORDS.get(name, []) for name, line in given.items()}
        return {name: [_filled(word) for word in line] for name, line in given.items()}

    def own(self) -> Iterator[Option]:
        """Its arguments, in their order; last the keys of protocols, where it has them."""
        places = {name: place for place, name in enumerate(self.lines)}
        found = options_of(self.asked, self.lines, self.required)
        some = (option for option in found if option.name in places or "keys" in places)
        yield from sorted(some, key=lambda option: places.get(option.name, len(places)))

    def parser(self, make: MakeParser) -> argparse.ArgumentParser:
        """Its parser; make : a parser from its name, description and epilog."""
        parser = make(f"ldptui {self.name}", _filled(self.about), self.example)
        self.add_to(parser)
        if self.below:
            actions = parser.add_subparsers(
                dest="action", metavar="ACTION", parser_class=type(parser)
            )
            for name, action in self.below.items():
                sentence = f"{action.about[0].upper()}{action.about[1:]}."
                sub = actions.add_parser(
                    name, help=action.about, description=sentence, allow_abbrev=False
                )
                action.add_to(sub, self.own())
        return parser

    def add_to(self, parser: argparse.ArgumentParser, above: Iterable[Option] = ()) -> None:
        """Add its arguments to a parser. above : the options of the command that it belongs to."""
        add_arguments(parser, self.own(), self.groups, above)

    def read(self, parsed: argparse.Namespace) -> Any:
        """The options of the command, or of its action, as a value of their class."""
        values = dict(vars(parsed))
        action = values.pop("action", None)
        return made(self.asked if action is None else self.below[action].asked, values)


def _filled(words: str) -> str:
    """Words of a row with the kinds of protocols and formats in their places, and what a run is."""
    for name, listed in (("{kinds}", kinds), ("{numbers}", numbers)):
        if name in words:
            words = words.replace(name, ", ".join(listed()))
    words = re.sub(r"\{formats of (\w+)\}", lambda found: explained(found[1]), words)
    return words.replace("{run}", WORDS["RUN"])


COMMANDS: Final[Mapping[str, Command]] = {
    name: Command(name, **row)
    for name, row in rows("commands", __package__).items()
    if name not in ("words", "lists")
}
"""The commands that are no questions; first the workbench's own options."""
