"""The command line: arguments in, exit code out. Imports nothing heavy before it knows the work."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NoReturn, TextIO

from ..session import attack_options
from ..terminal import interrupts
from ..terminal.exits import BUG, DONE, FAILED, INTERRUPTED, NO_FILE, USAGE
from . import collecting_options, library_options
from .runs import options as run_options

_MODULES: Final = {
    "run": "runs.keeping",
    "theory": "theory",
    "scenarios": "library",
    "schema": "library",
    "cite": "citing",
    "keys": "keyboard",
    "docs": "pages",
    "completion": "completion",
    "serve": "serve",
    "runs": "runs.actions",
    "resume": "runs.keeping",
    "replay": "runs.playing",
    "record": "runs.keeping",
    "record-cast": "casting",
    "compare": "runs.comparing",
    "game": "runs.game",
    "perturb": "collecting",
    "estimate": "estimating",
    "spec": "specifying",
    "screen": "screen",
    "audit": "audit.auditing",
    "vectors": "vectors",
    "conclude": "concluding",
    "plot": "runs.plotting",
}
"""The module of each command, which has a function of its name, with _ in place of -."""

_COMMANDS: Final = """\
commands (each has its own --help):
  run SCENARIO         simulate, and print what was measured beside its closed form
  theory PROTOCOL      the closed forms alone: p, q, variance, gain of each attack
  scenarios            list, show, copy or check scenarios
  schema               the JSON Schema of a scenario file
  cite [SCENARIO]      BibTeX of ldptui, and of the papers behind a scenario
  keys                 every key of the workbench, as a table for the settings file
  docs [PAGE]          the pages of the documentation, in a browser
  completion SHELL     a script that completes commands in a shell
  serve [SCENARIO]     the workbench in a browser
  runs                 the runs that are kept: list, show, tag, export, import, remove
  resume RUN           go on with a run that was interrupted
  replay RUN|FILE      compute a kept run again and compare
  record SCENARIO      simulate into one file to be shared
  record-cast          film the workbench while a sweep plays, for asciinema
  compare A B          the differences of two runs
  plot SCENARIO|RUN    draw a chart for paper
  game RUN|FILE        attacks × defences of a run as a matrix game
  perturb DATA         a report for each row of real data
  spec KIND            the page of a protocol for whoever writes its client
  audit CLIENT …       whether clients of any language keep their ε
  vectors KIND         items, draws and reports to test a client with
{topics}

examples:
  ldptui                                 open the workbench
  ldptui my.toml                         open it on a scenario of yours
  ldptui run quickstart                  run a bundled scenario
  ldptui run my.toml --set attack.share=0.1 --format json --out result.json
  ldptui theory oue --epsilon 1 --items 1024 --users 100000
  ldptui theory rappor --f 0.5 --bits 128 --items 200 --users 1000000

exit codes: 0 done, 1 the run failed, 2 bad usage, scenario or data, 3 a file could not
be read or written, 4 a replay drawn by another NumPy that is statistically the same,
70 a bug, 130 interrupted (what is finished is printed)
"""


class _Parser(argparse.ArgumentParser):
    """argparse, with errors that are one line, and help that any terminal can show."""

    def _print_message(self, message: str, file: Any = None) -> None:
        from ..terminal.output import encodable, write_out

        if file is sys.stdout:
            write_out(message)
            return
        with contextlib.suppress(OSError):
            sys.stderr.write(encodable(message, sys.stderr))
            sys.stderr.flush()

    def error(self, message: str) -> NoReturn:
        sentence = " ".join(message.removeprefix("argument ").split())
        self.exit(USAGE, f"{self.prog}: {sentence} (see {self.prog} --help)\n")


def _parser(prog: str, description: str, epilog: str | None = None) -> _Parser:
    return _Parser(
        prog=prog,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


class _AppParser(_Parser):
    """The parser of `ldptui` without a command; the lab's topics are read for its help alone."""

    def format_help(self) -> str:
        from ..lab import topics as lab

        lines = [f"  {topic.usage:<20} {topic.summary}" for topic in lab.TOPICS.values()]
        self.epilog = _COMMANDS.format(topics="\n".join(lines))
        return super().format_help()


def app_parser() -> argparse.ArgumentParser:
    """The arguments of `ldptui` without a command."""
    parser = _AppParser(
        prog="ldptui",
        description="A terminal workbench for local differential privacy and the attacks on it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.usage = (
        "ldptui [options] [SCENARIO]\n"
        "       ldptui REPORTS … --protocol KIND --epsilon E (--items D | --domain FILE)\n"
        "       ldptui COMMAND [options] …"
    )
    parser.add_argument(
        "places",
        nargs="*",
        metavar="SCENARIO",
        help="open this: a TOML file, or the name of a bundled scenario; with --protocol files of "
        "reports",
    )
    collecting_options.add_opened(parser)
    parser.add_argument("--theme", metavar="NAME", help="colours of the workbench")
    parser.add_argument(
        "--charset",
        choices=("auto", "ascii", "block", "braille"),
        help="what charts are drawn with (auto)",
    )
    parser.add_argument("--config", metavar="FILE", help="read the settings from here")
    parser.add_argument(
        "--no-mouse", dest="mouse", action="store_const", const=False, help="keyboard only"
    )
    run_options.add_store(parser)
    parser.add_argument(
        "--no-store", dest="keep", action="store_false", help="keep no runs, and show none"
    )
    attack_options.add_to(parser)
    run_options.add_cluster(parser)
    parser.add_argument("--log-file", metavar="FILE", help="write a log here")
    parser.add_argument("--version", action="store_true", help="print the version, and leave")
    parser.add_argument(
        "--verbose", action="store_true", help="with --version: also what computes, and how"
    )
    return parser


