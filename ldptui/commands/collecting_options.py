"""The arguments of the commands of `ldptui.commands.collecting`. Imports nothing heavy."""

from __future__ import annotations

import argparse
from typing import Final

from ldptui.core.base.files import FORMATS

from .runs.options import MakeParser

COMMANDS: Final = ("perturb", "estimate", "spec", "screen", "audit", "conclude", "vectors")


def parser(command: str, make: MakeParser) -> argparse.ArgumentParser:
    """The parser of one of COMMANDS; make : a parser from its name and description."""
    parsers = {
        "perturb": _perturb, "estimate": _estimate, "spec": _spec, "screen": _screen,
        "audit": _audit, "conclude": _conclude, "vectors": _vectors,
    }  # fmt: skip
    return parsers[command](make)


def _perturb(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui perturb",
        "Perturb real data: a report for each row of a table, written as docs/reports.md says.",
    )
    made.add_argument(
        "data", metavar="DATA", help="a user a row: CSV with a header, Parquet or Arrow"
    )
    made.add_argument("--column", metavar="NAME", help="the column of the users' items or numbers")
    _add_protocol(made, numbers=True)
    made.add_argument(
        "--clip", action="store_true", help="take the nearer end for numbers outside the range"
    )
    made.add_argument(
        "--for-tests",
        action="store_true",
        help="with --seed: reports that protect nobody, as their column for_tests says",
    )
    made.add_argument("--seed", type=int, metavar="N", help="with --for-tests: draw them again")
    made.add_argument(
        "--out", metavar="FILE", required=True, help="the reports: .csv, .jsonl, .parquet or .arrow"
    )
    _add_force(made)
    return made


def _estimate(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui estimate",
        "Estimate the frequencies of items from reports, with an interval for each item; of\n"
        "numbers their mean, and their distribution.",
    )
    made.add_argument(
        "reports",
        metavar="REPORTS",
        nargs="+",
        help="files (.csv, .jsonl, .parquet, .arrow, .counts), folders, patterns, - for standard "
        "input",
    )
    _add_input_format(made)
    _add_protocol(made, numbers=True)
    made.add_argument(
        "--parts", type=int, metavar="K", help="of numbers: their distribution over K equal parts"
    )
    made.add_argument(
        "--fit", choices=("ems", "em"), help="with it: smoothed (ems) or the likeliest (em)"
    )
    made.add_argument(
        "--correct",
        dest="corrections",
        action="append",
        default=[],
        metavar="KIND",
        help="a correction, such as norm-sub; may be repeated. Intervals then need --coverage",
    )
    made.add_argument(
        "--confidence", type=float, default=0.95, metavar="C", help="of each interval (0.95)"
    )
    made.add_argument(
        "--coverage",
        action="store_true",
        help="simulate how often the intervals cover",
    )
    made.add_argument(
        "--by", metavar="COLUMN", help="estimate the groups that another column of the files names"
    )
    made.add_argument(
        "--simultaneous", action="store_true", help="also intervals that cover all items together"
    )
    made.add_argument(
        "--top",
        type=int,
        metavar="K",
        help="the K largest estimates, with the confidence that each item is among the top K",
    )
    _add_fakes(made)
    made.add_argument("--format", choices=("table", "csv", "json"), default="table")
    made.add_argument("--out", metavar="FILE", help="write here instead of standard output")
    made.add_argument(
        "--counts-out", metavar="FILE", help="write the counts, which estimate adds to others"
    )
    _add_force(made)
    return made


def _screen(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui screen",
        "Screen reports for fakes: verdicts with false-alarm rates, and who is suspicious.\n"
        "Exit code 1 where there is an alarm.",
    )
    made.add_argument(
        "reports",
        metavar="REPORTS",
        nargs="+",
        help="files (.csv, .jsonl, .parquet, .arrow), folders, patterns, - for standard input",
    )
    _add_input_format(made)
    _add_protocol(made)
    made.add_argument(
        "--rows-out", metavar="FILE", help="write the numbers of the suspicious rows, from 1 on"
    )
    _add_trials(made)
    made.add_argument("--format", choices=("table", "json"), default="table")
    made.add_argument("--out", metavar="FILE", help="write here instead of standard output")
    _add_force(made)
    return made


