"""The options of every command that is no topic of the lab: a frozen dataclass each.

A command is given its options as a value of its class, read at the door. Which of the fields are
arguments, in which order and with which words, `commands.toml` says; the others have their
defaults. Nothing here imports NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from ..charts.kinds import on_paper
from ..lab.options import Argument, Keys, Settings
from ..lab.questions.collected import Numbered
from ..lab.questions.offered import kinds
from ..lab.questions.shared import Near, keys
from .formats import formats
from .opening import Allowing, Stored

Positional: TypeAlias = Annotated[str, Argument(positional=True)]
Several: TypeAlias = Annotated[tuple[str, ...], Argument(positional=True)]
Perhaps: TypeAlias = Annotated[str | None, Argument(positional=True)]
Tags: TypeAlias = Annotated[tuple[str, ...], Argument(flags=("--tag",), repeated=True)]
Table: TypeAlias = Literal["table", "csv", "json"]

Shell: TypeAlias = Literal["bash", "zsh", "fish", "tcsh"]


def _charts() -> list[str]:
    """The charts for paper."""
    return [kind.name for kind in on_paper()]


def _formats(command: str) -> list[str]:
    """The formats of results that a command has."""
    return [row.name for row in formats(command)]


@dataclass(frozen=True, kw_only=True)
class Nothing:
    """The options of a command that has none."""


@dataclass(frozen=True, kw_only=True)
class OfRun(Stored):
    """run : a number, or "last"; of some commands a file."""

    run: Positional


@dataclass(frozen=True, kw_only=True)
class Computing(Allowing):
    """How an experiment is computed, see `ldptui.commands.door.Work`."""

    workers: int = 1
    limits: bool = True
    frequencies: bool = False
    cluster: str | None = None
    quiet: bool = False


@dataclass(frozen=True, kw_only=True)
class Simulating(Computing, Stored):
    """A scenario, what is changed of it, and how it is computed."""

    scenario: Positional
    settings: Settings = ()
    trials: int | None = None
    seed: int | None = None
    path: Literal["auto", "counts", "reports"] | None = None


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The metrics of a table, and the keys at its side and above, with commas between them."""

    metrics: str | None = None
    rows: str | None = None
    columns: str | None = None


@dataclass(frozen=True, kw_only=True)
class Printing(Chosen):
    """What is printed or written of results, and where."""

    format: Annotated[str | None, Argument(choices=partial(_formats, "run"))] = None
    out: str | None = None


# Runs.


@dataclass(frozen=True, kw_only=True)
class Run(Simulating, Printing):
    """keep : in the store. fresh : what the store knows is computed again. shard : I/N."""

    keep: Annotated[bool, Argument(flags=("--no-store",))] = True
    fresh: bool = False
    tags: Tags = ()
    shard: str | None = None


@dataclass(frozen=True, kw_only=True)
class Resume(OfRun, Computing, Printing):
    """The options of ldptui resume."""


@dataclass(frozen=True, kw_only=True)
class Replay(OfRun, Computing):
    """show : play it back in the workbench instead."""

    show: bool = False


@dataclass(frozen=True, kw_only=True)
class Record(Simulating):
    """The options of ldptui record."""

    out: str
    tags: Tags = ()


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

    format: Annotated[str | None, Argument(choices=partial(_formats, "show"))] = None
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
    format: Annotated[str | None, Argument(choices=partial(_formats, "export"))] = None
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


# What ldptui brings along.


@dataclass(frozen=True, kw_only=True)
class OneScenario:
    """name : of a bundled scenario."""

    name: Positional


@dataclass(frozen=True, kw_only=True)
class Copy:
    """names : of bundled scenarios; the last one may be where to."""

    names: Several


@dataclass(frozen=True, kw_only=True)
class Check(Allowing):
    """path : of a scenario's file."""

    path: Positional


@dataclass(frozen=True, kw_only=True)
class Cite:
    """scenario : whose papers are told as well."""

    scenario: Perhaps = None


@dataclass(frozen=True, kw_only=True)
class Docs:
    """opens : whether the page is shown where there is a screen."""

    page: Annotated[str, Argument(positional=True)] = "index"
    opens: Annotated[bool, Argument(flags=("--path",))] = True


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The options of ldptui completion."""

    shell: Annotated[Shell, Argument(positional=True)]


@dataclass(frozen=True, kw_only=True)
class Serve:
    """host, port : that are listened at. public_url : the address that browsers use."""

    scenario: Perhaps = None
    host: str = "localhost"
    port: int = 8000
    public_url: str | None = None
    visitors: int = 8


@dataclass(frozen=True, kw_only=True)
class RecordCast:
    """size : COLSxROWS, of the film."""

    scenario: Annotated[str, Argument(positional=True)] = "quickstart"
    out: str
    size: str = "120x36"


# Protocols.


@dataclass(frozen=True, kw_only=True)
class Theory:
    """One setting of a protocol. keys : its other parameters, where they are given."""

    protocol: Annotated[str, Argument(positional=True, choices=kinds, lower=True)]
    epsilon: float | None = None
    items: int | None = None
    users: int | None = None
    share: float | None = None
    targets: int | None = None
    target_frequency: float | None = None
    mean: float | None = None
    seeds: int = 1000
    scoring: Literal["anchor", "bucket"] = "anchor"
    neighbours: Near | None = None
    delta: float | None = None
    form: Literal["full", "one-time", "basic", "basic-one-time"] | None = None
    f: float | None = None
    p: float | None = None
    q: float | None = None
    bits: int | None = None
    hashes: int | None = None
    cohorts: int | None = None
    format: Literal["table", "json"] = "table"
    keys: Annotated[Mapping[str, Any], Keys(keys)] = field(default_factory=dict)

    def key(self, name: str) -> Any:
        """The value of a parameter of some protocol; None where it is not given."""
        return getattr(self, name, self.keys.get(name))


@dataclass(frozen=True, kw_only=True)
class Spec(Numbered):
    """protocol : KIND."""

    protocol: Positional
    epsilon: float | None = 1.0
    items: Annotated[int | None, Argument(either=True)] = 16
    format: Literal["markdown", "json"] = "markdown"


@dataclass(frozen=True, kw_only=True)
class Vectors(Spec):
    """count : of the vectors. seed : of their draws."""

    count: int = 16
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Perturb(Numbered):
    """data : a table of a user a row. clip : numbers outside the range are moved to its ends."""

    data: Positional
    column: str | None = None
    keep: Annotated[tuple[str, ...], Argument(repeated=True)] = ()
    clip: bool = False
    for_tests: bool = False
    seed: int | None = None
    out: str
    force: bool = False
    quiet: bool = False
