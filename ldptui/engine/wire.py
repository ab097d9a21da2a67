"""A run, or a question, put together from the lines of a worker."""

from __future__ import annotations

import binascii
import dataclasses
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from textual.message import Message

from ldptui.core.base.summary import Estimate

from ..messages import Replied, RunProgressed
from ..session.question import Question, Reply
from ..session.snapshot import (
    BitCounts,
    CellView,
    Detection,
    Estimates,
    Frequencies,
    Request,
    Rounds,
    Snapshot,
    Status,
)
from ..session.trials import TrialEstimates


@dataclass
class RunSoFar:
    """A run and everything that was heard of it."""

    request: Request
    cancelling: bool = False
    snapshot: Snapshot = field(init=False)
    _shared: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _cells: dict[str, dict[int, CellView]] = field(default_factory=dict)
    _parts: dict[str, tuple[CellView, ...]] = field(default_factory=dict)
    _columns: dict[str, Any] = field(default_factory=dict)
    _frequencies: Frequencies | None = None
    _at_cell: Frequencies | None = None
    _bits: BitCounts | None = None
    _detection: Detection | None = None
    _by_trial: TrialEstimates | None = None
    _followed: Mapping[str, Any] | None = None
    _rounds: Rounds | None = None
    _round_columns: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.snapshot = Snapshot(self.request.key, "running", full=self.request.full)

    @property
    def asked_for(self) -> bool:
        """True for a run that was asked for by hand."""
        return self.request.full

    @property
    def ended(self) -> bool:
        return self.snapshot.status != "running"

    @property
    def tells(self) -> bool:
        """True once there is something to see."""
        return self.snapshot.done > 0

    @property
    def news(self) -> Message:
        return RunProgressed(self.snapshot)

    def end(self, status: Status, error: str, details: str) -> None:
        self.snapshot = dataclasses.replace(
            self.snapshot, status=status, error=error, details=details
        )

    def take(self, message: Mapping[str, Any]) -> bool:
        """Take in a line of this run; True where `snapshot` is a new, consistent one."""
        if "shared" in message:
            self._shared[message["part"]] = message["shared"]
            self._cells[message["part"]] = {}
        elif "cells" in message:
            part = message["part"]
            cells, shared = self._cells[part], self._shared[part]
            for index, *news in message["cells"]:
                cells[index] = cell_view(index, cells.get(index), shared, *news)
            self._parts = {**self._parts, part: tuple(cells.values())}
        elif "round" in message:
            self._round_columns = {**self._round_columns, message["round"]: message["frequencies"]}
        elif "rounds" in message:
            self._rounds = rounds(message["rounds"])
        elif "frequencies" in message:
            self._columns |= {
                name: decoded(name, value) for name, value in message["frequencies"].items()
            }
            if "trials" in message["frequencies"]:
                self._frequencies = frequencies(self._columns)
        elif "at_cell" in message:
            columns = {name: decoded(name, each) for name, each in message["at_cell"].items()}
            listed = message.get("by_trial_there")
            seen = None if listed is None else by_trial(listed)
            self._at_cell = dataclasses.replace(frequencies(columns), by_trial=seen)
        elif "followed" in message:
            self._followed = message["followed"]
        elif "bits" in message:
            columns = {name: decoded(name, value) for name, value in message["bits"].items()}
            self._bits = BitCounts(**columns)
        elif "detection" in message:
            columns = {name: frozen(value) for name, value in message["detection"].items()}
            self._detection = Detection(**columns)
        elif "by_trial" in message:
            self._by_trial = by_trial(message["by_trial"])
        elif "snapshot" in message:
            self.snapshot = Snapshot(
                self.request.key,
                full=self.request.full,
                parts=self._parts,
                frequencies=self._frequencies,
                at_cell=self._at_cell,
                bits=self._bits,
                detection=self._detection,
                by_trial=self._by_trial,
                followed=self._followed,
                rounds=self._rounds,
                round_frequencies=RoundFrequencies(self._round_columns),
                **message["snapshot"],
            )
            return True
        return False


