"""The options of the tab of audits; the command has its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from ldptui.core.base.ranges import ALPHA, Range

from ..options import Argument, Blank, Choices
from .offered import alike, local
from .shared import LocalBudget, Seed

ITSELF: Final = ("", "what it is")


def _claims() -> Choices:
    return (ITSELF, *alike(*local()))


@dataclass(frozen=True, kw_only=True)
class Options:
    """clients : kinds, FILE.py:NAME, and files of pairs. claimed : the kind that they say they are,
    "" for none. epsilon : the promise. samples : reports of each client, at most."""

    clients: Annotated[
        tuple[str, ...],
        Argument(positional=True),
        Blank(("grr", "oue"), hint="kind, file"),
    ] = ()
    claimed: Annotated[str, Argument(renames=("kind",)), Blank(choices=_claims)] = ""
    epsilon: LocalBudget
    items: Annotated[
        int, Range(2, 2**16), Argument(renames=("domain_size",)), Blank(16, steps="ladder")
    ]
    samples: Annotated[int, Range(1000, 10**7), Blank(50_000, steps="ladder")] = 50_000
    confidence: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.999
    seed: Annotated[Seed, Blank(0)] = 0
