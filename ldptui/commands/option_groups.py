"""Options that several commands have side by side: a frozen value each, made of the arguments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from ldptui.core.base.ranges import WORKERS, Range

from ..questions.options import Argument, HelpGroup
from .common_options import (
    AllowedNames,
    Budget,
    CodeFiles,
    DomainFile,
    Help,
    HighEnd,
    ItemCount,
    KeySettings,
    LowEnd,
    ScenarioName,
    Settings,
)
from .result_formats import formats

if TYPE_CHECKING:
    from ldptui.core.plugins import CodePermission

RunName: TypeAlias = Annotated[
    str, Argument(positional=True), "RUN", Help('a number in the list of "ldptui runs", or "last"')
]
RunOrFile: TypeAlias = Annotated[
    str,
    Argument(positional=True),
    "RUN|FILE",
    Help('a number in the list of "ldptui runs", "last", or a recording'),
]
Limits: TypeAlias = Annotated[bool, Help("do not limit the sizes of scenarios")]
Quiet: TypeAlias = Annotated[bool, Help("show no progress and no notes")]
Tags: TypeAlias = Annotated[
    tuple[str, ...],
    Argument(flags=("--tag",), repeated=True),
    "TAG",
    Help("tag the run; may be repeated"),
]
TagWords: TypeAlias = Annotated[tuple[str, ...], Argument(positional=True), "TAG"]
Trials: TypeAlias = Annotated[int | None, "N", Help("trials of each cell of the sweep")]
Workers: TypeAlias = Annotated[int, "N", WORKERS, Help("processes that compute")]
TableFormat: TypeAlias = Annotated[Literal["table", "csv", "json"], Help("of what is printed")]

SHOWN: Final = HelpGroup("what is shown of results")


def _offer_formats(command: str) -> Argument:
    """The formats of a command as the values of an option."""
    return Argument(choices=lambda: [row.name for row in formats(command)])


RunFormat: TypeAlias = Annotated[
    str | None,
    "FORMAT",
    _offer_formats("run"),
    Help("{formats of run}; the usual one is that of the file's name, or table"),
]
ShowFormat: TypeAlias = Annotated[
    str | None, "FORMAT", _offer_formats("show"), Help("{formats of show}")
]
ExportFormat: TypeAlias = Annotated[
    str | None,
    "FORMAT",
    _offer_formats("export"),
    Help("{formats of export}; the usual one is that of the file's name, or recording"),
]
OutputFile: TypeAlias = Annotated[str | None, "FILE", Help("write to this file, not to the screen")]


@dataclass(frozen=True, kw_only=True)
class CodeOptions:
    """The options that permit plug-in code to run."""

    allow_attacks: AllowedNames = ()
    code_files: CodeFiles = ()

    def allow(self) -> CodePermission:
        """The permission for the plug-in code that the options name; raises FileError."""
        from ..session.attack_options import allow_code

        return allow_code(self.allow_attacks, [*map(Path, self.code_files)])


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """The options that name a scenario, change its keys and say how it is computed.

    Parameters
    ----------
    settings : set a key of the scenario, as attack.share=0.1, in place of its sweep; may be
        repeated
    seed : the seed of all random numbers
    path : draw the counts alone, or each user's report
    """

    scenario: ScenarioName
    settings: Settings = ()
    trials: Trials = None
    seed: Annotated[int | None, "N"] = None
    path: Literal["auto", "counts", "reports"] | None = None
    workers: Workers = 1
    limits: Limits = True
    permission: CodeOptions
    quiet: Quiet = False


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """The options that choose which results are shown.

    Parameters
    ----------
    metrics : only these metrics, as gain,mse
    rows : a row for each value of these swept keys
    columns : a column for each value of these swept keys
    wrap : in LaTeX: split the table so that no line has more than N letters
    frequencies : in JSON: the estimates of all items
    """

    metrics: Annotated[str | None, "NAME,…", SHOWN] = None
    rows: Annotated[str | None, "KEY,…", SHOWN] = None
    columns: Annotated[str | None, "KEY,…", SHOWN] = None
    wrap: Annotated[int | None, "N", Range(20), SHOWN] = None
    frequencies: Annotated[bool, SHOWN] = False


@dataclass(frozen=True, kw_only=True)
class RunFilter:
    """The options that choose which runs are listed.

    Parameters
    ----------
    protocol : runs with this protocol alone
    attack : runs with this attack alone ("none": without an attack)
    tag : runs with this tag alone
    since : runs since this day alone, as 2026-01-31
    until : runs until the end of this day alone
    removed : the removed runs, until gc deletes them
    """

    protocol: Annotated[str | None, "KIND"] = None
    attack: Annotated[str | None, "KIND"] = None
    tag: Annotated[str | None, "TAG"] = None
    since: Annotated[str | None, "DATE"] = None
    until: Annotated[str | None, "DATE"] = None
    removed: bool = False


@dataclass(frozen=True, kw_only=True)
class ProtocolOptions:
    """The options that clients and server agree on: the protocol and its domain."""

    protocol: Annotated[str, "KIND", Help("grr, oue, olh, …; or your own, FILE.py:NAME")]
    epsilon: Budget = None
    items: Annotated[ItemCount, Argument(either=True, needed=True)] = None
    domain: DomainFile = None
    low: LowEnd = None
    high: HighEnd = None
    settings: KeySettings = ()


@dataclass(frozen=True, kw_only=True)
class ClientProtocol(ProtocolOptions):
    """The options that name the protocol of a client."""

    protocol: Annotated[str, Argument(positional=True), "KIND", Help("grr, oue, olh, …")]
    epsilon: Budget = 1.0
    items: ItemCount = 16


@dataclass(frozen=True, kw_only=True)
class Perturbation(ProtocolOptions):
    """The options that name a table of users, a column of it and the file of their reports.

    Parameters
    ----------
    data : a table with a row for each user: CSV with a header, Parquet or Arrow
    column : the column of the users' items or numbers
    keep : write this column beside the reports, without noise, for estimate --by; may be repeated
    quiet : show no notes
    clip : move numbers outside the range to its nearer end
    for_tests : allow --seed: such reports protect nobody, and a column for_tests says so
    seed : draw the same reports each time
    out : the file of the reports: .csv, .jsonl, .parquet or .arrow
    force : replace the file if it exists
    """

    data: Annotated[str, Argument(positional=True), "DATA"]
    column: Annotated[str | None, "NAME"] = None
    keep: Annotated[tuple[str, ...], Argument(repeated=True), "COLUMN"] = ()
    quiet: bool = False
    clip: bool = False
    for_tests: bool = False
    seed: Annotated[int | None, "N", Range(0)] = None
    out: Annotated[str, "FILE"]
    force: bool = False
