"""The options of a question, read from the signature of its function.

A parameter is an option. Its annotation has its type, its range, the word for its value
(`METAVAR`), what an argument of the command is (`Argument`), what a field of the form is (`Blank`)
and which words it may be (`AllowedWords`). The docstring's section Parameters has what is said
of it. Nothing here imports NumPy.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from ldptui.core.base.errors import ScenarioError, format_number
from ldptui.core.base.ranges import Range

from .options import (
    ANY,
    AllowedWords,
    Argument,
    Blank,
    HelpGroup,
    Keys,
    OnlyIf,
    OptionSpec,
    Type,
    Without,
    split_hint,
)

TYPES: Final[Mapping[Any, Type]] = {
    float: "number",
    int: "integer",
    bool: "flag",
    str: "text",
    Any: "text",
}
REQUIRED: Final = inspect.Parameter.empty
_PARAMETER: Final = re.compile(r"^(\w+) : (.+(?:\n    .+)*)", re.MULTILINE)


def read_parameters(function: Callable[..., Any]) -> tuple[OptionSpec, ...]:
    """The parameters of a function as options, in order, with the words of its docstring."""
    hints, words = read_hints(function), read_words(function)
    read: list[OptionSpec] = []
    for name, parameter in inspect.signature(function).parameters.items():
        hint, default = hints[name], parameter.default
        keys = split_hint(hint)[1].get(Keys)
        if parameter.kind is parameter.VAR_KEYWORD and keys is not None:
            read += keys.options(hints)
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            hint, default = tuple_of(hint), ()
        read.append(read_parameter(name, hint, default, words.get(name)))
    return tuple(read)


def read_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of the parameters; the type of the answer may not be imported."""
    own = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    space = SimpleNamespace(__annotations__=own)
    return get_type_hints(space, function.__globals__, include_extras=True)


def tuple_of(hint: Any) -> Any:
    """The type hint of a tuple of values with the hint `hint`."""
    base, extras = split_hint(hint)
    return Annotated[(tuple[base, ...], *extras.values())]  # type: ignore[valid-type]


def read_parameter(name: str, hint: Any, default: Any, words: str | None) -> OptionSpec:
    base, extras = split_hint(hint)
    argument = extras.get(Argument, Argument())
    required = default is REQUIRED
    group = extras.get(HelpGroup, HelpGroup(""))
    shown = None if words is None else _with_default(words, None if required else default)
    literal = get_args(base) if get_origin(base) is Literal else ()
    return OptionSpec(
        name,
        type_of(base, argument),
        extras.get(Range, ANY),
        size=len(get_args(base)),
        choices=extras[AllowedWords].load if AllowedWords in extras else literal,
        default=None if required else default,
        required=required,
        argument=argument,
        words=shown,
        metavar=extras.get(str, ""),
        group=group.heading,
        blank=extras.get(Blank),
        needs=extras.get(OnlyIf),
        excludes=extras.get(Without),
    )


def type_of(base: Any, argument: Argument) -> Type:
    if argument.role == "reports":
        return "rows"
    if get_origin(base) is Literal:
        return TYPES[type(get_args(base)[0])]
    if get_origin(base) is tuple:
        texts: Type = "rows" if argument.positional else "names"
        return "numbers" if get_args(base)[0] is float else texts
    return TYPES[base]


def _with_default(words: str, default: Any) -> str:
    """The help of an argument with its default, escaped for argparse."""
    if isinstance(default, int | float) and not isinstance(default, bool):
        words += f" ({format_number(default)})"
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
    """Raise ScenarioError if several of these options are given, or none although one is needed."""
    given = [name for name in names if options.get(name) is not None]
    if len(given) > 1:
        raise ScenarioError(f"cannot be given with {given[0]}", key=given[1])
    if needed and not given:
        first, *others = names
        raise ScenarioError(f"is required, or {' or '.join(others)}", key=first)
