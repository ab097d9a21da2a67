"""The options of the commands about kept runs, as `commands/options.py` has the others'."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, TypeAlias

from ...charts.kinds import on_paper
from ...questions.options import Argument
from ..opening import Stored
from ..options import Chosen, Computing, Positional, Printing, Several, Simulating, formats_of

Table: TypeAlias = Literal["table", "csv", "json"]


def _charts() -> list[str]:
    """The charts for paper."""
    return [kind.name for kind in on_paper()]


@dataclass(frozen=True, kw_only=True)
class OfRun(Stored):
    """run : a number, or "last"; of some commands a file."""

    run: Positional


@dataclass(frozen=True, kw_only=True)
class Resume(OfRun, Computing, Printing):
    """The options of ldptui resume."""


@dataclass(frozen=True, kw_only=True)
class Replay(OfRun, Computing):
    """show : play it back in the workbench instead."""

    show: bool = False


@dataclass(frozen=True, kw_only=True)
class Plot(Simulating):
    """columns : of a paper, that the figure is as wide as."""

    out: str
    chart: Annotated[str | None, Argument(choices=_charts)] = None
    metric: str | None = None
    columns: Annotated[Literal[1, 2], Argument(flags=("--paper-columns", "--columns"))] = 2


@dataclass(frozen=True, kw_only=True)
class Game(OfRun):
    """metric : that is played for."""

    metric: str | None = None
    format: Literal["table", "json"] = "table"


@dataclass(frozen=True, kw_only=True)
class Compare(Stored):
    """a, b : two runs. metric : those that are compared, all where there is none."""

    a: Positional
    b: Positional
    metric: Annotated[tuple[str, ...], Argument(repeated=True)] = ()
    format: Table = "table"


@dataclass(frozen=True, kw_only=True)
class Listing(Stored):
    """The runs that are listed. since, until : days."""

    protocol: str | None = None
    attack: str | None = None
    tag: str | None = None
    since: str | None = None
    until: str | None = None
    removed: bool = False
    format: Table = "table"


@dataclass(frozen=True, kw_only=True)
class Show(OfRun, Chosen):
    """frequencies : with every item's estimates, in JSON."""

    format: Annotated[str | None, Argument(choices=partial(formats_of, "show"))] = None
    frequencies: bool = False


@dataclass(frozen=True, kw_only=True)
class Remove(Stored):
    """undo : the runs are put back."""

    runs: Several
    undo: bool = False


@dataclass(frozen=True, kw_only=True)
class Tag(OfRun):
    """remove : the tags are taken away."""

    tags: Several
    remove: bool = False


@dataclass(frozen=True, kw_only=True)
class Star(OfRun):
    """off : the mark is taken away."""

    off: bool = False


@dataclass(frozen=True, kw_only=True)
class Export(OfRun, Chosen):
    """dictionary : the file that says what the columns mean."""

    out: str
    format: Annotated[str | None, Argument(choices=partial(formats_of, "export"))] = None
    frequencies: bool = False
    dictionary: str | None = None


@dataclass(frozen=True, kw_only=True)
class Import(Stored):
    """files : recordings and stores."""

    files: Several
    limits: bool = True


@dataclass(frozen=True, kw_only=True)
class Collecting(Stored):
    """before : a day; runs that started before it are forgotten as well."""

    before: str | None = None


@dataclass(frozen=True, kw_only=True)
class Dictionary(Stored):
    """The table is one of the columns."""

    format: Table = "table"
