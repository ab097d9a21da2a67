"""Replays: a kept run is computed again, and everything that was kept is compared.

Two computations of one run that drew other numbers are compared by their means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..base.sampling import Floats
from ..base.streams import digest as digest_of_bytes
from ..base.summary import Estimate
from ..cell import Cell
from ..experiment import Experiment
from ..experiment.limits import MAX_USERS
from ..experiment.search import solve_goal, with_fakes
from ..metrics import METRICS, column, names_of
from ..metrics.goal import Answer
from ..metrics.results import BLOCK_TRIALS, Arms, CellResults, digest, estimate_of
from ..running.runner import Progress, run
from ..theory import normal_score
from . import Store

TOLERANCE: Final = 1e-12
"""The tolerance of floats, relative to the largest of their kind in the block: other processors may
add in other orders. Counts have no tolerance."""


@dataclass(frozen=True)
class Replay:
    """The digest of the recomputed trials, and the first difference from those kept."""

    digest: str
    trials: int
    difference: str = ""


class _Differs(Exception):  # noqa: N818
    """Stops the run at the first difference."""


class _Comparison:
    """The memory of a run that knows nothing, and compares what was computed."""

    def __init__(self, store: Store, number: int) -> None:
        self._store, self._run = store, number
        self._metrics = store.run(number).metrics
        self._there = {(came.position, came.number): came for came in store.arrivals(number)}

    def find(self, cell: Cell, number: int, trials: int) -> None:  # noqa: ARG002
        return None

    def keep(self, cell: Cell, number: int, block: CellResults) -> None:
        kept = self._store.block(self._run, self._there[cell.index, number])
        first = difference(number, kept, block, self._metrics)
        if first:
            raise _Differs(f"cell {cell.index}, {first}")


def replay(
    store: Store,
    number: int,
    workers: int = 1,
    limits: bool = False,
    show: Callable[[Progress], object] = lambda _: None,
    experiment: Experiment | None = None,
) -> Replay:
    """Compute a kept run again and compare; stops at the first difference.

    experiment : that of the run, where it was bound already and its attacks in Python permitted.

    With one worker the first difference is the first in the order of cells and trials. Raises
    FileError, ScenarioError or RunError. `show` is called with the progress.
    """
    kept = store.measured_cells(number)
    trials = sum(cell.trials for cell in kept)
    experiment = experiment or store.experiment(number, limits)
    for cell, known in zip(experiment.cells, store.cells(number), strict=True):
        if cell.answer is not None and (other := _other_answer(cell, cell.answer)):
            return Replay("", 0, f"cell {cell.index}: {other}")
        if digest_of_bytes(cell.population.histogram.tobytes()) != known.histogram:
            return Replay("", 0, f"cell {cell.index}: its users hold other items than before")
    part, progress = _as_kept(experiment, kept), None
    try:
        for progress in run(part, workers, memory=_Comparison(store, number), apart=True):
            show(progress)
    except _Differs as error:
        return Replay("", progress.done if progress else 0, str(error))
    assert progress is not None
    if progress.results.error:
        return Replay("", progress.done, progress.results.error)
    again = progress.results.digest
    claimed = store.run(number).digest
    if again != digest(kept) or (claimed and again != claimed):
        return Replay(again, trials, f"the digest kept is {claimed}, not {again}")
    return Replay(again, trials)


def compare_runs(
    store: Store,
    number: int,
    workers: int = 1,
    limits: bool = False,
    show: Callable[[Progress], object] = lambda _: None,
    experiment: Experiment | None = None,
) -> Agreement:
    """Compute a kept run again, and compare its means with those kept; arguments as of `replay`.

    For a run whose numbers another version of NumPy drew.
    """
    kept = store.measured_cells(number)
    part = _as_kept(experiment or store.experiment(number, limits), kept)
    progress = None
    for progress in run(part, workers, apart=True):
        show(progress)
    assert progress is not None
    return agreement(kept, progress.results.cells)


def _as_kept(experiment: Experiment, kept: Sequence[CellResults]) -> Experiment:
    """The experiment with as many trials as were kept.

    What was kept beyond a gap is left out, as it is from the digest.
    """
    cells = tuple(
        replace(cell, trials=measured.trials)
        for cell, measured in zip(experiment.cells, kept, strict=True)
    )
    return Experiment(experiment.scenario, cells)


def _other_answer(cell: Cell, kept: Answer) -> str:
    """The difference between the kept answer to a cell's goal and today's; "" if none."""
    today = solve_goal(with_fakes(cell, 0), most=max(MAX_USERS, cell.users + cell.malicious)).answer
    assert today is not None
    near = math.isclose(today.value, kept.value, rel_tol=TOLERANCE)
    if near and replace(today, value=kept.value) == kept:
        return ""
    return f"the answer to its goal was {_in_words(kept)}, is {_in_words(today)}"


def _in_words(answer: Answer) -> str:
    reached = "" if answer.reached else "not reached, "
    return f"{reached}{answer.malicious} fake users for {answer.value!r} by {answer.by}"


def difference(
    number: int, kept: CellResults, computed: CellResults, metrics: Collection[str] = METRICS
) -> str:
    """The first difference of two blocks of this number in words, "" if there is none.

    metrics : the names of those that were kept.
    """
    marks = zip(kept.fingerprints.tolist(), computed.fingerprints.tolist(), strict=True)
    first = number * BLOCK_TRIALS
    for row, (before, after) in enumerate(marks):
        if before != after:
            return (
                f"trial {first + row}: the fingerprint of its counts was {before:016x}, "
                f"is {after:016x}"
            )
    for name in names_of(computed.metrics):
        old, new = column(kept.metrics, name), computed.metrics[name]
        # Trials of another run that are older than a metric have no value for it.
        kept_it = name in metrics and not np.isnan(old).all()
        at = _unlike(old, new) if kept_it else None
        if at is not None:
            return f"trial {first + at}: {name} was {float(old[at])!r}, is {float(new[at])!r}"
    rounds = _different_rounds(number, kept, computed, metrics)
    return rounds or _different_items(number, kept, computed)


def _different_rounds(
    block: int, kept: CellResults, computed: CellResults, metrics: Collection[str]
) -> str:
    """The first difference of the metrics of a campaign's rounds."""
    before, after = kept.rounds, computed.rounds
    if before is None or after is None:
        return "" if before is after else f"block {block}: its rounds are missing"
    for name in names_of(after.metrics):
        old, new = column(before.metrics, name), after.metrics[name]
        place = _unlike(old.ravel(), new.ravel()) if name in metrics else None
        if place is not None:
            row, number = divmod(place, old.shape[1])
            return (
                f"trial {block * BLOCK_TRIALS + row}, round {number}: {name} was "
                f"{float(old[row, number])!r}, is {float(new[row, number])!r}"
            )
    return ""


