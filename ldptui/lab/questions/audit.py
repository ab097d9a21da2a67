"""The options of the topic audit: those of the tab, and those of the command alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from ldptui.core.base.ranges import ALPHA, Range

from ..options import Argument, Blank, Choices, Settings
from .offered import alike, local
from .shared import LocalBudget, Seed

ITSELF: Final = ("", "what it is")


def _claims() -> Choices:
    return (ITSELF, *alike(*local()))


@dataclass(frozen=True, kw_only=True)
class Options:
    """clients : kinds, FILE.py:NAME, and files of pairs. claimed : the kind that they say they are,
    "" for none. epsilon : the promise. samples : reports of each client, at most.

    commands : programs. pairs : files of pairs. opaque : a report is any line. refute : an ε, of
    which the number of reports that refute it is told. batch, patience : of programs. certificate,
    page, checkpoint : files to write. verify : the certificate of an audit that is run again.
    """

    clients: Annotated[
        tuple[str, ...],
        Argument(positional=True),
        Blank(("grr", "oue"), hint="kind, file"),
    ] = ()
    claimed: Annotated[
        str, Argument(renames=("kind",), flags=("--as",)), Blank(choices=_claims)
    ] = ""
    epsilon: LocalBudget | None = None
    items: Annotated[
        int | None, Range(2, 2**16), Argument(renames=("domain_size",)), Blank(16, steps="ladder")
    ] = None
    samples: Annotated[int, Range(1000, 10**7), Blank(50_000, steps="ladder")] = 200_000
    confidence: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.999
    seed: Annotated[Seed, Blank(0)] = 0
    commands: Annotated[tuple[str, ...], Argument(flags=("--command",), repeated=True)] = ()
    pairs: Annotated[tuple[str, ...], Argument(repeated=True)] = ()
    opaque: bool = False
    settings: Settings = ()
    refute: float | None = None
    batch: int | None = None
    patience: float = 20.0
    certificate: str | None = None
    page: str | None = None
    verify: str | None = None
    checkpoint: str | None = None
    force: bool = False
    quiet: bool = False
    format: Literal["table", "json"] = "table"
