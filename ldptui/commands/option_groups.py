"""Options that several commands have side by side: a frozen value each, made of the arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from ..questions.options import Argument
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
from .result_formats import formats, list_formats

if TYPE_CHECKING:
    from ldptui.core.plugins import CodePermission

RunName: TypeAlias = Annotated[
    str, Argument(positional=True), "RUN", Help('a number that "ldptui runs" shows, or "last"')
]
RunOrFile: TypeAlias = Annotated[
    str,
    Argument(positional=True),
    "RUN|FILE",
    Help('a number that "ldptui runs" shows, "last", or a file'),
]
Limits: TypeAlias = Annotated[bool, Help("lift the limits on sizes")]
Quiet: TypeAlias = Annotated[bool, Help("no progress bar, no notes")]
Tags: TypeAlias = Annotated[
    tuple[str, ...], Argument(flags=("--tag",), repeated=True), "TAG", Help("tag the run")
]
TagWords: TypeAlias = Annotated[tuple[str, ...], Argument(positional=True), "TAG"]
Trials: TypeAlias = Annotated[int | None, "N", Help("trials of each cell")]
Workers: TypeAlias = Annotated[int, "N", Help("processes")]
TableFormat: TypeAlias = Literal["table", "csv", "json"]


def name_formats(command: str) -> Argument:
    """The annotation of the option that names a format of a command."""
    return Argument(choices=lambda: [row.name for row in formats(command)])


def help_formats(command: str, rest: str = "") -> Help:
    """The words of that option, which name what each format is."""
    listed: Callable[[], str] = partial(list_formats, command)
    return Help(lambda: listed() + rest)


@dataclass(frozen=True, kw_only=True)
class CodeOptions:
    """The Python code that may run."""

    allow_attacks: AllowedNames = ()
    code_files: CodeFiles = ()

    def allow(self) -> CodePermission:
        """The code as what asks for it is checked against it; raises FileError."""
        from ..session.attack_options import allow_code

        return allow_code(self.allow_attacks, [*map(Path, self.code_files)])


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """A scenario, what is changed of it, and how it is computed.

    Parameters
    ----------
    settings : set a key, as in attack.share=0.1; replaces its sweep, and a goal the share or the
        other way round; may be repeated
    seed : the seed of all random numbers
    path : draw the counts, or every user's report
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
class Selection:
    """What is shown of results.

    Parameters
    ----------
    metrics : only these metrics, as gain,mse; in every format
    rows : a row for each value of these swept keys
    columns : a column for each value of these swept keys
    wrap : in LaTeX, tables of at most N letters a line; without it one, however wide
    frequencies : every item's estimates, in JSON
    """

    metrics: Annotated[str | None, "NAME,…"] = None
    rows: Annotated[str | None, "KEY,…"] = None
    columns: Annotated[str | None, "KEY,…"] = None
    wrap: Annotated[int | None, "N"] = None
    frequencies: bool = False


@dataclass(frozen=True, kw_only=True)
class Printing:
    """What is printed or written of results, and where.

    Parameters
    ----------
    out : write here instead of standard output
    """

    format: Annotated[
        str | None,
        name_formats("run"),
        help_formats("run", "; else as the end of the file's name says, or table"),
    ] = None
    selection: Selection
    out: Annotated[str | None, "FILE"] = None


@dataclass(frozen=True, kw_only=True)
class RunFilter:
    """The runs that are listed.

    Parameters
    ----------
    protocol : only runs with this kind
    attack : only runs with this kind ("none": without one)
    tag : only runs with this tag
    since : only runs since this day, as 2026-01-31
    until : only runs until the end of this day
    removed : the removed runs that gc did not forget yet
    """

    protocol: Annotated[str | None, "KIND"] = None
    attack: Annotated[str | None, "KIND"] = None
    tag: Annotated[str | None, "TAG"] = None
    since: Annotated[str | None, "DATE"] = None
    until: Annotated[str | None, "DATE"] = None
    removed: bool = False


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """What clients and server agree on: the protocol, and what users hold."""

    protocol: Annotated[str, "KIND", Help("grr, oue, olh, …; or your own, FILE.py:NAME")]
    epsilon: Budget = None
    items: Annotated[ItemCount, Argument(either=True, needed=True)] = None
    domain: DomainFile = None
    low: LowEnd = None
    high: HighEnd = None
    settings: KeySettings = ()


@dataclass(frozen=True, kw_only=True)
class ClientProtocol(Agreement):
    """The protocol of a client."""

    protocol: Annotated[str, Argument(positional=True), "KIND", Help("grr, oue, olh, …")]
    epsilon: Budget = 1.0
    items: ItemCount = 16


@dataclass(frozen=True, kw_only=True)
class Perturbation(Agreement):
    """A table of users, and how reports are made of it.

    Parameters
    ----------
    data : a user a row: CSV with a header, Parquet or Arrow
    column : the column of the users' items or numbers
    keep : write this column beside the reports, unprotected, for estimate --by; may be repeated
    quiet : no notes
    clip : take the nearer end for numbers outside the range
    for_tests : with --seed: reports that protect nobody, as their column for_tests says
    seed : with --for-tests: draw them again
    out : the reports: .csv, .jsonl, .parquet or .arrow
    force : replace a file to be written that is there already
    """

    data: Annotated[str, Argument(positional=True), "DATA"]
    column: Annotated[str | None, "NAME"] = None
    keep: Annotated[tuple[str, ...], Argument(repeated=True), "COLUMN"] = ()
    quiet: bool = False
    clip: bool = False
    for_tests: bool = False
    seed: Annotated[int | None, "N"] = None
    out: Annotated[str, "FILE"]
    force: bool = False
