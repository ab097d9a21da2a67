"""Runs and their cells as frozen values, made from rows of the store."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar

import msgspec

from ..base.named import fields_of
from ..base.versions import versions
from ..metrics.goal import Answer
from .owner import alive

Status: TypeAlias = Literal["running", "done", "partial", "failed", "interrupted"]
"""`interrupted`: the process that ran it is gone without a word."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run as the store knows it; what is left out is that of one that begins.

    document : the scenario. source : the file it came from, "" if none.
    metrics : the names of what was measured.
    started : UTC seconds since 1970; seconds : how long it took, by a clock that never goes back.
    done, total : trials. digest : of a run that is done, else "".
    """

    id: int = 0
    uid: str
    title: str
    document: dict[str, Any] = field(hash=False)
    source: str = ""
    seed: int
    protocols: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    metrics: tuple[str, ...]
    versions: Mapping[str, str | int] = field(hash=False)
    status: Status
    error: str = ""
    started: float
    seconds: float = 0.0
    done: int = 0
    total: int
    digest: str = ""
    star: bool = False
    removed: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunCell:
    """One cell of a run. genuine : names the draws of the genuine users; equal: the same ones.

    users : the genuine ones, of each round where there are several; malicious : all fakes.
    answer : to the cell's goal; None without one.
    """

    position: int
    trials: int
    parameters: Mapping[str, Any] = field(hash=False)
    users: int
    malicious: int
    domain_size: int
    genuine: str
    histogram: str
    population: str | None
    answer: Answer | None = None


@dataclass(frozen=True)
class Arrival:
    """A block of a run: when it came, in seconds since the run started, and its trials."""

    seconds: float
    position: int
    number: int
    trials: int


Record = TypeVar("Record", Run, RunCell, Arrival)

COLUMNS: Final = (
    *("id", "uid", "title", "source", "seed", "error"),
    *("started", "seconds", "done", "total", "digest"),
)  # fmt: skip
"""The fields of a run that its row holds as they are."""


def checked(record: Record) -> Record:
    """The record, its fields of their types; raises ValueError, as for rows changed by others.

    SQLite keeps whatever it was given.
    """
    values = fields_of(record)
    for name, value in values.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is no number")
    return msgspec.convert(values, type(record))


def run_of(row: dict[str, Any], tags: Sequence[str]) -> Run:
    """A run from its row; raises ValueError for a row that is none."""
    status = row["status"]
    if status == "running" and not alive(row["owner"]):
        status = "interrupted"
    run = Run(
        **{name: row[name] for name in COLUMNS},
        document=json.loads(row["scenario"]),
        protocols=tuple(row["protocols"].split(",")),
        attacks=tuple(row["attacks"].split(",")),
        metrics=tuple(json.loads(row["metrics"])),
        versions={name: row[name] for name in versions()},
        status=status,
        star=bool(row["star"]),
        removed=row["removed"] is not None,
        tags=tuple(tags),
    )
    return checked(run)


def run_cell_of(row: dict[str, Any]) -> RunCell:
    """A cell of a run from its row; raises as `run_of` does."""
    answer = None if row["answer"] is None else Answer.read(json.loads(row["answer"]))
    parameters = json.loads(row["parameters"])
    return checked(RunCell(**{**row, "parameters": parameters, "answer": answer}))
