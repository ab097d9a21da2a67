"""A command is a function: its signature has its options, its docstring their words.

The docstring's first line stands in the list of commands; the next paragraph, where there is one,
above the options in the help; Parameters has a line for each option, and Examples stands beneath.
A parameter whose type is a frozen dataclass stands for options that several commands have side by
side: it is made here, of the arguments. The functions are in the module of their group, and import
what does the work when they run. Nothing here imports NumPy.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, TypeGuard, get_type_hints

from ldptui.core.base.errors import ScenarioError, format_number
from ldptui.core.base.ranges import Range, finite

from ..questions.choices import kinds, numbers
from ..questions.options import Argument, Keys, OptionSpec, add_arguments, flag_of, split_hint
from ..questions.signature import read_example, read_heading, read_parameter, read_words
from .command_list import MODULES
from .common_options import Help
from .result_formats import list_formats


@dataclass(frozen=True)
class Command:
    """A function as a command of the command line. actions : its subcommands by name."""

    name: str
    function: Callable[..., Any]
    actions: Mapping[str, Callable[..., int]]

    @cached_property
    def options(self) -> list[OptionSpec]:
        return [option for _, option in read_options(self.function)]

    @property
    def summary(self) -> str:
        """The command's line in the list of commands."""
        return read_heading(self.function)

    @property
    def usage(self) -> str:
        """The command's name and its arguments without a flag."""
        named = [
            (option.flag or option.name.upper(), option.required)
            for option in self.options
            if option.argument.positional
        ]
        words = [flag if required else f"[{flag}]" for flag, required in named]
        words += ["ACTION"] if self.actions and "list" not in self.actions else []
        return " ".join([self.name, *words])

    def parser(self, make: type[argparse.ArgumentParser]) -> argparse.ArgumentParser:
        """The command's argument parser, an instance of the given class."""
        example = read_example(self.function)
        parser = make(f"ldptui {self.name}", None, describe(self.function), example)
        add_arguments(parser, self.options)
        if not self.actions:
            return parser
        actions = parser.add_subparsers(dest="action", metavar="ACTION")
        for name, function in self.actions.items():
            sub = actions.add_parser(
                name, help=read_heading(function), description=describe(function)
            )
            options = [option for _, option in read_options(function)]
            add_arguments(sub, options, above=self.options)
        return parser

    def do(self, parsed: argparse.Namespace) -> int:
        """Run the command with parsed arguments; returns the exit code."""
        values = dict(vars(parsed))
        function = self.actions.get(values.pop("action", None) or "", self.function)
        code: int = call_with(function, values)
        return code


def find_command(name: str) -> Command | None:
    """A command by its name, with its module imported; None if there is none."""
    if name not in MODULES:
        return None
    module = import_module(MODULES[name])
    actions = getattr(module, "ACTIONS", {}).get(name, {})
    return Command(name, getattr(module, name), actions)


def read_options(function: Callable[..., Any]) -> Iterator[tuple[str, OptionSpec]]:
    """Yields the options of a function or dataclass, each with the parameter it belongs to."""
    hints = get_type_hints(function, include_extras=True)
    words = read_words(function)
    for name, parameter in inspect.signature(function).parameters.items():
        base, extras = split_hint(hints[name])
        if is_group(base):
            yield from ((name, option) for _, option in read_options(base))
        elif Keys in extras:
            yield from ((name, option) for option in extras[Keys].options(hints))
        else:
            said = words.get(name, extras.get(Help, Help()).words)
            yield name, read_parameter(name, hints[name], parameter.default, fill_words(said))


def call_with(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """The result of a function, or a dataclass, made from the values of its options."""
    hints = get_type_hints(function, include_extras=True)
    given: dict[str, Any] = {}
    for name in inspect.signature(function).parameters:
        base, extras = split_hint(hints[name])
        if is_group(base):
            given[name] = call_with(base, values)
        elif Keys in extras:
            others = (option.name for option in extras[Keys].options(hints))
            given |= {key: values[key] for key in others if values.get(key)}
        else:
            value = values[name]
            allowed = extras.get(Range)
            if allowed and value is not None and not (finite(value) and value in allowed):
                flags = extras.get(Argument, Argument()).flags or (flag_of(name),)
                raise ScenarioError(f"must be {allowed}, got {format_number(value)}", key=flags[0])
            given[name] = tuple(value) if isinstance(value, list) else value
    return function(**given)


def is_group(hint: Any) -> TypeGuard[type[Any]]:
    """True if a parameter's type is a group of several options."""
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


def describe(function: Callable[..., Any]) -> str:
    """The description of a command in its help: the second paragraph of the docstring, else the
    first.
    """
    first, *others = (inspect.getdoc(function) or "").split("\n\n")
    if others and not others[0].startswith(("Parameters\n", "Examples\n")):
        return others[0]
    return f"{first[0].upper()}{first[1:]}."


def fill_words(words: str) -> str:
    """A help text with the kinds of protocols and the formats of a command filled in."""
    for name, listed in (("{kinds}", kinds), ("{numbers}", numbers)):
        if name in words:
            words = words.replace(name, ", ".join(listed()))
    return re.sub(r"\{formats of (\w+)\}", lambda found: list_formats(found[1]), words)
