"""The options of a command or a question, as arguments and as a form.

A question's are read from its signature, a command's from the fields of a dataclass. An option is
an argument of the command if there are words about it, and a field of the form if it has a `Blank`.
`OptionSpec.check` reads and refuses values, and `find_option` finds the option that an error is
about. Nothing here imports NumPy: `--help` and a form that opens are cheap.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import PurePath
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
)

from msgspec import Struct

from ldptui.core.base.errors import ScenarioError, check_among, format_number, got
from ldptui.core.base.ranges import Range, finite, hint_about

from ..text.number import read_number

AS_GIVEN: Final = ("scenario", "protocol", "sender", "clients", "value")
"""The roles of options that Python gives as other values than texts."""
Type = Literal["number", "integer", "flag", "text", "numbers", "names", "rows"]
"""numbers, names : separated by commas. rows : a list of texts, the positional arguments."""
Step = Literal["", "hundredths", "decades", "1-2-5"]
Choices: TypeAlias = tuple[tuple[Any, str], ...]
"""Values with their words."""
Condition: TypeAlias = Callable[[Mapping[str, Any]], bool]

SHORT: Final[Mapping[str, str]] = {"quiet": "-q", "out": "-o", "version": "-V", "verbose": "-v"}
"""The letters of options, by their names."""
ANY: Final = Range()
NO_YES: Final[Choices] = ((False, "no"), (True, "yes"))


class Argument(Struct, frozen=True):
    """The annotation of an option that is an argument of the command.

    positional : it has no flag.
    either : at most one of the options marked so may be given.
    needed : one of them must be.
    renames : parameters of the core whose errors are about this option.
    flags : its flags, if they are not its name.
    aliases : former flags, which help does not show.
    repeated : its flag may be given several times.
    choices : returns the allowed words, if the type does not list them.
    lower : capital letters are read as small ones.
    role : what a value names: "scenario", a scenario's file or name; "protocol", a kind or its
        table; "table", a CSV file, and "column", a column of it; "reports", files of reports, and
        "sender", the kind of their protocol; "names", a file of names; "output", a file to write;
        "clients"; "code", FILE.py:NAME. In Python the value may be the object itself.
    """

    positional: bool = False
    either: bool = False
    renames: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    repeated: bool = False
    choices: Callable[[], Iterable[str]] | None = None
    lower: bool = False
    needed: bool = False
    role: Literal[
        "", "scenario", "protocol", "table", "reports", "sender", "names", "column", "output",
        "clients", "code", "value"
    ] = ""  # fmt: skip


Settings: TypeAlias = Annotated[tuple[str, ...], Argument(flags=("--set",), repeated=True)]
"""The option for other keys of a protocol, KEY=VALUE each."""


class Blank(Struct, frozen=True):
    """The annotation of an option that is a field of the form.

    start : its first value, if not the default.
    follows : the value of the workbench's draft for it: a dotted key, or a function of the draft
        that returns None if there is none.
    choices : pairs of a value and its label, or a function that returns them.
    bare : without a label, as the choices explain themselves.
    steps : the step of one key press.
    only : the field is shown if this condition on the other values holds.
    hint : the text of an empty row.
    guess : a function of the header and the first rows of the form's table that returns the value.
    """

    start: Any = None
    follows: str | Callable[[Any], Any] = ""
    choices: Choices | Callable[[], Choices] = ()
    bare: bool = False
    steps: Step = ""
    only: Condition | None = None
    hint: str = ""
    guess: Callable[[Sequence[str], Sequence[Sequence[str]]], Any] | None = None


class AllowedWords(Struct, frozen=True):
    """The annotation of an option with fixed words; load : returns the words when one
    is checked.
    """

    load: Callable[[], Iterable[str]]


class HelpGroup(Struct, frozen=True):
    """The annotation of an option that the command's help lists under a heading."""

    heading: str


class OnlyIf(Struct, frozen=True):
    """The annotation of an option that is valid only with another one; why : the reason, for the
    error message.
    """

    option: str
    why: str = ""


class Without(Struct, frozen=True):
    """The annotation of an option that is not valid with another one."""

    option: str


