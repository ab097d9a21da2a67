"""The command line: arguments in, exit code out. Imports nothing heavy before it knows the work."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TextIO

from ldptui.core.base.errors import LdpWarning
from ldptui.core.base.files import READ

from ..terminal import interrupts
from ..terminal.exits import BUG, DONE, FAILED, INTERRUPTED, NO_FILE, USAGE

if TYPE_CHECKING:
    from .common_options import Opening


LONGEST: Final = 2000
"""The characters of a sentence about an error, which may have names of others in it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`; returns the exit code and never raises an Exception."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _have_output()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", LdpWarning)
            warnings.showwarning = partial(_tell, set())
            try:
                code = _obey(arguments)
            except SystemExit as stop:  # argparse, after it has printed
                code = stop.code if isinstance(stop.code, int) else DONE
        _flush()
    except KeyboardInterrupt:
        _complain("ldptui: interrupted")
        code = INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough: `| head`
        _discard(sys.stdout)
        code = DONE
    except Exception as error:
        code = _explain(error, arguments)
        try:
            sys.stdout.flush()
        except OSError:  # what could not be written would fail once more at the very end
            _discard(sys.stdout)
    try:
        sys.stderr.flush()
    except OSError:  # the terminal is gone
        _discard(sys.stderr)
    return code


def _obey(arguments: list[str]) -> int:
    if not arguments:  # nothing to parse: the workbench is to be on the screen at once
        from .common_options import Opening

        return _open(Opening())
    if arguments in (["--help"], ["-h"]):
        from ..terminal.output import write_out
        from .command_help import overview

        write_out(overview())
        return DONE
    if arguments[0] in FORMER:
        _complain(f"note: ldptui {arguments[0]} is ldptui client {arguments[0]} from now on")
        arguments = ["client", *arguments]
    command, rest = arguments[0], arguments[1:]
    if command == "help":
        return _help(rest)
    chosen = parser_of(command)
    if chosen is not None:
        from .command_logs import log_command, split_log_options

        log, rest = split_log_options(rest)
        parsed = chosen.parse_args(rest)  # first: help needs nothing of what does the work
        del parsed.log_file, parsed.verbose
        with log_command(log.log_file, log.verbose, arguments):
            from .command import find_command

            row = find_command(command)
            if row is not None:
                return row.do(parsed)
            from ..questions import asking

            return asking.command(command, parsed)
    from .command import call_with
    from .common_options import Opening
    from .help_parser import app_parser

    parser = app_parser()
    parsed, more = parser.parse_known_args(arguments)
    options: Opening = call_with(Opening, vars(parsed))
    for place in options.places:
        if _is_command(place):
            parser.error(f"{place} is a command: it comes before its options")
    if options.protocol is None:
        more = [*options.places[1:], *more]
    if more:
        from ldptui.core.base.errors import closest

        close = closest(command, commands())
        hint = f", did you mean the command {close}?" if close else ""
        parser.error(f"unrecognized arguments: {' '.join(more)}{hint}")
    if options.version:
        from .program_pages import version

        return version(options.verbose)
    if options.verbose:
        parser.error("--verbose goes with --version")
    if options.protocol is None:
        _check_scenario(parser, options)
    return _open(options)


def _help(words: Sequence[str]) -> int:
    """The help of a command or of a protocol, or a line for each command."""
    from ..terminal.output import write_out

    parser = parser_of(words[0]) if words else None
    if words and parser is None:
        from ..questions.choices import kinds

        if words[0].lower() in kinds():
            from .command_help import protocol_help

            write_out(protocol_help(words[0].lower()))
            return DONE
        from ldptui.core.base.errors import ScenarioError, suggest

        hint = suggest(words[0], [*commands(), *kinds()], "")
        raise ScenarioError(f"must be a command or a protocol, got {words[0]}{hint}", "COMMAND")
    from .help_parser import app_parser

    write_out(app_parser().format_all() if parser is None else parser.format_help())
    return DONE


FORMER: Final = ("spec", "vectors")
"""Commands of old, which are actions of `client` now."""


def parser_of(command: str) -> argparse.ArgumentParser | None:
    """The argument parser of a command; None if there is no such command."""
    if not _is_command(command):
        return None
    from .command import find_command
    from .command_logs import add_log_options
    from .help_parser import HelpParser

    row = find_command(command)
    if row is not None:
        parser = row.parser(HelpParser)
    else:
        from ..questions import topics as lab

        parser = lab.parser(command, HelpParser)
    add_log_options(parser)
    return parser


def commands() -> tuple[str, ...]:
    """The names of all commands, then those of the lab's questions."""
    from ..questions import topics as lab
    from .command_list import MODULES

    return (*MODULES, *lab.find_names())


def _is_command(word: str) -> bool:
    """True for the name of a command; the topics of the lab are read for other words alone."""
    from .command_list import MODULES

    named = word[:1].isalpha() and word.replace("-", "").isalpha()
    return named and (word in MODULES or word in commands())


def _open(options: Opening) -> int:
    from .app_start import open_workbench

    places, collection = options.places, None
    if options.protocol is not None:
        from .reports_opening import read_opening

        places, collection = (), read_opening(options)
    scenario = places[0] if places else None
    return open_workbench(options, scenario, collection=collection, commands=commands)


def _check_scenario(parser: argparse.ArgumentParser, options: Opening) -> None:
    """Refuse what goes with reports where no protocol says of which kind they are."""
    reports = [place for place in options.places if place.lower().endswith(tuple(READ))]
    if reports:
        from ldptui.core.scenario import find_columns, is_table

        from ..session.scenario_file import locate

        path = locate(reports[0], commands)
        if not is_table(path) or find_columns(path) is None:
            wanted = "--protocol, --epsilon and --items or --domain are required to read reports"
            parser.error(f"{wanted} (ldptui estimate FILE says what a file looks like)")
    if options.epsilon or options.items or options.domain or options.settings:
        parser.error("--epsilon, --items, --domain and --set go with --protocol and reports")


def _explain(error: Exception, arguments: Sequence[str]) -> int:
    """Print an error as one line on standard error; returns the exit code."""
    from ldptui.core.base.errors import ContentError, FileError, LdpError, ScenarioError

    if isinstance(error, LdpError):
        sentence = str(error)
        if len(sentence) > LONGEST:
            sentence = f"{sentence[: LONGEST - 200]}…{sentence[-199:]}"
        _complain(sentence)
        kinds = {ScenarioError: USAGE, ContentError: USAGE, FileError: NO_FILE}
        return next((code for kind, code in kinds.items() if isinstance(error, kind)), FAILED)
    if isinstance(error, MemoryError):
        _complain("ldptui: there is not enough memory for this")
        return FAILED
    if interrupts.heard():
        _complain("ldptui: interrupted")
        return INTERRUPTED
    from ..terminal.crash import write_report

    report = write_report(error, arguments)
    where = f"; the report is in {report}" if report else ""
    _complain(f"ldptui: bug: {type(error).__name__}: {error}{where}")
    return BUG


def _tell(
    known: set[str],
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    *_: Any,
    **__: Any,
) -> None:
    """Show a warning as a note, once, where it is one of ours; else as Python does."""
    if isinstance(message, LdpWarning):
        if str(message) not in known:
            known.add(str(message))
            _complain(f"ldptui: {message}")
    else:
        _complain(warnings.formatwarning(message, category, filename, lineno))


def _complain(sentence: str) -> None:
    from ..terminal.output import note

    with contextlib.suppress(OSError, ValueError):
        note(sentence)


def _have_output() -> None:
    """Replace a stream that was closed (`>&-`) by one that goes nowhere."""
    # Typed as never None, but None is what Python puts there.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123


def _flush() -> None:
    """Write out what is left for standard output, the help of argparse too; raises FileError."""
    from ..terminal.output import write_out

    write_out("")


def _discard(stream: TextIO) -> None:
    """Nothing more can be written: keep the interpreter from trying again when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