@dataclass
class QuestionSoFar:
    """A question of the lab, and the last that was heard of it."""

    request: Question
    cancelling: bool = False
    reply: Reply = field(init=False)
    asked_for: bool = False
    tells: bool = True

    def __post_init__(self) -> None:
        self.reply = Reply(self.request.key, "running")

    @property
    def ended(self) -> bool:
        return self.reply.status != "running"

    @property
    def news(self) -> Message:
        return Replied(self.reply)

    def end(self, status: Status, error: str, details: str) -> None:
        self.reply = Reply(self.request.key, status, error=error, details=details)

    def take(self, message: Mapping[str, Any]) -> bool:
        """Take in a line about this question; True where `reply` is a new one."""
        if "reply" in message:
            self.reply = Reply(self.request.key, **message["reply"])
        return "reply" in message


def cell_view(
    index: int,
    before: CellView | None,
    shared: Mapping[str, Any],
    own: Mapping[str, Any] | None,
    theory: Sequence[float | None] | None,
    trials: int,
    metrics: Iterable[tuple[Any, ...]],
) -> CellView:
    """A cell from its line: complete at first, then what changed since `before`.

    metrics : mean, standard error and, where there is one, the doubt about z.
    """
    if before is not None:
        measured = {
            name: Estimate(mean, error, old.theory, *doubt)
            for (name, old), (mean, error, *doubt) in zip(
                before.metrics.items(), metrics, strict=True
            )
        }
        return dataclasses.replace(before, trials=trials, metrics=measured)
    assert own is not None
    assert theory is not None
    fields = {**shared, **own}
    names = fields.pop("metrics")
    parameters = {key[1:]: fields.pop(key) for key in list(fields) if key.startswith(":")}
    measured = {
        name: Estimate(mean, error, expected, *doubt)
        for name, (mean, error, *doubt), expected in zip(names, metrics, theory, strict=True)
    }
    targets = tuple(fields.pop("targets"))
    return CellView(
        index=index,
        parameters=parameters,
        trials=trials,
        targets=targets,
        metrics=measured,
        **fields,
    )


def decoded(name: str, value: Any) -> Any:
    """A column of frequencies as it is kept: numbers in a tuple, or as it came."""
    if isinstance(value, str):
        numbers = array("i" if name == "items" else "d", binascii.a2b_base64(value))
        if sys.byteorder == "big":
            numbers.byteswap()
        return tuple(numbers)
    return tuple(value) if isinstance(value, list) else value


def frequencies(columns: Mapping[str, Any]) -> Frequencies:
    """The columns heard so far as one value; what was sent as None is made up for.

    Labels are the indices. Where there is no closed form, σ is the deviation over the trials, 0
    before there are two of them.
    """
    rest = dict(columns)
    if rest["labels"] is None:
        rest["labels"] = tuple(map(str, rest["items"]))
    arms = {}
    for name in rest.pop("arms"):
        mean, std, sigma = (rest.pop(f"{name} {part}") for part in ("mean", "std", "sigma"))
        if sigma is None:
            sigma = (0.0,) * len(rest["items"]) if std is None else std
        arms[name] = Estimates(mean, std, sigma)
    return Frequencies(**rest, arms=arms)


class RoundFrequencies(Mapping[int, Frequencies]):
    """The frequencies of rounds by number; a round is decoded when it is looked at."""

    def __init__(self, columns: Mapping[int, Mapping[str, Any]]) -> None:
        self._columns = columns

    def __getitem__(self, number: int) -> Frequencies:
        columns = self._columns[number]
        return frequencies({name: decoded(name, value) for name, value in columns.items()})

    def __iter__(self) -> Iterator[int]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def rounds(columns: Mapping[str, Any]) -> Rounds:
    """The columns of the rounds as one value."""
    metrics = {
        name: tuple(Estimate(*numbers) for numbers in each)
        for name, each in columns["metrics"].items()
    }
    arms = {name: frozen(means) for name, means in columns["arms"].items()}
    rest = {name: frozen(value) for name, value in columns.items()}
    return Rounds(**{**rest, "metrics": metrics, "arms": arms})


def by_trial(columns: Mapping[str, Any]) -> TrialEstimates:
    """The columns of single trials as one value."""
    by_arm = {
        name: {arm: frozen(rows) for arm, rows in columns[name].items()}
        for name in ("arms", "expected")
    }
    return TrialEstimates(**{**{name: frozen(each) for name, each in columns.items()}, **by_arm})


def frozen(value: Any) -> Any:
    """A list, and lists in it, as tuples."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value
