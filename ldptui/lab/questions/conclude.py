"""The options of the topic conclude: those of the tab, and those of the command alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from ldptui.core.base.ranges import ALPHA, SHARE

from ..options import Argument, Blank
from .collected import RUN, Collection, filed, senders
from .offered import alike

TRUSTS: Final = alike("local", "verified", "shuffled")
"""The rungs whose users send reports, which a form has files of."""
SUBJECTS: Final = (("files", "files of reports"), (RUN, "this scenario"))


@dataclass(frozen=True, kw_only=True)
class Options(Collection):
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
