"""The options of a topic, declared once: an argument of its command, a field of its form, or both.

`add_arguments` renders options for argparse, the Lab screen's form renders them as fields. Both
views have `checked` read and refuse their values, and `concerned` find the argument or the field
that an error is about. Nothing here imports NumPy: `--help` and a form that opens are cheap.
"""

from __future__ import annotations

import argparse
import math
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from ldptui.core.base.errors import ScenarioError, got, spelled
from ldptui.core.base.ranges import Range

Type = Literal["number", "integer", "flag", "text", "numbers", "names", "rows"]
"""numbers, names : separated by commas. rows : a list of texts."""
Step = Literal["", "hundredths", "decades", "ladder"]
View = Literal["argument", "blank"]
Choices: TypeAlias = tuple[tuple[Any, str], ...]
"""Values with their words."""
Condition: TypeAlias = Callable[[Mapping[str, Any]], bool]

ANY: Final = Range()
NO_YES: Final[Choices] = ((False, "no"), (True, "yes"))


@dataclass(frozen=True)
class Argument:
    """An option as a command has it: `--name METAVAR`, or METAVAR alone if it is positional.

    words : one line of help. default : the value where none is given. either : exactly one of the
    arguments that have this is given. group : the heading that it stands under.
    """

    metavar: str | None = None
    words: str | None = None
    default: Any = None
    positional: bool = False
    required: bool = False
    either: bool = False
    group: str = ""


@dataclass(frozen=True)
class Blank:
    """An option as a form has it: a field.

    start : what it holds at first, if not the argument's default. follows : the value that the
    workbench's draft has for it: a dotted key, or a function of the draft; None: it has none.
    choices : values with their words, or a function that makes them. bare : no label, as the
    choices explain themselves. optional : it may be empty. steps : how far up and down go.
    only : whether the other values give it a meaning.
    """

    start: Any = None
    follows: str | Callable[[Any], Any] = ""
    choices: Choices | Callable[[], Choices] = ()
    bare: bool = False
    optional: bool = False
    steps: Step = ""
    only: Condition | None = None


@dataclass(frozen=True)
class Option:
    """One value that a topic asks for.

    range : a number must be in it. size : the number of "numbers". choices : the few texts that are
    allowed. renames : parameters of the core whose errors are about this option. argument, blank :
    the views that show it.
    """

    name: str
    type: Type = "number"
    range: Range = ANY
    size: int = 0
    choices: tuple[str, ...] = ()
    renames: tuple[str, ...] = ()
    argument: Argument | None = None
    blank: Blank | None = None

    @property
    def flag(self) -> str:
        """Its name in the command: --hash-range, or FILE."""
        if self.argument is not None and self.argument.positional:
            return str(self.argument.metavar)
        return f"--{self.name.replace('_', '-')}"

    @property
    def default(self) -> Any:
        """Its value where nobody asks for it."""
        return None if self.argument is None else self.argument.default

    @property
    def fields(self) -> Choices:
        """The choices of its field; none where anything can be typed."""
        assert self.blank is not None
        choices = self.blank.choices
        if callable(choices):
            return choices()
        if self.type == "flag":
            return choices or NO_YES
        return choices or tuple((word, word) for word in self.choices)

    def argued(self, **changes: Any) -> Option:
        """The same option, with another argument."""
        return replace(self, argument=replace(self.argument or Argument(), **changes))

    def blanked(self, **changes: Any) -> Option:
        """The same option, with another field."""
        return replace(self, blank=replace(self.blank or Blank(), **changes))

    def shown(self, values: Mapping[str, Any]) -> bool:
        """True if its field has a meaning beside the other values."""
        return self.blank is not None and (self.blank.only is None or self.blank.only(values))

    # Values.

    def read(self, value: Any, empty: bool = False) -> Any:
        """The value that was given or typed, as a topic takes it; raises ScenarioError.

        empty : whether it may be missing.
        """
        if value in (None, "") and (empty or self.type in ("names", "rows")):
            return [] if self.type in ("names", "rows") else None
        match self.type:
            case "number" | "integer":
                return self._number(value)
            case "numbers":
                return self._numbers(str(value or ""))
            case "names":
                words = value if isinstance(value, list) else str(value).split(",")
                return list(dict.fromkeys(name for word in words if (name := str(word).strip())))
            case "rows":
                return [str(row).strip() for row in value]
            case "text":
                return str(value or "")
        return value

    def _number(self, value: Any) -> int | float:
        whole = self.type == "integer"
        number: int | float = value
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            what = "a whole number" if whole else "a number"
            rule = f"must be {what}" + (f", {got(value)}" if value is not None else "")
            raise ScenarioError(rule, key=self.name)
        if not math.isfinite(number) or number not in self.range:
            raise ScenarioError(f"must be {self.range}, got {spelled(number)}", key=self.name)
        return number

    def _numbers(self, written: str) -> list[float]:
        try:
            numbers = [float(part) for part in written.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) != self.size:
            rule = f"must be {self.size} numbers separated by commas, {got(written)}"
            raise ScenarioError(rule, key=self.name)
        return numbers


