"""The options of the topic check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from ldptui.core.base.ranges import DOMAIN, Range

from ..options import Argument, Blank, Keys, Option
from .offered import OWN, alike, having, kinds, lacking, where
from .shared import Budget, Near, Seed, Slack, keys

CONCLUDED: Final = ("alpha", "adjust")
"""Keys of what the server concludes, on which no report depends."""
NOISE: Final = ("f", "p", "q", "form")
"""The keys of the noise of bits, which is one option."""


def _audited(form: Mapping[str, Any]) -> bool:
    """Samples are drawn by request, and always of one's own mechanism."""
    return bool(form.get("audit")) or form.get("protocol") == OWN


def _keys(known: Iterable[str]) -> Iterator[Option]:
    return keys((*known, *NOISE, "domain_size", *CONCLUDED))


def _kinds() -> tuple[tuple[str, str], ...]:
    return (*alike(*kinds(), "exponential"), (OWN, "your own"))


@dataclass(frozen=True, kw_only=True)
class Options:
    """epsilon, delta : what is promised. plugin : the place of one's own mechanism, in the form.

    counts : of the exponential mechanism. bits, hashes, cohorts, noise : of Bloom filters. keys :
    the other keys of the protocol. audit, samples, confidence, seed : of reports that are sampled.
    """

    protocol: Annotated[
        str, Argument(positional=True), Blank("oue", "protocol.kind", _kinds, bare=True)
    ]
    plugin: Annotated[str, Blank(only=where("protocol", OWN))] = ""
    epsilon: Annotated[
        Budget | None,
        Range(0),
        Blank(1.0, "protocol.epsilon", only=lacking("protocol", "f", "exponential", OWN)),
    ] = None
    items: Annotated[
        int | None,
        DOMAIN,
        Argument(renames=("domain_size",)),
        Blank(8, steps="ladder", only=lacking("protocol", "neighbours", OWN)),
    ] = None
    delta: Annotated[Slack, Blank(1e-6, steps="decades", only=having("protocol", "delta", OWN))] = (
        0.0
    )
    neighbours: Annotated[Near, Blank(bare=True, only=having("protocol", "neighbours"))] = (
        "change-one"
    )
    counts: Annotated[str | None, Blank("5, 3, 1", only=where("protocol", "exponential"))] = None
    bits: Annotated[int, Blank(steps="ladder", only=having("protocol", "bits"))] = 8
    hashes: Annotated[int, Blank(only=having("protocol", "hashes"))] = 2
    cohorts: Annotated[int, Blank(steps="ladder", only=having("protocol", "cohorts"))] = 4
    noise: Annotated[
        tuple[float, float, float],
        Argument(renames=NOISE),
        Blank("0.5, 0.5, 0.75", only=having("protocol", "f")),
    ] = (0.5, 0.5, 0.75)
    keys: Annotated[Mapping[str, str], Keys(_keys)]
    audit: Annotated[bool, Blank()] = False
    samples: Annotated[int, Range(1000, 10**8), Blank(steps="ladder", only=_audited)] = 200_000
    confidence: Annotated[float, Range(0, 1, "()"), Blank(steps="hundredths", only=_audited)] = (
        0.999
    )
    seed: Annotated[Seed, Blank(0, only=_audited)] = 0