def _audit(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui audit",
        "Audit clients: whether their reports can keep the promised ε, and follow the protocol\n"
        "that they claim. Exit code 1 where one is broken.",
        """\
A program reads items on its standard input, a number a line, and writes a report a line, as
docs/reports.md has them: a row of CSV, or an object of JSON lines. Only what is named here runs.

examples:
  ldptui audit oue --epsilon 1 --items 16
  ldptui audit client.py:Client --as olh --epsilon 1 --items 16
  ldptui audit --command "./client --epsilon 1" --as grr --epsilon 1 --items 16""",
    )
    made.add_argument(
        "clients",
        metavar="CLIENT",
        nargs="*",
        help="a protocol of ours, or FILE.py:NAME, where NAME(items, epsilon) gives an object with "
        "perturb(values, rng)",
    )
    made.add_argument(
        "--command", dest="commands", action="append", default=[], metavar="TEXT",
        help="a program and its arguments; may be repeated",
    )  # fmt: skip
    made.add_argument(
        "--pairs", action="append", default=[], metavar="FILE.csv",
        help="columns item and report; may be repeated",
    )  # fmt: skip
    made.add_argument("--as", dest="kind", metavar="KIND", help="the protocol that they claim")
    made.add_argument("--opaque", action="store_true", help="a report is any line, as text")
    made.add_argument("--epsilon", type=float, metavar="E", help="the promised ε, in nats")
    made.add_argument("--items", type=int, metavar="D", help="items are the numbers 0 … D - 1")
    made.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE",
        help="another key of the protocol, as hash_range=8; may be repeated",
    )  # fmt: skip
    _add_samples(made)
    made.add_argument("--certificate", metavar="FILE.toml", help="write what was run and found")
    made.add_argument("--page", metavar="FILE.md", help="write one page for a privacy officer")
    made.add_argument(
        "--verify", metavar="FILE.toml", help="run the audit of a certificate again, and compare"
    )
    made.add_argument("--checkpoint", metavar="FILE", help="keep the state here, and go on from it")
    _add_force(made)
    made.add_argument("--format", choices=("table", "json"), default="table")
    made.add_argument("--quiet", action="store_true", help="no progress")
    return made


def _add_samples(made: argparse.ArgumentParser) -> None:
    """Add how much of clients is looked at, and how long they may take."""
    made.add_argument(
        "--samples", type=int, default=200_000, metavar="N",
        help="reports of each client, at most (200000)",
    )  # fmt: skip
    made.add_argument(
        "--confidence", type=float, default=0.999, metavar="C", help="of all verdicts (0.999)"
    )
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of the items (0)")
    made.add_argument(
        "--refute", type=float, metavar="E", help="say how many reports refute this ε (2 ε)"
    )
    made.add_argument(
        "--batch", type=int, metavar="N", help="start a program anew for each N items"
    )
    made.add_argument(
        "--patience", type=float, default=20.0, metavar="S",
        help="seconds that a program may take for a report (20)",
    )  # fmt: skip


def _conclude(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui conclude",
        "Say what reports still tell if a share of them is fake: intervals that hold whatever the\n"
        "fakes send, the share that overturns a claim, and how many are fake at least.",
    )
    made.add_argument(
        "reports",
        metavar="REPORTS",
        nargs="*",
        help="files (.csv, .jsonl, .parquet, .arrow; or .counts), folders, patterns",
    )
    made.add_argument(
        "--estimates", metavar="FILE", help="instead of reports: a CSV table of all estimates"
    )
    made.add_argument("--users", type=int, metavar="N", help="with it: the number of reports")
    made.add_argument("--column", default="frequency", metavar="NAME", help="its estimates")
    made.add_argument("--label", default="item", metavar="NAME", help="its items")
    _add_protocol(made, items=False)
    made.add_argument(
        "--share", type=float, metavar="B", required=True, help="at most this share is fake"
    )
    made.add_argument(
        "--claim",
        dest="claims",
        action="append",
        default=[],
        metavar="TEXT",
        help='"apple > pear", "fig in top 5", "fig > 0.02", "a + b > c"; may be repeated',
    )
    made.add_argument(
        "--sharp", action="store_true", help="if all reports together look honest: narrower"
    )
    made.add_argument(
        "--confidence", type=float, default=0.95, metavar="C", help="of each statement (0.95)"
    )
    made.add_argument("--format", choices=("table", "csv", "json"), default="table")
    made.add_argument("--out", metavar="FILE", help="write here instead of standard output")
    _add_force(made)
    return made


