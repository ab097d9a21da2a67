"""Runs and their cells as frozen values, and as bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import msgspec

from ..base.named import fields_of
from ..metrics.goal import GoalAnswer

Status: TypeAlias = Literal["running", "done", "partial", "failed", "interrupted"]
"""`interrupted`: the process that ran it is gone without a word."""


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """The record of one run in the store.

    document : the scenario. source : the file that it came from, "" if none. metrics : the names of
    the measured metrics. started : UTC seconds since 1970. seconds : the run's duration, by a
    monotonic clock. done, total : numbers of trials. digest : of a complete run, else "".
    warnings : the reasons to doubt the results. owner : the address of the process that runs it,
    else "".
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
    warnings: tuple[str, ...] = ()
    owner: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class RunCell:
    """One cell of a run.

    genuine : the address of the genuine users' draws; equal addresses mean equal draws. histogram :
    the digest of the users per item. population : the name of the stored population; None if the
    scenario states it. users : the number of genuine users, of each round in a campaign.
    malicious : all fakes. answer : to the cell's goal; None without one. key : the address of its
    blocks.
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
    answer: GoalAnswer | None = None
    key: str = ""


@dataclass(frozen=True)
class Arrival:
    """A stored block of a run: its arrival in seconds since the start, its cell's position, its
    number and its trials.
    """

    seconds: float
    position: int
    number: int
    trials: int


_decode_run: Final = msgspec.json.Decoder(RunRecord).decode

_decode_arrivals: Final = msgspec.msgpack.Decoder(tuple[tuple[float, int, int, int], ...]).decode


def encode_run(run: RunRecord) -> bytes:
    """A run's record as JSON, without its number, which is the row's key."""
    return _to_json({name: value for name, value in fields_of(run).items() if name != "id"})


def decode_run(body: bytes, number: int) -> RunRecord:
    """The run's record in these bytes, with this number; raises ValueError for invalid bytes."""
    try:
        run = _decode_run(body)  # half the time of the standard library
    except msgspec.DecodeError:  # numbers that it does not read: beyond 64 bits, or none
        run = msgspec.convert(json.loads(body), RunRecord)
    object.__setattr__(run, "id", number)  # which nobody has seen yet
    if not math.isfinite(run.started + run.seconds):
        raise ValueError("it started at no time")
    return run


def encode_cells(cells: Sequence[RunCell]) -> bytes:
    """The cells of a run as JSON."""
    return _to_json(
        [{**fields_of(cell), "answer": cell.answer and fields_of(cell.answer)} for cell in cells]
    )


def decode_cells(body: bytes) -> tuple[RunCell, ...]:
    """The cells in these bytes; raises ValueError for invalid bytes."""
    cells = msgspec.convert(json.loads(body), tuple[RunCell, ...])
    for cell in cells:
        if cell.answer is not None:
            GoalAnswer.read(fields_of(cell.answer))
    return cells


def encode_answer(answer: GoalAnswer) -> bytes:
    """The answer to a goal as JSON."""
    return _to_json(fields_of(answer))


def decode_answer(body: bytes) -> GoalAnswer:
    """The answer in these bytes; raises TypeError or ValueError for invalid bytes."""
    return GoalAnswer.read(json.loads(body))


def encode_arrivals(arrivals: Sequence[Arrival]) -> bytes:
    """The blocks of a run as MessagePack, in order of arrival."""
    rows = [(come.seconds, come.position, come.number, come.trials) for come in arrivals]
    return msgspec.msgpack.encode(rows)


def decode_arrivals(body: bytes) -> tuple[Arrival, ...]:
    """The blocks in these bytes; raises ValueError for invalid bytes."""
    rows = _decode_arrivals(body)
    if not all(math.isfinite(seconds) for seconds, *_ in rows):
        raise ValueError("a block came at no time")
    return tuple(Arrival(*row) for row in rows)


def _to_json(value: Any) -> bytes:
    return json.dumps(value, default=str, separators=(",", ":")).encode()
