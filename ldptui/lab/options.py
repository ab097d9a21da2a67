"""The arguments of the privacy lab: accuracy, disclose, check, ledger. Plain argparse."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

MakeParser = Callable[..., argparse.ArgumentParser]

COMMANDS: Final = (
    "accuracy", "price", "choose", "sensitivity", "synthetic", "disclose", "check", "ledger",
)  # fmt: skip

LOCAL: Final = ("grr", "sue", "oue", "blh", "olh")
CURATORS: Final = ("laplace", "geometric", "stability")
NEIGHBOURS: Final = ("change-one", "add-remove")


def parser(command: str, make: MakeParser) -> argparse.ArgumentParser:
    """The parser of one of COMMANDS; `make` takes its name, description and epilog."""
    parsers = {
        "accuracy": _accuracy,
        "price": _price,
        "choose": _choose,
        "sensitivity": _sensitivity,
        "synthetic": _synthetic,
        "disclose": _disclose,
        "check": _check,
        "ledger": _ledger,
    }
    made = parsers[command](make)
    made.add_argument("--format", choices=("table", "json"), default="table")
    return made


def _accuracy(make: MakeParser) -> argparse.ArgumentParser:
    parser = make(
        "ldptui accuracy",
        "What a trusted curator's histogram is off by, from its budget; or the budget that an\n"
        "accuracy needs. With --items and --users also the price of locality: how many users a\n"
        "local protocol needs for the same error.",
        "example: ldptui accuracy --epsilon 0.5 --bins 50 --items 50 --users 10000",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--epsilon", type=float, metavar="E", help="privacy budget ε, in nats")
    which.add_argument("--accuracy", type=float, metavar="A", help="so many users off at most")
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="A", help="how often it may be missed (0.05)"
    )
    parser.add_argument(
        "--bins", type=int, default=1, metavar="B", help="bins that have to hold at once (1)"
    )
    parser.add_argument(
        "--delta", type=float, default=1e-6, metavar="D", help="δ of the stability mechanism (1e-6)"
    )
    _neighbours(parser)
    parser.add_argument("--items", type=int, metavar="D", help="domain size d")
    parser.add_argument("--users", type=int, metavar="N", help="users n")
    return parser


def _price(make: MakeParser) -> argparse.ArgumentParser:
    parser = make(
        "ldptui price",
        "The price of locality: on a scenario's population, the error of each local protocol\n"
        "beside a trusted curator's, and how many more users a local protocol needs for the same\n"
        "error; at the scenario's ε and n, and over both.",
        "example: ldptui price quickstart --epsilon 1",
    )
    parser.add_argument("scenario", metavar="SCENARIO", help="a TOML file, or a bundled scenario")
    parser.add_argument(
        "--epsilon", type=float, metavar="E", help="privacy budget ε (the scenario's, or 1)"
    )
    parser.add_argument("--users", type=int, metavar="N", help="users n (the scenario's)")
    parser.add_argument(
        "--delta", type=float, default=1e-6, metavar="D", help="δ of the stability mechanism (1e-6)"
    )
    _neighbours(parser)
    return parser


def _choose(make: MakeParser) -> argparse.ArgumentParser:
    parser = make(
        "ldptui choose",
        "How often the most frequent item of a scenario's population is found: by a trusted\n"
        "curator with the exponential mechanism, exactly and simulated, and by the arg-max of\n"
        "each local protocol's estimates.",
        "example: ldptui choose quickstart --epsilon 0.05",
    )
    parser.add_argument("scenario", metavar="SCENARIO", help="a TOML file, or a bundled scenario")
    parser.add_argument(
        "--epsilon", type=float, metavar="E", help="privacy budget ε (the scenario's, or 1)"
    )
    parser.add_argument("--trials", type=int, default=1000, metavar="N", help="(1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the trials (0)")
    return parser


def _sensitivity(make: MakeParser) -> argparse.ArgumentParser:
    parser = make(
        "ldptui sensitivity",
        "How much one person can change the count, the sum, the mean and the histogram of a CSV\n"
        "column; and what clipping costs and saves. What nobody bounds beforehand is unbounded.",
        "example: ldptui sensitivity pay.csv --column salary --bounds 0,200000 --nonnegative",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--column", metavar="NAME", required=True, help="the column")
    parser.add_argument("--query", metavar="NAMES", help="some of count,sum,mean,histogram (all)")
    parser.add_argument(
        "--bounds",
        metavar="LOW,HIGH",
        help="what every number is known to lie in beforehand, as --bounds=-5,5",
    )
    parser.add_argument(
        "--nonnegative", action="store_true", help="no number is below 0, as is known beforehand"
    )
    parser.add_argument(
        "--epsilon", type=float, default=1.0, metavar="E", help="privacy budget ε (1)"
    )
    _neighbours(parser)
    return parser


def _synthetic(make: MakeParser) -> argparse.ArgumentParser:
    parser = make(
        "ldptui synthetic",
        "Write a CSV column of invented rows, drawn from one private release of a scenario: its\n"
        "protocol's estimates, or a curator's histogram, made frequencies. The rows spend nothing\n"
        "more; NAME.budget.txt beside the file says what the release spent.",
        "example: ldptui synthetic survey --out invented.csv",
    )
    parser.add_argument("scenario", metavar="SCENARIO", help="a TOML file, or a bundled scenario")
    parser.add_argument("--out", metavar="FILE", required=True, help="the CSV file to write")
    parser.add_argument(
        "--rows", type=int, metavar="N", help="rows (as many as users, at most 10^6)"
    )
    parser.add_argument("--column", metavar="NAME", default="item", help="its name (item)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the rows (0)")
    return parser


def _disclose(make: MakeParser) -> argparse.ArgumentParser:
    parser = make(
        "ldptui disclose",
        "What a table gives away: k-anonymity, l-diversity, t-closeness, and which attributes\n"
        "give others away. FILE is a CSV file with a header.",
        "examples:\n"
        "  ldptui disclose people.csv --quasi age,zip,sex --sensitive disease\n"
        "  ldptui disclose likes.csv --relation user,page",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--quasi", metavar="COLUMNS", help="quasi-identifiers, separated by commas")
    parser.add_argument("--sensitive", metavar="COLUMNS", help="sensitive columns, likewise")
    parser.add_argument(
        "--relation",
        metavar="USER,ATTRIBUTE",
        help="instead: each row says that a user has an attribute",
    )
    parser.add_argument(
        "--observed", type=int, default=2, metavar="N", help="attributes seen at most (2)"
    )
    return parser


def _check(make: MakeParser) -> argparse.ArgumentParser:
    parser = make(
        "ldptui check",
        "Whether a mechanism keeps its promise. Goes through every report where there are few\n"
        "enough; otherwise, or with --audit, samples reports and bounds ε from below.\n"
        "Exits with 1 where the promise is broken.",
        "PROTOCOL is " + ", ".join((*LOCAL, "rappor", *CURATORS)) + ", exponential, or a\n"
        "mechanism of yours as FILE.py:NAME: NAME(items, epsilon) must return an object with\n"
        "perturb(values, rng), which returns an array of as many reports, or, of a curator, with\n"
        "sample(histograms, rng), which returns a release of each row of users per item.",
    )
    parser.add_argument("protocol", metavar="PROTOCOL")
    parser.add_argument("--epsilon", type=float, metavar="E", help="the promised ε, in nats")
    parser.add_argument("--items", type=int, metavar="D", help="domain size d")
    parser.add_argument("--hash-range", type=int, metavar="G", help="of olh: the buckets")
    parser.add_argument("--delta", type=float, default=0.0, metavar="D", help="the promised δ (0)")
    _neighbours(parser)
    parser.add_argument("--counts", metavar="N,N,…", help="of exponential: users of each item")
    rappor = parser.add_argument_group("rappor")
    rappor.add_argument("--bits", type=int, default=8, metavar="K", help="bits of a report (8)")
    rappor.add_argument("--hashes", type=int, default=2, metavar="H", help="hash functions (2)")
    rappor.add_argument("--cohorts", type=int, default=4, metavar="M", help="cohorts (4)")
    rappor.add_argument("--noise", default="0.5,0.5,0.75", metavar="F,P,Q", help="f, p, q")
    audit = parser.add_argument_group("audit")
    audit.add_argument("--audit", action="store_true", help="sample as well as enumerate")
    audit.add_argument("--samples", type=int, default=200_000, metavar="N", help="(200000)")
    audit.add_argument("--confidence", type=float, default=0.999, metavar="C", help="(0.999)")
    audit.add_argument("--seed", type=int, default=0, metavar="N", help="of the samples (0)")
    return parser


def _ledger(make: MakeParser) -> argparse.ArgumentParser:
    parser = make(
        "ldptui ledger",
        "What several releases about the same people cost together.",
        "ENTRY is [NAME=]EPSILON[,DELTA][@NOISE][xTIMES]; ε = 0 is post-processing. NOISE,\n"
        "laplace or geometric, is of a number that one person changes by 1; --tight uses it.\n"
        "example: ldptui ledger daily=0.1x30 census=0.5,1e-8 --delta 1e-6 --people 4",
    )
    parser.add_argument("entries", nargs="*", metavar="ENTRY")
    parser.add_argument(
        "--scenario", metavar="NAME", help="also the rounds of a scenario: a file, or a bundled one"
    )
    parser.add_argument(
        "--delta", type=float, default=1e-6, metavar="D", help="δ that all may cost (1e-6)"
    )
    parser.add_argument(
        "--people", type=int, default=1, metavar="K", help="people protected together (1)"
    )
    parser.add_argument(
        "--tight", action="store_true", help="also by the library dp_accounting (an extra)"
    )
    parser.add_argument(
        "--rappor", metavar="F,P,Q,H", help="RAPPOR's memoised rounds: f, p, q and hashes"
    )
    parser.add_argument("--rounds", type=int, default=1, metavar="T", help="its reports (1)")
    return parser


def _neighbours(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--neighbours",
        choices=NEIGHBOURS,
        default=NEIGHBOURS[0],
        help="tables that must look alike: one row changed (default), or one more",
    )