class OptionSpec(Struct, frozen=True):
    """One option of a question, for command, form and Python.

    range : the numbers that are allowed.
    size : the length of "numbers".
    choices : the allowed values, or a function that returns them when a value is checked.
    default : the value if none is given.
    words : its line of help, None if the command has no such argument.
    metavar : the placeholder of its value.
    group : the heading in help.
    blank : its field, None if the form has none.
    needs, excludes : the other options that it is valid with, and not valid with.
    """

    name: str
    type: Type = "number"
    range: Range = ANY
    size: int = 0
    choices: tuple[Any, ...] | Callable[[], Iterable[str]] = ()
    default: Any = None
    required: bool = False
    argument: Argument = Argument()
    words: str | None = None
    metavar: str = ""
    group: str = ""
    blank: Blank | None = None
    needs: OnlyIf | None = None
    excludes: Without | None = None

    @property
    def flag(self) -> str:
        """The option's name in the command: --hash-range, or FILE."""
        if self.argument.positional and self.words is not None:
            return self.metavar
        no = "no-" * (self.type == "flag" and self.default is not False)
        return self.argument.flags[0] if self.argument.flags else flag_of(f"{no}{self.name}")

    @property
    def is_optional(self) -> bool:
        """True if the field of the option may be empty."""
        return not self.required and self.default is None

    @property
    def fields(self) -> Choices:
        """The choices of the option's field; empty if anything can be typed."""
        assert self.blank is not None
        choices = self.blank.choices
        if callable(choices):
            return choices()
        if self.type == "flag":
            return choices or NO_YES
        words = () if callable(self.choices) else self.choices
        return choices or tuple((word, word) for word in words)

    def is_shown(self, values: Mapping[str, Any]) -> bool:
        """True if the field applies, given the values of the other fields."""
        return self.blank is not None and (self.blank.only is None or self.blank.only(values))

    # Values.

    def check_beside(self, given: Mapping[str, Any]) -> None:
        """Raise ScenarioError if the option is given but not valid with the other given options."""
        if not is_given(given.get(self.name)):
            return
        if self.needs is not None and not is_given(given.get(self.needs.option)):
            why = f", {self.needs.why}" if self.needs.why else ""
            raise ScenarioError(f"goes with {self.needs.option}{why}", key=self.name)
        if self.excludes is not None and is_given(given.get(self.excludes.option)):
            raise ScenarioError(f"cannot be given with {self.excludes.option}", self.name)

    def check(self, value: Any) -> Any:
        """The value, checked and converted; raises ScenarioError with the option's name as key.

        Numbers of NumPy are numbers, and 1e6 is a whole number.
        """
        role = self.argument.role
        if value is self.default or role == "reports":
            return value
        if role in AS_GIVEN and not isinstance(value, str):
            return value
        read: Any = value
        match self.type:
            case "number" | "integer":
                read = self._number(value)
            case "numbers" if not isinstance(value, tuple):
                read = self._numbers(str(value))
            case "names" | "rows":
                read = self._texts(value)
            case "text" if isinstance(value, str | int | float | PurePath):
                read = str(value)
            case "text":
                raise ScenarioError(f"must be text, {got(value)}", key=self.name)
            case "flag" if not isinstance(value, bool):
                raise ScenarioError(f"must be True or False, {got(value)}", key=self.name)
        allowed = tuple(self.choices() if callable(self.choices) else self.choices)
        for word in (read if isinstance(read, tuple) else (read,)) if allowed else ():
            check_among(word, allowed, self.name)
        return read

    def _number(self, value: Any) -> int | float:
        """The number as Python has it; raises ScenarioError."""
        is_whole, is_number = self.type == "integer", isinstance(value, Real)
        if isinstance(value, bool) or not is_number or (is_whole and value % 1):
            what = "a whole number" if is_whole else "a number"
            rule = f"must be {what} {self.range}".removesuffix(" finite")
            raise ScenarioError(f"{rule}, {got(value)}", key=self.name)
        number: int | float = value if isinstance(value, int) else float(value)
        if not finite(number) or number not in self.range:
            rule = f"must be {self.range}, got {format_number(number)}"
            raise ScenarioError(f"{rule}{hint_about(self.name, number)}", key=self.name)
        return int(number) if is_whole else number

    def _numbers(self, written: str) -> tuple[float, ...]:
        try:
            numbers = tuple(float(part) for part in written.split(","))
        except ValueError:
            numbers = ()
        if len(numbers) != self.size:
            rule = f"must be {self.size} numbers separated by commas, {got(written)}"
            raise ScenarioError(rule, key=self.name)
        return numbers

    def _texts(self, value: Sequence[str]) -> tuple[str, ...]:
        if not isinstance(value, str | list | tuple):
            raise ScenarioError(f"must be a list of texts, {got(value)}", key=self.name)
        words = value.split(",") if isinstance(value, str) else value
        texts = [str(word).strip() for word in words]
        return tuple(texts if self.type == "rows" else dict.fromkeys(filter(None, texts)))