def run_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "ldptui run",
        "Simulate a scenario and print what was measured, ± its standard error, beside the\n"
        "closed form. SCENARIO is a TOML file or the name of a bundled scenario.",
        "Ctrl-C prints what is finished, marked partial.",
    )
    _add_scenario(parser)
    run_options.add_keeping(parser)
    run_options.add_results(parser)
    return parser


def _add_scenario(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a scenario, change it and say how to run it."""
    parser.add_argument("scenario", metavar="SCENARIO")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key, as in attack.share=0.1; replaces its sweep, and a goal the share or the "
        "other way round; may be repeated",
    )
    parser.add_argument("--trials", type=int, metavar="N", help="trials of each cell")
    parser.add_argument("--seed", type=int, metavar="N", help="the seed of all random numbers")
    parser.add_argument(
        "--path",
        choices=("auto", "counts", "reports"),
        help="draw the counts, or every user's report",
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument(
        "--no-limits", dest="limits", action="store_false", help="lift the limits on sizes"
    )
    attack_options.add_to(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no notes")


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the arguments say; returns the exit code and never raises an Exception."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _have_output()
    try:
        code = _dispatch(arguments)
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


def _dispatch(arguments: list[str]) -> int:
    try:
        return _obey(arguments)
    except SystemExit as stop:  # argparse, after it has printed
        return stop.code if isinstance(stop.code, int) else DONE


def _obey(arguments: list[str]) -> int:
    if not arguments:
        parser = app_parser()
        return _open(parser, parser.parse_args(arguments))
    command, rest = arguments[0], arguments[1:]
    chosen = parser_of(command)
    if chosen is not None:
        options = chosen.parse_args(rest)  # first: help needs nothing of what does the work
        return _work(command)(options)
    parser = app_parser()
    options, more = parser.parse_known_args(arguments)
    for place in options.places:
        if place in commands():
            parser.error(f"{place} is a command: it comes before its options")
    if options.protocol is None:
        more = [*options.places[1:], *more]
    if more:
        close = difflib.get_close_matches(command, commands(), n=1)
        hint = f", did you mean the command {close[0]}?" if close else ""
        parser.error(f"unrecognized arguments: {' '.join(more)}{hint}")
    if options.version:
        from .version import version

        return version(options.verbose)
    if options.verbose:
        parser.error("--verbose goes with --version")
    return _open(parser, options)


def parser_of(command: str) -> argparse.ArgumentParser | None:
    """The parser of a command; None where there is none of that name."""
    if command == "run":
        return run_parser()
    if command == "theory":
        from . import theory_options

        return theory_options.parser(command, _parser)
    if command in library_options.COMMANDS:
        return library_options.parser(command, _parser)
    if command in collecting_options.COMMANDS:
        return collecting_options.parser(command, _parser)
    if command in run_options.COMMANDS:
        return run_options.parser(command, _parser, _add_scenario)
    from ..lab import topics as lab  # 25 ms, of which what is above needs nothing

    if command not in lab.TOPICS:
        return None
    return lab.parser(command, _parser)


def commands() -> tuple[str, ...]:
    """The names of all commands, the topics of the lab last."""
    from ..lab import topics as lab

    groups = (library_options, collecting_options, run_options)
    named = (name for group in groups for name in group.COMMANDS)
    return tuple(dict.fromkeys(("run", "theory", *named, *lab.TOPICS)))


def _work(command: str) -> Callable[[argparse.Namespace], int]:
    """The function behind a command."""
    if command in _MODULES:
        work: Callable[[argparse.Namespace], int] = getattr(
            _module(command), command.replace("-", "_")
        )
        return work
    from ..lab import asking

    return partial(asking.command, command)


def _module(command: str) -> Any:
    """The module behind a command. It is imported now, when it is known to be needed."""
    from importlib import import_module

    return import_module(f"{__package__}.{_MODULES[command]}")


def _open(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """The workbench."""
    from importlib import import_module, util

    if util.find_spec("ldptui.commands.start") is None:
        parser.print_help()
        return DONE
    places, collection = options.places, None
    if options.protocol is not None:
        collection = import_module("ldptui.commands.agreeing").collection(options)
        places = []
    else:
        collecting_options.check_scenario(parser, options)
    code: int = import_module("ldptui.commands.start").open_workbench(
        places[0] if places else None,
        theme=options.theme,
        charset=options.charset,
        config=options.config,
        mouse=options.mouse,
        allow_attacks=options.allow_attacks,
        attack_files=options.attack_files,
        cluster=options.cluster,
        log_file=options.log_file,
        store=options.store,
        keep=options.keep,
        collection=collection,
    )
    return code


def _explain(error: Exception, arguments: Sequence[str]) -> int:
    """One line on standard error; the exit code."""
    from ldptui.core.base.errors import ContentError, FileError, LdpError, ScenarioError

    if isinstance(error, LdpError):
        _complain(str(error))
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
