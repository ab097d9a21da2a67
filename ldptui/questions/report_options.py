"""The options of the topics about reports: audited, counted, screened, and what they still tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from ldptui.core.base.ranges import ALPHA, SHARE, Range

from .choices import alike
from .collection import RUN, Collection, Piped, filed, listed, ranged, senders
from .options import Argument, Blank

TRUSTS: Final = alike("local", "verified", "shuffled")
"""The rungs whose users send reports, which a form has files of."""
SUBJECTS: Final = (("files", "files of reports"), (RUN, "this scenario"))


@dataclass(frozen=True, kw_only=True)
class ConcludeOptions(Collection):
    """subject : files of reports, or a run of the workbench's scenario. trust : whom users trust;
    of sums without a protocol. share : of the fakes, at most. claims : to be overturned. sharp :
    all reports together look honest. confidence : of all that is said.

    estimates : a table in place of reports, which `users` sent; column, label : of that table.
    weight : of the circuit multihot.
    """

    subject: Annotated[Literal["files", "run"], Blank(choices=SUBJECTS, bare=True)] = "files"
    protocol: Annotated[str, Blank("oue", choices=senders, bare=True, only=filed)] = ""
    trust: Annotated[str, Blank(choices=TRUSTS, only=filed)] = "local"
    share: Annotated[float, SHARE, Blank(0.01, steps="hundredths")] = 0.01
    claims: Annotated[
        tuple[str, ...], Argument(renames=("claim",), flags=("--claim",), repeated=True), Blank("")
    ] = ()
    sharp: Annotated[bool, Blank()] = False
    confidence: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.95
    estimates: str | None = None
    users: int | None = None
    column: str = "frequency"
    label: str = "item"
    weight: int = 3
    format: Literal["table", "csv", "json"] = "table"


@dataclass(frozen=True, kw_only=True)
class EstimateOptions(Collection):
    """correct : corrections. top : the items that are asked for. simultaneous : all intervals hold
    together.

    parts : of the range, over which numbers are distributed. share : of fakes, at most.
    defend : steps whose estimates stand beside. simulated : collections that their rates come from.
    """

    confidence: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.95
    correct: Annotated[tuple[str, ...], Argument(repeated=True), Blank("", only=listed)] = ()
    top: Annotated[int | None, Range(1), Blank(optional=True, only=listed)] = None
    simultaneous: Annotated[bool, Blank(only=listed)] = False
    input_format: Piped | None = None
    parts: Annotated[int | None, Range(2, 1024), Blank(20, optional=True, only=ranged)] = None
    fit: Literal["ems", "em"] | None = None
    coverage: bool = False
    by: str | None = None
    share: Annotated[float | None, SHARE, Blank(optional=True, only=ranged)] = None
    screen: bool = False
    defend: str | None = None
    simulated: Annotated[int, Argument(flags=("--trials",))] = 20
    rows_out: str | None = None
    counts_out: str | None = None
    strict: bool = False
    format: Literal["table", "csv", "json"] = "table"


@dataclass(frozen=True, kw_only=True)
class ScreenOptions(Collection):
    """simulated : the collections that the rates of filters come from, of each sort. rows_out :
    the file of the suspicious rows."""

    simulated: Annotated[
        int, Range(0, 10_000), Argument(flags=("--trials",)), Blank(10, steps="ladder")
    ] = 20
    input_format: Piped | None = None
    rows_out: str | None = None
    format: Literal["table", "json"] = "table"
