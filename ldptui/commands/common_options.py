"""The options of the workbench, and those that commands share with it.

They stand apart from other commands' options, which take time to be made: the workbench is to be
on the screen at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ..questions.options import Argument, HelpGroup
from ..session.consent import WHAT


class Help(Struct, frozen=True):
    """The help text of an option whose docstring has none."""

    words: str = ""


REPORTS: Final = HelpGroup("reports of real users: ldptui REPORTS …")

CODE: Final = HelpGroup("attacks, defences, protocols, populations and metrics in Python")
SEVERAL: Final = HelpGroup("several machines")
STORE: Final = HelpGroup("the store of runs")

ScenarioName: TypeAlias = Annotated[
    str,
    Argument(positional=True),
    "SCENARIO",
    Help("a TOML file, the name of a bundled scenario, or a table of words and counts"),
]
StorePath: TypeAlias = Annotated[
    str | None, "PATH", Help("the file that keeps the runs (or set LDPTUI_STORE)")
]
Keep: TypeAlias = Annotated[bool, Argument(flags=("--no-store",))]
ClusterPlace: TypeAlias = Annotated[
    str | None,
    "PLACE",
    SEVERAL,
    Help("compute on a Dask cluster: tcp://HOST:PORT, a scheduler FILE.json, or local[:N]"),
]
Settings: TypeAlias = Annotated[
    tuple[str, ...], Argument(flags=("--set",), repeated=True), "KEY=VALUE"
]
AllowedNames: TypeAlias = Annotated[
    tuple[str, ...],
    Argument(flags=("--allow",), aliases=tuple(f"--allow-{what}" for what in WHAT), repeated=True),
    "NAME",
    CODE,
    Help("run the one of this name in an installed package; may be repeated"),
]
CodeFiles: TypeAlias = Annotated[
    tuple[str, ...],
    Argument(flags=("--code",), aliases=tuple(f"--{what}-file" for what in WHAT), repeated=True),
    "FILE",
    CODE,
    Help("run those in this file, with your permissions; may be repeated"),
]
Budget: TypeAlias = Annotated[float | None, "E", Help("privacy budget ε, in nats")]
ItemCount: TypeAlias = Annotated[
    int | None, Argument(either=True), "D", Help("items are the numbers 0 … D - 1")
]
DomainFile: TypeAlias = Annotated[
    str | None, Argument(either=True), "FILE", Help("the names of the items, one a line")
]
LowEnd: TypeAlias = Annotated[
    float | None, Argument(either=True), "X", Help("users hold numbers, from X on: {numbers}")
]
HighEnd: TypeAlias = Annotated[float | None, "X", Help("with it: up to X")]
KeySettings: TypeAlias = Annotated[
    Settings, Help("another key of the protocol, as hash_range=8; may be repeated")
]


@dataclass(frozen=True, kw_only=True)
class Opening:
    """A terminal workbench for local differential privacy and the attacks on it.

    Parameters
    ----------
    places : open this: a TOML file, or the name of a bundled scenario; with --protocol files of
        reports
    protocol : show the reports of this protocol
    theme : colours of the workbench
    charset : what charts are drawn with (auto)
    config : read the settings from here
    mouse : keyboard only
    keep : keep no runs, and show none
    log_file : write a log here
    version : print the version, and leave
    verbose : with --version: also what computes, and how
    """

    places: Annotated[tuple[str, ...], Argument(positional=True), "SCENARIO"] = ()
    protocol: Annotated[str | None, "KIND", REPORTS] = None
    epsilon: Annotated[Budget, REPORTS] = None
    items: Annotated[ItemCount, REPORTS] = None
    domain: Annotated[DomainFile, REPORTS] = None
    low: Annotated[LowEnd, REPORTS] = None
    high: Annotated[HighEnd, REPORTS] = None
    settings: Annotated[KeySettings, REPORTS] = ()
    theme: Annotated[str | None, "NAME"] = None
    charset: Literal["auto", "ascii", "braille"] | None = None
    config: Annotated[str | None, "FILE"] = None
    mouse: bool | None = None
    store: StorePath = None
    keep: Keep = True
    allow_attacks: AllowedNames = ()
    code_files: CodeFiles = ()
    cluster: ClusterPlace = None
    log_file: Annotated[str | None, "FILE"] = None
    version: bool = False
    verbose: bool = False