def is_given(value: Any) -> bool:
    """True if an option has a value other than its empty one."""
    if isinstance(value, str | list | tuple):
        return bool(value)
    return value is not None and value is not False


def flag_of(name: str) -> str:
    """The flag of an option: --hash-range."""
    return f"--{name.replace('_', '-')}"


def find_option(options: Iterable[OptionSpec], key: str) -> OptionSpec | None:
    """The option that an error key refers to: by name, row or parameter; None if there is none."""
    for option in options:
        if key in (option.name, *option.argument.renames) or key.startswith(f"{option.name}."):
            return option
    return None


# Dataclasses.


class Keys(Struct, frozen=True):
    """The annotation of an option that is a table of protocol keys, one field for each key.

    options : returns the options, given the names of keys that are other fields.
    """

    options: Callable[[Iterable[str]], Iterable[OptionSpec]]


def split_hint(hint: Any) -> tuple[Any, dict[type, Any]]:
    """The type of an annotated hint without None, and the last annotation of each class."""
    extras: dict[type, Any] = {}
    while True:
        if get_origin(hint) is Annotated:
            hint, *more = get_args(hint)
            extras = {type(extra): extra for extra in more} | extras
        elif get_origin(hint) in (Union, UnionType):
            (hint,) = (part for part in get_args(hint) if part is not NoneType)
        else:
            return hint, extras


# Arguments.


def add_arguments(
    parser: argparse.ArgumentParser,
    options: Iterable[OptionSpec],
    above: Iterable[OptionSpec] = (),
) -> None:
    """Add options to the argument parser of a command.

    above : the options of the parent command; an option that is also there keeps the parent's value
        unless it is given.
    """
    either: Any = None
    options, above = [option for option in options if option.words is not None], [*above]
    needed = any(
        option.argument.needed or (option.argument.either and option.required) for option in options
    )
    for option in options:
        place: Any = find_group(parser, option.group) if option.group else parser
        if option.argument.either:
            place = either = either or place.add_mutually_exclusive_group(required=needed)
        more = _keywords(option)
        if option in above:
            more["default"] = argparse.SUPPRESS
        if option.argument.positional:
            place.add_argument(option.name, **more)
        else:
            flags = option.argument.flags or (option.flag,)
            flags += tuple(letter for name, letter in SHORT.items() if name == option.name)
            place.add_argument(*flags, dest=option.name, **more)
            if option.argument.aliases:
                hidden = {**more, "help": argparse.SUPPRESS, "default": argparse.SUPPRESS}
                parser.add_argument(*option.argument.aliases, dest=option.name, **hidden)


def find_group(parser: argparse.ArgumentParser, heading: str) -> Any:
    """The argument group under a heading, which is added if the parser has none."""
    groups = (group for group in parser._action_groups if group.title == heading)
    return next(groups, None) or parser.add_argument_group(heading)


def integer(text: str) -> int:
    """A whole number written as `1000000` or `1e6`; raises ArgumentTypeError."""
    number = read_number(text)
    if number is not None and abs(number) < 10**30 and number == number.to_integral_value():
        return int(number)
    raise argparse.ArgumentTypeError(f"must be a whole number below 1e30, {got(text)}")


def _float(text: str) -> float:
    number = read_number(text)
    try:
        return float(text if number is None else number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, {got(text)}") from None


def _keywords(option: OptionSpec) -> dict[str, Any]:
    """The keyword arguments of `add_argument` for an option."""
    argument = option.argument
    more: dict[str, Any] = {"help": option.words or None}
    if option.type == "flag":
        if option.default is False:
            return more | {"action": "store_true"}
        return more | {"action": "store_const", "const": False, "default": option.default}
    if option.metavar:
        more["metavar"] = option.metavar
    choices = option.choices if argument.choices is None else [*argument.choices()]
    if choices and not callable(choices):
        more["choices"] = choices
    if option.type in ("number", "integer"):
        more["type"] = _float if option.type == "number" else integer
    if argument.lower:
        more["type"] = str.lower
    if argument.repeated:
        return more | {"action": "append", "default": []}
    if option.type == "rows":
        more["nargs"] = "+" if option.required else "*"
    elif argument.positional and not option.required:
        more |= {"nargs": "?", "default": option.default}
    if not argument.positional:
        more |= {"default": option.default}
        if not argument.either:
            more["required"] = option.required
    return more
