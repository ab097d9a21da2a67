"""The options of a question, read from the signature of its function.

A parameter is an option. Its annotation has its type, its range, the word for its value
(`METAVAR`), what an argument of the command is (`Argument`), what a field of the form is (`Blank`)
and which words it may be (`Among`). The docstring's section Parameters has what is said of it.
Nothing here imports NumPy.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct

from ldptui.core.base.errors import ScenarioError, check_among, got, spelled
from ldptui.core.base.ranges import Range

from .options import ANY, Argument, Blank, Keys, Line, Option, split_hint, type_of

AS_GIVEN: Final = ("scenario", "protocol", "sender", "clients", "value")
"""The roles of options that Python gives as other values than texts."""
REQUIRED: Final = inspect.Parameter.empty
_PARAMETER: Final = re.compile(r"^(\w+) : (.+(?:\n    .+)*)", re.MULTILINE)


class Among(Struct, frozen=True):
    """The annotation of an option that is one of some words; load : makes them when one is read."""

    load: Callable[[], Iterable[str]]


class Group(Struct, frozen=True):
    """The annotation of an option that stands under a heading in the help of the command."""

    heading: str


class OnlyIf(Struct, frozen=True):
    """The annotation of an option that is valid only with another one; why : said of it."""

    option: str
    why: str = ""


class Without(Struct, frozen=True):
    """The annotation of an option that is not valid with another one."""

    option: str


class Parameter(Struct, frozen=True):
    """An option, and what its annotation says of its value.

    among : the words that it may be, None where anything may be given. needs, excludes : the other
    options that it is valid with, and not valid with.
    """

    option: Option
    among: Callable[[], Iterable[str]] | None = None
    needs: OnlyIf | None = None
    excludes: Without | None = None

    def check_beside(self, given: Mapping[str, Any]) -> None:
        """Raise ScenarioError where the option is given and not valid beside the others."""
        if not is_given(given.get(self.option.name)):
            return
        if self.needs is not None and not is_given(given.get(self.needs.option)):
            why = f", {self.needs.why}" if self.needs.why else ""
            raise ScenarioError(f"goes with {self.needs.option}{why}", key=self.option.name)
        if self.excludes is not None and is_given(given.get(self.excludes.option)):
            raise ScenarioError(f"cannot be given with {self.excludes.option}", self.option.name)

    def check(self, value: Any) -> Any:
        """The value as the function takes it; raises ScenarioError with the option's name as key.

        Numbers of NumPy are numbers, and 1e6 is a whole number.
        """
        option = self.option
        if value is None or value is option.default:
            return value
        if option.argument.role == "reports" or (
            option.argument.role in AS_GIVEN and not isinstance(value, str)
        ):
            return value
        if option.type == "flag" and not isinstance(value, bool):
            raise ScenarioError(f"must be True or False, {got(value)}", key=option.name)
        if option.type == "integer" and _is_whole(value):
            value = int(value)
        elif option.type == "number" and isinstance(value, Real) and not isinstance(value, bool):
            value = float(value) if not isinstance(value, int) else value
        read = option.read(value)
        allowed = option.choices or (() if self.among is None else tuple(self.among()))
        for word in (read if isinstance(read, tuple) else (read,)) if allowed else ():
            check_among(word, allowed, option.name)
        return read


def is_given(value: Any) -> bool:
    """Return whether the value of an option is more than none."""
    if isinstance(value, str | list | tuple):
        return bool(value)
    return value is not None and value is not False


def _is_whole(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())


def read_parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a function, in their order, with the words of its docstring."""
    hints, words = read_hints(function), read_words(function)
    read = []
    for name, parameter in inspect.signature(function).parameters.items():
        hint, default = hints[name], parameter.default
        keys = split_hint(hint)[1].get(Keys)
        if parameter.kind is parameter.VAR_KEYWORD and keys is not None:
            read += [Parameter(option) for option in keys.options(hints)]
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            hint, default = tuple_of(hint), ()
        read.append(read_parameter(name, hint, default, words.get(name)))
    return tuple(read)


def read_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of the parameters; that of the answer may be one which is not loaded."""
    own = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    space = SimpleNamespace(__annotations__=own)
    return get_type_hints(space, function.__globals__, include_extras=True)


def tuple_of(hint: Any) -> Any:
    """The hint of any number of values, from that of one."""
    base, extras = split_hint(hint)
    return Annotated[(tuple[base, ...], *extras.values())]  # type: ignore[valid-type]


def read_parameter(name: str, hint: Any, default: Any, words: str | None) -> Parameter:
    base, extras = split_hint(hint)
    argument = extras.get(Argument, Argument())
    required = default is REQUIRED
    group = extras.get(Group, Group(""))
    shown = None if words is None else _with_default(words, None if required else default)
    option = Option(
        name,
        type_of(base, argument),
        extras.get(Range, ANY),
        size=len(get_args(base)),
        choices=get_args(base) if get_origin(base) is Literal else (),
        default=None if required else default,
        required=required,
        argument=argument,
        line=None if shown is None else Line(extras.get(str, ""), shown, group.heading),
        blank=extras.get(Blank),
    )
    among = extras.get(Among)
    load = None if among is None else among.load
    return Parameter(option, load, extras.get(OnlyIf), extras.get(Without))


def _with_default(words: str, default: Any) -> str:
    """The words of an argument as argparse takes them, with what holds where it is left out."""
    if isinstance(default, int | float) and not isinstance(default, bool):
        words += f" ({spelled(default)})"
    elif isinstance(default, str) and default:
        words += f" ({default})"
    return words.replace("%", "%%")


def read_words(function: Callable[..., Any]) -> Mapping[str, str]:
    """The words of each parameter in the docstring of a function."""
    found = _PARAMETER.findall(inspect.getdoc(function) or "")
    return {name: " ".join(words.split()) for name, words in found}


def read_example(function: Callable[..., Any]) -> str:
    """The lines below the heading Examples in the docstring of a function."""
    _, _, example = (inspect.getdoc(function) or "").partition("Examples\n--------\n")
    return example.strip()


def read_heading(function: Callable[..., Any]) -> str:
    """The first paragraph of the docstring of a function."""
    return (inspect.getdoc(function) or "").partition("\n\n")[0]


def refuse_both(options: Mapping[str, Any], names: Iterable[str], *, needed: bool) -> None:
    """Raise ScenarioError where several of some options are given, or none of them is needed."""
    given = [name for name in names if options.get(name) is not None]
    if len(given) > 1:
        raise ScenarioError(f"cannot be given with {given[0]}", key=given[1])
    if needed and not given:
        first, *others = names
        raise ScenarioError(f"is required, or {' or '.join(others)}", key=first)