def _add_input_format(made: argparse.ArgumentParser) -> None:
    """Add the format of what is piped in."""
    made.add_argument(
        "--input-format",
        choices=("csv", "jsonl", "parquet", "arrow"),
        help="of standard input (told by its first bytes)",
    )


def _add_fakes(made: argparse.ArgumentParser) -> None:
    """Add what an estimate does about fakes."""
    made.add_argument(
        "--share",
        type=float,
        metavar="B",
        help="intervals that hold if up to this share of the reports is fake",
    )
    made.add_argument(
        "--screen", action="store_true", help="say beneath whether fakes are among the reports"
    )
    made.add_argument(
        "--defend",
        metavar="KIND,…",
        help="beside each estimate what these filters, alarms and corrections make of it: "
        "fiad,norm-sub",
    )
    made.add_argument(
        "--rows-out", metavar="FILE", help="write the numbers of the rows that --defend drops"
    )
    _add_trials(made)


def _add_trials(made: argparse.ArgumentParser) -> None:
    """Add how many collections the rates of steps are measured on."""
    made.add_argument(
        "--trials", type=int, default=20, metavar="N",
        help="simulated collections that the rates of filters come from, 0 for none (20)",
    )  # fmt: skip


def _add_force(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--force", action="store_true", help="replace a file to be written that is there already"
    )


def _spec(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui spec",
        "The page of a protocol for whoever writes its client: parameters, steps, the report,\n"
        "test vectors and a client in Python. See docs/specifications.md.",
    )
    made.add_argument("kind", metavar="KIND", help="grr, oue, olh, …")
    _add_agreed(made)
    made.set_defaults(items=16, epsilon=1.0)
    made.add_argument("--format", choices=("markdown", "json"), default="markdown")
    return made


def _vectors(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui vectors",
        "Test vectors of a protocol for clients in other languages, as JSON: items, the random\n"
        "numbers that the client draws, in order, and the report that it sends then.",
    )
    made.add_argument("kind", metavar="KIND", help="grr, oue, olh, …")
    _add_agreed(made)
    made.set_defaults(items=16, epsilon=1.0)
    made.add_argument("--count", type=int, default=16, metavar="N", help="vectors (16)")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws (0)")
    return made


def _add_protocol(made: argparse.ArgumentParser, items: bool = True, numbers: bool = False) -> None:
    """Add what clients and server agree on, and the protocol.

    items : whether they are needed. numbers : whether a range of numbers takes their place.
    """
    made.add_argument(
        "--protocol",
        metavar="KIND",
        required=True,
        help="grr, oue, olh, …; or your own, FILE.py:NAME",
    )
    _add_agreed(made, required=items, numbers=numbers)
    made.add_argument("--quiet", action="store_true", help="no notes")


def add_opened(made: argparse.ArgumentParser) -> None:
    """Add what says of which protocol the reports are that the workbench opens."""
    group = made.add_argument_group("reports of real users: ldptui REPORTS …")
    group.add_argument("--protocol", metavar="KIND", help="show the reports of this protocol")
    _add_agreed(group)


def check_scenario(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse what goes with reports where no protocol says of which kind they are."""
    if any(place.endswith(tuple(FORMATS)) for place in options.places):
        parser.error("--protocol, --epsilon and --items or --domain are required to read reports")
    if options.epsilon or options.items or options.domain or options.settings:
        parser.error("--epsilon, --items, --domain and --set go with --protocol and reports")


def _add_agreed(
    made: argparse._ActionsContainer, required: bool = False, numbers: bool = False
) -> None:
    """Add the parameters that clients and server agree on.

    required : whether items are. numbers : whether a range of numbers may take their place.
    """
    made.add_argument("--epsilon", type=float, metavar="E", help="privacy budget ε, in nats")
    domain = made.add_mutually_exclusive_group(required=required)
    domain.add_argument("--items", type=int, metavar="D", help="items are the numbers 0 … D - 1")
    domain.add_argument("--domain", metavar="FILE", help="the names of the items, one a line")
    if numbers:
        domain.add_argument(
            "--low", type=float, metavar="X", help="users hold numbers, from X on: pm, hm, sr, sw"
        )
        made.add_argument("--high", type=float, metavar="X", help="with it: up to X")
    made.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="another key of the protocol, as hash_range=8; may be repeated",
    )
