"""The parser of a command: argparse, with help that a reader takes in and errors of one line.

The usage names what is required alone, and the keys of protocols, which are options of many
commands, are listed without their meanings: `ldptui help olh` has those of a protocol.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final, NoReturn

from ldptui.core.base.errors import ScenarioError, check_among

from ..questions.options import add_arguments
from ..questions.parameters import KEYS_HEADING
from ..questions.signature import read_heading
from ..terminal import exits
from ..terminal.output import encodable, write_out
from .command import read_options
from .command_help import USAGE, overview, rest_of_help
from .common_options import Opening

SUBJECT: Final = "what its keys mean: ldptui help PROTOCOL, as ldptui help olh"
"""Said of the keys of protocols in the help of a command."""


class HelpParser(argparse.ArgumentParser):
    """argparse with short help, errors that are one line, and text that any terminal can show."""

    _words: Sequence[str] = ()

    def __init__(self, *args: Any, **more: Any) -> None:
        more |= {
            "formatter_class": argparse.RawDescriptionHelpFormatter,
            "allow_abbrev": False,
            "add_help": False,
        }
        super().__init__(*args, **more)
        self._positionals.title = "arguments"
        self.add_argument("--help", "-h", action="help", help="show this help")

    def format_help(self) -> str:
        formatter = self._get_formatter()
        width = formatter._width
        formatter.add_usage(self.usage or " ".join(self._usage_words()), [], [])
        formatter.add_text(textwrap.fill(" ".join((self.description or "").split()), width))
        for group in sorted(self._action_groups, key=lambda each: each.title == KEYS_HEADING):
            formatter.start_section(group.title)
            if group.title == KEYS_HEADING:
                flags = ", ".join(action.option_strings[0] for action in group._group_actions)
                words = [flags, SUBJECT]
                formatter.add_text("\n".join(textwrap.fill(each, width - 2) for each in words))
            else:
                formatter.add_arguments(group._group_actions)
            formatter.end_section()
        formatter.add_text(_mark_examples(self.epilog or ""))
        return formatter.format_help()

    def _usage_words(self) -> Iterator[str]:
        """The name of the command, its arguments, the options that it requires, "[options]"."""
        yield self.prog
        several = {
            id(action): group
            for group in self._mutually_exclusive_groups
            if group.required
            for action in group._group_actions
        }
        for action in sorted(self._actions, key=lambda each: bool(each.option_strings)):
            name = action.metavar or action.dest.upper()
            if not action.option_strings:
                name = f"{name} …" if action.nargs in ("+", "*") else str(name)
                optional = action.nargs in ("?", "*", argparse.PARSER)
                yield f"[{name}]" if optional else name
            elif action.required:
                yield f"{action.option_strings[0]} {name}"
            elif id(action) in several:
                group = several.pop(id(action))._group_actions
                for each in group:
                    several.pop(id(each), None)
                either = (f"{each.option_strings[0]} {each.metavar}" for each in group)
                yield f"({' | '.join(either)})"
        yield "[options]"

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            write_out(message)
            return
        with contextlib.suppress(OSError):
            sys.stderr.write(encodable(message, sys.stderr))
            sys.stderr.flush()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._words = [*(sys.argv[1:] if args is None else args)]
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None:
            return
        try:
            check_among(value, action.choices, "")
        except ScenarioError as error:
            raise argparse.ArgumentError(action, error.rule) from None

    def error(self, message: str) -> NoReturn:
        words = itertools.takewhile(lambda word: word != "--", self._words)
        flags = [word.partition("=")[0] for word in words if word.startswith("--")]
        unknown = [flag for flag in flags if flag not in self._option_string_actions]
        if unknown and "required" in message and self._subparsers is None:
            message = f"unrecognized arguments: {' '.join(unknown)}"  # explains what is missing
        sentence = " ".join(message.removeprefix("argument ").split())
        self.exit(exits.USAGE, f"{self.prog}: {sentence} (see {self.prog} --help)\n")


class AppParser(HelpParser):
    """The parser of `ldptui` without a command, whose help is one screen."""

    def format_help(self) -> str:
        return overview()

    def format_all(self) -> str:
        """The help of the workbench's options, and a line for each command."""
        self.epilog = rest_of_help()
        return super().format_help()


def app_parser() -> AppParser:
    """The argument parser of `ldptui` without a command."""
    parser = AppParser("ldptui", USAGE, read_heading(Opening))
    add_arguments(parser, [option for _, option in read_options(Opening)])
    return parser


def _mark_examples(written: str) -> str:
    """The text below the options: sentences as they are, command lines under a heading."""
    lines = written.splitlines()
    examples = [f"  {line}" for line in lines if line.startswith("ldptui ")]
    sentences = [line for line in lines if not line.startswith("ldptui ")]
    if examples:
        sentences += [*([""] * bool(sentences)), f"example{'s' * (len(examples) > 1)}:"]
    return "\n".join([*sentences, *examples])