def _different_items(number: int, kept: CellResults, computed: CellResults) -> str:
    """The first difference between the estimates of single items."""
    if not kept.arms:
        return ""
    pairs = _pairs(kept.arms, computed.arms)
    if kept.rounds is not None:
        assert computed.rounds is not None
        in_rounds = _pairs(kept.rounds.arms, computed.rounds.arms)
        pairs |= {f"{name} of the rounds": arrays for name, arrays in in_rounds.items()}
    for name, (old, new) in pairs.items():
        place = _unlike(old.ravel(), new.ravel())
        if place is not None:
            item = place % old.shape[-1]
            return (
                f"block {number}: {name}, item {item}: was {float(old.flat[place])!r}, "
                f"is {float(new.flat[place])!r}"
            )
    if (kept.detected is None) != (computed.detected is None) or not np.array_equal(
        np.asarray(kept.detected), np.asarray(computed.detected)
    ):
        return f"block {number}: other items are detected"
    return ""


def _pairs(kept: Arms, computed: Arms) -> dict[str, tuple[Floats, Floats]]:
    """The arrays to compare, by their names in words."""
    pairs = {}
    for arm, moments in kept.items():
        words = f"{arm.name.replace('_', ' ')} frequencies"
        pairs[words] = moments.mean, computed[arm].mean
        pairs[f"spread of {words}"] = moments.squares, computed[arm].squares
    return pairs


def _unlike(before: Floats, after: Floats) -> int | None:
    """The first place where two vectors differ by more than the tolerance."""
    if before.shape != after.shape:
        return 0
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    if same.all():
        return None
    scale = np.nanmax(np.abs(before), initial=0.0)
    near = np.abs(before - after) <= TOLERANCE * scale
    places = np.flatnonzero(~(same | near))
    return int(places[0]) if places.size else None


FALSE_ALARM: Final = 0.01
"""The chance that some mean of two computations of one law is beyond the bound."""

ROUNDING: Final = 1e-9
"""Means that differ by less than this share of their size are equal."""


@dataclass(frozen=True)
class Agreement:
    """The means of two computations, compared one by one.

    compared, within : the number of means, and of those that differ by at most the bound.
    bound : in standard errors of a difference, paid for all comparisons (Bonferroni): in all of
        them together two computations of one law pass it with FALSE_ALARM at most, by the normal
        law of means, and Student's t for few trials.
    largest : the largest difference in these units.
    """

    compared: int
    within: int
    bound: float
    largest: float

    @property
    def same(self) -> bool:
        """Whether every mean is within the bound, and there is one."""
        return 0 < self.compared == self.within


def agreement(kept: Sequence[CellResults], again: Sequence[CellResults]) -> Agreement:
    """Compare the means of every metric in every cell of two computations of a run.

    A metric that is undefined in both, or known from one trial, is not compared.
    """
    from scipy.special import ndtri

    scores = [
        score
        for before, after in zip(kept, again, strict=True)
        for metric in names_of(before.metrics)
        if (score := _score(_mean(before, metric), _mean(after, metric), before.trials)) is not None
    ]
    bound = float(-ndtri(FALSE_ALARM / (2 * max(1, len(scores)))))
    within = sum(score <= bound for score in scores)
    return Agreement(len(scores), within, bound, max(scores, default=0.0))


def _mean(results: CellResults, metric: str) -> Estimate:
    return estimate_of(column(results.metrics, metric))


def _score(before: Estimate, after: Estimate, trials: int) -> float | None:
    """The difference of two means as a normal score; None where it cannot be told."""
    if before.mean is None or after.mean is None:
        return None if before.mean is after.mean else math.inf
    if before.standard_error is None or after.standard_error is None:
        return None
    gap, size = abs(before.mean - after.mean), max(abs(before.mean), abs(after.mean))
    error = math.hypot(before.standard_error, after.standard_error)
    if gap <= ROUNDING * size:
        return 0.0
    return normal_score(gap / error, trials) if error else math.inf
