"""The outcomes of a batch as bytes: what a worker of a cluster sends back, checked on arrival.

The bytes are MessagePack of the types that are named here, and never a pickle, which would run
whatever somebody put into it. Shapes are not sent: those of the units that were asked for count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from ..base.errors import FileError, RunError, one_line
from ..base.sampling import Counts
from ..cell import Cell
from ..collection.reports import USER_BLOCK, no_reports
from ..metrics import Measures, named, plain
from ..metrics.results import MOMENTS, Arms, CellResults, Rounds, arms_of, columns_of
from ..view.cells import metric_names
from .workers import Batch, Computed, Failure, Found, Piece, Unit, unit_of


class _Trials(msgspec.Struct):
    """Measures of trials, or of the rounds of trials, and the columns MOMENTS of the arms."""

    values: bytes
    moments: Mapping[str, bytes | None]


class _Block(msgspec.Struct, tag=True):
    cell: int
    number: int
    trials: _Trials
    marks: bytes
    detected: bytes | None
    rounds: _Trials | None


class _Failed(msgspec.Struct, tag=True):
    cell: int
    error: str
    details: str


class _Counted(msgspec.Struct, tag=True):
    counts: bytes


class _Sent(msgspec.Struct):
    """What a worker sends. raised : the sentence of an error, which leaves nothing else."""

    outcomes: Sequence[_Block | _Failed | _Counted] = ()
    seconds: float = 0.0
    raised: str = ""


_READER = msgspec.msgpack.Decoder(_Sent)


def as_bytes(computed: Computed) -> bytes:
    """The outcomes of a batch, and the seconds that it took."""
    outcomes, seconds = computed
    return msgspec.msgpack.encode(_Sent([_sent(found) for found in outcomes], seconds))


def error_as_bytes(error: Exception) -> bytes:
    """An error in place of outcomes."""
    return msgspec.msgpack.encode(_Sent(raised=f"{type(error).__name__}: {error}"))


def _sent(found: Found) -> _Block | _Failed | _Counted:
    cell, number, outcome = found
    if isinstance(outcome, Failure):
        return _Failed(cell, outcome.error, outcome.details)
    if not isinstance(outcome, CellResults):
        return _Counted(_bytes(outcome))
    rounds, detected = outcome.rounds, outcome.detected
    return _Block(
        cell,
        number,
        _trials(outcome.metrics, outcome.arms),
        _bytes(outcome.fingerprints),
        None if detected is None else _bytes(detected),
        None if rounds is None else _trials(rounds.metrics, rounds.arms),
    )


def _trials(metrics: Measures, arms: Arms) -> _Trials:
    return _Trials(_bytes(plain(metrics)), columns_of(arms))


def _bytes(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> bytes:
    return values.astype(values.dtype.newbyteorder("<")).tobytes()


def outcomes_in(body: object, batch: Batch) -> Computed:
    """The outcomes of this batch, and the seconds that it took.

    Raises RunError for an error of the worker, and FileError for what no worker of ldptui sends.
    """
    try:
        if not isinstance(body, bytes):
            raise TypeError(f"it is no bytes but {type(body).__name__}")
        sent = _READER.decode(body)
        if not sent.raised:
            return _checked(sent, batch)
    except (ValueError, TypeError, RecursionError) as error:
        raise FileError(f"the cluster sent what is no result: {error}") from None
    raise RunError(f"a worker of the cluster failed: {one_line(sent.raised)}")


def _checked(sent: _Sent, batch: Batch) -> Computed:
    """The outcomes that were asked for; raises ValueError for others."""
    if not (math.isfinite(sent.seconds) and sent.seconds >= 0):
        raise ValueError(f"it took {sent.seconds} seconds")
    units = [unit_of(work) for work in batch]
    failed = {each.cell for each in sent.outcomes if isinstance(each, _Failed)}
    if not failed <= {cell.index for cell, _, _ in units}:
        raise ValueError("a cell failed that was not asked for")
    due = {(cell.index, number): (cell, number, trials) for cell, number, trials in units}
    outcomes: list[Found] = []
    for each in sent.outcomes:
        if isinstance(each, _Failed):
            failure = Failure(each.cell, one_line(each.error), each.details)
            outcomes.append((each.cell, 0, failure))
        elif isinstance(each, _Counted) and isinstance(piece := batch[0], Piece) and due:
            due.clear()
            outcomes.append((*piece.place, _counts(each, piece)))
        elif isinstance(each, _Block) and (unit := due.pop((each.cell, each.number), None)):
            outcomes.append((each.cell, each.number, _block(each, unit)))
        else:
            raise ValueError("it is of no block that was asked for")
    if not failed.issuperset(cell for cell, _ in due):
        raise ValueError("a block is missing")
    return outcomes, sent.seconds


def _counts(sent: _Counted, piece: Piece) -> Counts:
    """The counts […] of the reports of a piece, as the protocol of its cell counts them."""
    cell, most = piece.unit[0], USER_BLOCK * len(piece.share.blocks)
    like = cell.local.support_counts(no_reports(cell))
    counts = np.frombuffer(sent.counts, like.dtype.newbyteorder("<")).reshape(like.shape)
    if counts.dtype.kind == "i" and ((counts > most) | (counts < -most)).any():
        raise ValueError("an item is counted more often than there are reports")
    return counts


def _block(sent: _Block, unit: Unit) -> CellResults:
    cell, _, trials = unit
    items = cell.task.size(cell)
    marks = np.frombuffer(sent.marks, dtype="<u8").reshape(trials)
    detected = None
    if sent.detected is not None:
        detected = np.frombuffer(sent.detected, dtype="<i8").reshape(items)
        if ((detected < 0) | (detected > trials)).any():
            raise ValueError("an item is detected in more trials than there are")
    if (sent.rounds is None) != (not cell.rounds):
        raise ValueError("it lacks the rounds of a campaign, or has some of none")
    rounds = None
    if sent.rounds is not None:
        rounds = Rounds(*_read(sent.rounds, cell.rounds[0], trials, (len(cell.rounds), items)))
    metrics, arms = _read(sent.trials, cell, trials, (items,))
    return CellResults(metrics, marks, arms, detected, rounds)


def _read(sent: _Trials, cell: Cell, trials: int, shape: tuple[int, ...]) -> tuple[Measures, Arms]:
    """Measures [trials, …] and moments of this shape, […, items]."""
    names = metric_names([cell])
    values = np.frombuffer(sent.values, dtype="<f8").reshape(trials, *shape[:-1], len(names))
    arms = arms_of([sent.moments.get(name) for name in MOMENTS], trials, shape)
    if any((moments.squares < 0).any() for moments in arms.values()):
        raise ValueError("a sum of squares is negative")
    return named(names, values), arms
