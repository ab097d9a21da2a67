"""All commands as one parser, for completion in shells and the man page: ldptui completion."""

from __future__ import annotations

import argparse
from typing import Any, Final

import shtab

from ldptui import scenarios

from ..terminal import exits
from ..terminal.output import write_out
from .cli import commands, parser_of
from .help_parser import app_parser

_FILES: Final = ("FILE", "PATH", "DATA", "REPORTS", "RUN|FILE")
"""The names of arguments whose value is a file."""


def print_script(shell: str) -> int:
    """Print the completion script of a shell; returns the exit code."""
    write_out(script(shell), exactly=True)
    return exits.DONE


def script(shell: str) -> str:
    """The script that completes commands, options, choices, files and scenarios in a shell."""
    return f"{shtab.complete(whole(), shell)}\n"


def whole() -> argparse.ArgumentParser:
    """The parser of `ldptui` with the parser of each command below it, for completion scripts."""
    made = app_parser()
    made._positionals._group_actions.clear()
    made._actions = [action for action in made._actions if action.option_strings]
    below = made.add_subparsers(title="commands", parser_class=argparse.ArgumentParser)
    for command in commands():
        if (parser := parser_of(command)) is not None:
            first = " ".join((parser.description or "").split()).partition(". ")[0]
            below.add_parser(
                command,
                prog=f"ldptui {command}",
                parents=[parser],
                add_help=False,
                help=first.rstrip(".").replace("%", "%%"),
                description=parser.description,
                formatter_class=parser.formatter_class,
            )
    _complete(made)
    return made


def _complete(parser: argparse.ArgumentParser) -> None:
    """Say of each argument below a parser what completes it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for nested in action.choices.values():
                _complete(nested)
        elif action.metavar in (*_FILES, "SCENARIO"):
            completed: Any = action
            completed.complete = _scenarios() if action.metavar == "SCENARIO" else shtab.FILE


def _scenarios() -> dict[str, Any]:
    """The completions of a scenario: the names of those that are bundled, and files."""
    names = " ".join(scenarios.names())
    return {
        "bash": "_ldptui_scenarios",
        "zsh": "_ldptui_scenarios",
        "fish": f"{names} (__fish_complete_suffix .toml)",
        "tcsh": "f:*.toml",
        "preamble": {
            "bash": f'_ldptui_scenarios() {{ compgen -W "{names}" -- "$1"; compgen -f -- "$1"; }}',
            "zsh": f"_ldptui_scenarios() {{ compadd {names}; _files }}",
        },
    }
