"""The options of the topic check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ldptui.core.base.ranges import DOMAIN, Range

from ..options import Argument, Blank, Option, Topic
from .offered import OWN, alike, having, kinds, lacking, where
from .shared import BUDGETED, NEIGHBOURS, SLACK, dials, seed


def _audited(form: Mapping[str, Any]) -> bool:
    """Samples are drawn by request, and always of one's own mechanism."""
    return bool(form.get("audit")) or form.get("protocol") == OWN


OPTIONS: Final = (
    Option(
        "protocol",
        "text",
        argument=Argument("PROTOCOL", positional=True),
        blank=Blank(
            "oue",
            "protocol.kind",
            lambda: (*alike(*kinds(), "exponential"), (OWN, "your own")),
            bare=True,
        ),
    ),
    Option("plugin", "text", blank=Blank("", only=where("protocol", OWN))),
    replace(BUDGETED, range=Range(0))
    .argued(metavar="E", words="the promised ε, in nats")
    .blanked(only=lacking("protocol", "f", "exponential", OWN)),
    Option(
        "items",
        "integer",
        DOMAIN,
        renames=("domain_size",),
        argument=Argument("D", "domain size d"),
        blank=Blank(8, steps="ladder", only=lacking("protocol", "neighbours", OWN)),
    ),
    SLACK.argued(words="the promised δ (0)", default=0.0).blanked(
        only=having("protocol", "delta", OWN)
    ),
    NEIGHBOURS.blanked(only=having("protocol", "neighbours")),
    Option(
        "counts",
        "text",
        argument=Argument("N,N,…", "of exponential: users of each item"),
        blank=Blank("5, 3, 1", only=where("protocol", "exponential")),
    ),
    Option(
        "bits",
        "integer",
        argument=Argument("K", "bits of a report (8)", 8, group="rappor"),
        blank=Blank(steps="ladder", only=having("protocol", "bits")),
    ),
    Option(
        "hashes",
        "integer",
        argument=Argument("H", "hash functions (2)", 2, group="rappor"),
        blank=Blank(only=having("protocol", "hashes")),
    ),
    Option(
        "cohorts",
        "integer",
        argument=Argument("M", "cohorts (4)", 4, group="rappor"),
        blank=Blank(steps="ladder", only=having("protocol", "cohorts")),
    ),
    Option(
        "noise",
        "numbers",
        size=3,
        renames=("f", "p", "q", "form"),
        argument=Argument("F,P,Q", "f, p, q", "0.5,0.5,0.75", group="rappor"),
        blank=Blank("0.5, 0.5, 0.75", only=having("protocol", "f")),
    ),
)

AUDIT: Final = (
    Option(
        "audit",
        "flag",
        argument=Argument(words="sample as well as enumerate", default=False, group="audit"),
        blank=Blank(),
    ),
    Option(
        "samples",
        "integer",
        Range(1000, 10**8),
        argument=Argument("N", "(200000)", 200_000, group="audit"),
        blank=Blank(steps="ladder", only=_audited),
    ),
    Option(
        "confidence",
        range=Range(0, 1, "()"),
        argument=Argument("C", "(0.999)", 0.999, group="audit"),
        blank=Blank(steps="hundredths", only=_audited),
    ),
    seed("samples").argued(group="audit").blanked(only=_audited),
)

CONCLUDED: Final = ("alpha", "adjust")
"""Keys of what the server concludes, on which no report depends."""

CHECK: Final = Topic(
    "check",
    "Check",
    "check PROTOCOL",
    "whether a mechanism keeps its ε: a proof or an audit",
    "Check that a mechanism keeps its ε. Every report is gone through where there are few\n"
    "enough; otherwise, or with --audit, reports are sampled, and bound ε from below. The\n"
    "exit code is 1 where the promise is broken.",
    "PROTOCOL is {kinds}, exponential, or a\n"
    "mechanism of yours as FILE.py:NAME, or by the name under which a package publishes it\n"
    "(entry points ldptui.protocols): NAME(items, epsilon) must return an object with\n"
    "perturb(values, rng), which returns an array of as many reports, or, of a curator, with\n"
    "sample(histograms, rng), which returns a release of each row of users per item.",
    (*OPTIONS, *dials(*OPTIONS, *CONCLUDED), *AUDIT),
    group="privacy",
)
