"""The options of commands that are no topics of the lab: a frozen dataclass each.

Those of kept runs are in `runs/options.py`, those about protocols in `protocols.py`: a command is
to wait for its own alone.

A command is given its options as a value of its class, read at the door. Which of the fields are
arguments, in which order and with which words, `commands.toml` says; the others have their
defaults. Nothing here imports NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, TypeAlias

from ..questions.options import Argument, Settings
from .formats import formats
from .opening import Allowing, Stored

Positional: TypeAlias = Annotated[str, Argument(positional=True)]
Several: TypeAlias = Annotated[tuple[str, ...], Argument(positional=True)]
Perhaps: TypeAlias = Annotated[str | None, Argument(positional=True)]
Tags: TypeAlias = Annotated[tuple[str, ...], Argument(flags=("--tag",), repeated=True)]

Shell: TypeAlias = Literal["bash", "zsh", "fish", "tcsh"]


def formats_of(command: str) -> list[str]:
    """The formats of results that a command has."""
    return [row.name for row in formats(command)]


@dataclass(frozen=True, kw_only=True)
class Nothing:
    """The options of a command that has none."""


@dataclass(frozen=True, kw_only=True)
class Computing(Allowing):
    """How an experiment is computed.

    workers : processes. limits : whether sizes have limits. frequencies : whether every item's
    estimates are measured. cluster : the place of a cluster, None for this machine.
    """

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
    """The metrics of a table, and the keys at its side and above, with commas between them.

    wrap : the letters of a line in LaTeX.
    """

    metrics: str | None = None
    rows: str | None = None
    columns: str | None = None
    wrap: int | None = None


@dataclass(frozen=True, kw_only=True)
class Printing(Chosen):
    """What is printed or written of results, and where."""

    format: Annotated[str | None, Argument(choices=partial(formats_of, "run"))] = None
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
class Record(Simulating):
    """The options of ldptui record."""

    out: str
    tags: Tags = ()


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
    """scenario : that is opened first. port : of this machine, that browsers connect to."""

    scenario: Perhaps = None
    port: int = 8000
