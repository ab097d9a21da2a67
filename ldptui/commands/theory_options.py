"""The arguments of `ldptui theory`. Imports nothing heavy."""

from __future__ import annotations

import argparse
from typing import get_args

from ..catalogue import key_words, protocol_keys
from ..lab.questions.offered import kinds
from ..lab.questions.shared import Near
from .runs.options import MakeParser


def parser(command: str, make: MakeParser) -> argparse.ArgumentParser:
    """The parser of the command; make : a parser from its name and description."""
    made = make(
        f"ldptui {command}",
        "The closed forms of a protocol, and of the attacks on it. What needs an option that\n"
        "is not given is left out (null in JSON).",
    )
    made.add_argument(
        "protocol", metavar="PROTOCOL", type=str.lower, choices=kinds(), help=", ".join(kinds())
    )
    made.add_argument(
        "--epsilon",
        type=float,
        metavar="E",
        help="privacy budget ε, in nats; of rappor ε₁ of one report, instead of --f",
    )
    made.add_argument("--items", type=int, metavar="D", help="domain size d")
    made.add_argument("--users", type=int, metavar="N", help="genuine users n")
    made.add_argument("--share", type=float, metavar="B", help="share β of fake users")
    made.add_argument("--targets", type=int, metavar="R", help="number of targets r")
    made.add_argument(
        "--target-frequency", type=float, metavar="F", help="the targets' true total f_T"
    )
    made.add_argument(
        "--mean", type=float, metavar="M", help="true mean μ of the users' numbers, of sr"
    )
    made.add_argument(
        "--seeds", type=int, default=1000, metavar="K", help="seeds that MGA tries on hashing"
    )
    made.add_argument(
        "--scoring",
        choices=("anchor", "bucket"),
        default="anchor",
        help="the score of a seed: targets that share the value of a chosen one (anchor), or "
        "those in the fullest bucket",
    )
    central = made.add_argument_group("laplace, geometric, stability")
    central.add_argument(
        "--neighbours",
        choices=get_args(Near),
        help="tables that must look alike: change-one (default), add-remove",
    )
    central.add_argument("--delta", type=float, metavar="D", help="δ of stability (1e-6)")
    rappor = made.add_argument_group(
        "rappor", "Its p and q are the reverse of Wang's: q = Pr[1 | bit 1] > p = Pr[1 | bit 0]."
    )
    rappor.add_argument(
        "--form",
        choices=("full", "one-time", "basic", "basic-one-time"),
        help="full (default); one-time: without p and q; basic: one bit per item",
    )
    rappor.add_argument("--f", type=float, metavar="F", help="noise of the permanent bits (0.5)")
    rappor.add_argument("--p", type=float, metavar="P", help="Pr[1 | permanent bit 0] (0.5)")
    rappor.add_argument("--q", type=float, metavar="Q", help="Pr[1 | permanent bit 1] (0.75)")
    rappor.add_argument("--bits", type=int, metavar="K", help="bits of a Bloom filter (16)")
    rappor.add_argument("--hashes", type=int, metavar="H", help="hashes of a Bloom filter (2)")
    rappor.add_argument("--cohorts", type=int, metavar="M", help="cohorts (64)")
    made.add_argument("--format", choices=("table", "json"), default="table")
    _add_keys(made)
    return made


def _add_keys(parser: argparse.ArgumentParser) -> None:
    """Add an option for each key of a protocol that has none yet: --subset-size."""
    known = {action.dest for action in parser._actions}
    keys = parser.add_argument_group(
        "keys of some protocols", "A protocol that has no such key refuses it."
    )
    for name in protocol_keys(known):
        words = key_words(f"protocol.{name}")
        option, symbol = f"--{name.replace('_', '-')}", (words.symbol or "value").upper()
        keys.add_argument(option, metavar=symbol, help=words.first.replace("%", "%%"))