def checked(options: Iterable[Option], values: Mapping[str, Any], view: View) -> Namespace:
    """The values of all options, read; those that a view does not show have their default.

    Raises ScenarioError for the first one that breaks a rule; its key is the option's name.
    """
    answers = Namespace()
    for option in options:
        value = option.read(option.default, empty=True)
        if view == "argument" and option.argument is not None:
            value = option.read(values.get(option.name), empty=True)
        elif view == "blank" and option.blank is not None and option.shown(values):
            typed = values.get(option.name)
            typed = typed.strip() if isinstance(typed, str) else typed
            value = option.read(typed, empty=option.blank.optional)
        setattr(answers, option.name, value)
    return answers


def concerned(options: Iterable[Option], key: str) -> Option | None:
    """The option that an error with this key is about: its name, a row of it, or a parameter."""
    for option in options:
        if key in (option.name, *option.renames) or key.startswith(f"{option.name}."):
            return option
    return None


@dataclass(frozen=True)
class Written:
    """The file that a tab writes on request.

    title : of the dialog. name : the file's first name; "{column}" stands for the value of the
    field `column`.
    """

    title: str
    name: str


Group = Literal["central", "privacy"]
"""The subject of a topic: answers of a trusted curator, or the privacy that is kept and lost."""


@dataclass(frozen=True)
class Topic:
    """A topic as people meet it.

    title : the name of its tab. usage, summary : its line in `ldptui --help`. about, example : the
    text above and below the arguments of its command; {kinds} stands for every kind of protocol.
    group : the row of its tab. written : the file that its tab can write; None: none. live : its
    answers take so little that every keystroke is answered.
    """

    name: str
    title: str
    usage: str
    summary: str
    about: str
    example: str
    options: tuple[Option, ...]
    written: Written | None = None
    live: bool = False
    group: Group = "central"

    @property
    def blanks(self) -> tuple[Option, ...]:
        """The options that its form shows."""
        return tuple(option for option in self.options if option.blank is not None)

    def option(self, name: str) -> Option:
        return next(option for option in self.options if option.name == name)


# Arguments.


def add_arguments(parser: argparse.ArgumentParser, options: Iterable[Option]) -> None:
    """Add the options that a command shows to its parser."""
    groups: dict[str, Any] = {"": parser}
    either: Any = None
    for option in options:
        argument = option.argument
        if argument is None:
            continue
        if argument.group not in groups:
            groups[argument.group] = parser.add_argument_group(argument.group)
        place = groups[argument.group]
        if argument.either:
            place = either = either or parser.add_mutually_exclusive_group(required=True)
        place.add_argument(*_names(option), **_keywords(option, argument))


def _names(option: Option) -> tuple[str, ...]:
    positional = option.argument is not None and option.argument.positional
    return (option.name,) if positional else (option.flag,)


def _keywords(option: Option, argument: Argument) -> dict[str, Any]:
    if option.type == "flag":
        return {"action": "store_true", "help": argument.words}
    more: dict[str, Any] = {"help": argument.words}
    if argument.metavar is not None:
        more["metavar"] = argument.metavar
    if option.choices:
        more["choices"] = option.choices
    if option.type in ("number", "integer"):
        more["type"] = float if option.type == "number" else int
    if option.type == "rows":
        more["nargs"] = "*"
    if not argument.positional:
        more |= {"default": argument.default, "required": argument.required}
        if argument.either:
            del more["required"]
    return more
