"""Replays: a stored run is computed again, and all stored results are compared.

If another NumPy or simulator drew other numbers, the means are compared instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..base.sampling import Floats
from ..base.streams import digest as digest_of_bytes
from ..base.versions import find_changed_sampler
from ..cell import Cell
from ..experiment import Experiment
from ..experiment.search import solve_goal, with_fakes
from ..experiment.size_limits import MAX_USERS
from ..metrics import METRICS, Measures, column, names_of
from ..metrics.goal import GoalAnswer
from ..metrics.results import BLOCK_TRIALS, Arms, CellResults, digest, estimate_of
from ..running.runner import Progress, run
from ..theory import normal_score
from . import Store

TOLERANCE: Final = 1e-12
"""The tolerance of floats, relative to the largest of their kind in the block: other processors may
add in other orders. Counts have no tolerance."""


@dataclass(frozen=True)
class Replay:
    """The result of recomputing a run: its digest, and the first difference from the stored
    results.

    difference : "" if there is none. means : the comparison of the means, if another version of
    NumPy or of the simulator drew the stored run; else None.
    """

    digest: str
    trials: int
    difference: str = ""
    means: MeanAgreement | None = None


class _Differs(Exception):  # noqa: N818
    """Stops the run at the first difference."""


class _Comparison:
    """The memory of a run that knows nothing, and compares what was computed."""

    def __init__(self, store: Store, number: int, goes_on: bool) -> None:
        self._store, self._run, self._goes_on = store, number, goes_on
        self._metrics = store.run(number).metrics
        self._there = {(came.position, came.number): came for came in store.arrivals(number)}
        self.first = ""

    def find(self, cell: Cell, number: int, trials: int) -> None:  # noqa: ARG002
        return None

    def keep(self, cell: Cell, number: int, block: CellResults) -> None:
        if self.first:
            return
        kept = self._store.block(self._run, self._there[cell.index, number])
        words = difference(number, kept, block, self._metrics)
        if words:
            self.first = f"cell {cell.index}, {words}"
            if not self._goes_on:
                raise _Differs


def replay(
    store: Store,
    number: int,
    workers: int = 1,
    show: Callable[[Progress], object] = lambda _: None,
    experiment: Experiment | None = None,
) -> Replay:
    """The comparison of a stored run with its recomputation; stops at the first difference.

    A run that another NumPy or simulator drew is computed whole, and its means are compared.
    experiment : the run's, if it is bound already and its plug-in code permitted. With one worker
    the first difference is the first in the order of cells and trials. show : called with the
    progress. Raises FileError, ScenarioError or RunError.
    """
    kept = store.measured_cells(number)
    trials = sum(cell.trials for cell in kept)
    redrawn = find_changed_sampler(store.run(number).versions)
    experiment = experiment or store.experiment(number)
    # What was kept beyond a gap is left out, as it is from the digest.
    cells = tuple(
        replace(cell, trials=measured.trials)
        for cell, measured in zip(experiment.cells, kept, strict=True)
    )
    memory = _Comparison(store, number, bool(redrawn))
    for cell, known in zip(cells, store.cells(number), strict=True):
        if cell.answer is not None and (other := _other_answer(cell, cell.answer)):
            memory.first = memory.first or f"cell {cell.index}: {other}"
        elif digest_of_bytes(cell.population.histogram.tobytes()) != known.histogram:
            other = f"cell {cell.index}: its users hold other items than before"
            memory.first = memory.first or other
    if memory.first and not redrawn:
        return Replay("", 0, memory.first)
    progress = None
    try:
        part = Experiment(experiment.scenario, cells)
        for progress in run(part, workers, memory=memory, apart=True):
            show(progress)
    except _Differs:
        return Replay("", progress.done if progress else 0, memory.first)
    assert progress is not None
    results = progress.results
    if results.error:
        return Replay("", progress.done, results.error)
    claimed = store.run(number).digest
    first = memory.first
    if not first and (results.digest != digest(kept) or claimed not in ("", results.digest)):
        first = f"the digest kept is {claimed}, not {results.digest}"
    means = agreement(kept, results.cells) if first and redrawn else None
    return Replay(results.digest, trials, first, means)


def _other_answer(cell: Cell, kept: GoalAnswer) -> str:
    """The difference between the kept answer to a cell's goal and today's; "" if none."""
    today = solve_goal(with_fakes(cell, 0), most=max(MAX_USERS, cell.users + cell.malicious)).answer
    assert today is not None
    near = math.isclose(today.value, kept.value, rel_tol=TOLERANCE)
    if near and replace(today, value=kept.value) == kept:
        return ""
    words = [
        f"{'' if answer.reached else 'not reached, '}{answer.malicious} fake users "
        f"for {answer.value!r} by {answer.by}"
        for answer in (kept, today)
    ]
    return f"the answer to its goal was {words[0]}, is {words[1]}"


def difference(
    number: int, kept: CellResults, computed: CellResults, metrics: Collection[str] = METRICS
) -> str:
    """The first difference between two blocks, in words; "" if they are equal.

    number : of the block. metrics : the names of the stored metrics.
    """
    first, was, now = number * BLOCK_TRIALS, kept.fingerprints, computed.fingerprints
    for row in np.flatnonzero(was != now):
        marks = f"was {was[row]:016x}, is {now[row]:016x}"
        return f"trial {first + row}: the fingerprint of its counts {marks}"
    if (kept.rounds is None) != (computed.rounds is None):
        return f"block {number}: its rounds are missing"
    measured, items = [(kept.metrics, computed.metrics)], [(kept.arms, computed.arms, "")]
    if kept.rounds is not None and computed.rounds is not None:
        measured.append((kept.rounds.metrics, computed.rounds.metrics))
        items.append((kept.rounds.arms, computed.rounds.arms, " of the rounds"))
    for name, old, new in (each for pair in measured for each in _metric_pairs(*pair, metrics)):
        if (place := _unlike(old, new)) is not None:
            trial, *rest = place
            where = f"trial {first + trial}" + "".join(f", round {at}" for at in rest)
            return f"{where}: {name} was {float(old[place])!r}, is {float(new[place])!r}"
    for name, old, new in (each for pair in items for each in _item_pairs(*pair)):
        if (place := _unlike(old, new)) is not None:
            values = f"was {float(old[place])!r}, is {float(new[place])!r}"
            return f"block {number}: {name}, item {place[-1]}: {values}"
    if kept.arms and not np.array_equal(np.asarray(kept.detected), np.asarray(computed.detected)):
        return f"block {number}: other items are detected"
    return ""


def _metric_pairs(
    kept: Measures, computed: Measures, metrics: Collection[str]
) -> Iterator[tuple[str, Floats, Floats]]:
    """The values of each metric that was kept, by its name."""
    for name in names_of(computed):
        old = column(kept, name)
        # Trials of another run that are older than a metric have no value for it.
        if name in metrics and not np.isnan(old).all():
            yield name, old, computed[name]


def _item_pairs(kept: Arms, computed: Arms, end: str) -> Iterator[tuple[str, Floats, Floats]]:
    """The moments of single items in each arm, by their names in words."""
    for arm, moments in kept.items():
        words = f"{arm.name.replace('_', ' ')} frequencies"
        yield f"{words}{end}", moments.mean, computed[arm].mean
        yield f"spread of {words}{end}", moments.squares, computed[arm].squares


def _unlike(before: Floats, after: Floats) -> tuple[int, ...] | None:
    """The first place where two arrays differ by more than the tolerance."""
    if before.shape != after.shape:
        return (0,) * before.ndim
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    if same.all():
        return None
    scale = np.nanmax(np.abs(before), initial=0.0)
    near = np.abs(before - after) <= TOLERANCE * scale
    places = np.argwhere(~(same | near))
    return tuple(map(int, places[0])) if len(places) else None


FALSE_ALARM: Final = 0.01
"""The chance that some mean of two computations of one law is beyond the bound."""

ROUNDING: Final = 1e-9
"""Means that differ by less than this share of their size are equal."""


@dataclass(frozen=True)
class MeanAgreement:
    """The comparison of the means of two computations of a run.

    compared, within : the number of means, and of those that differ by at most the bound.
    bound : in standard errors of a difference, corrected for all comparisons (Bonferroni): two
    computations of the same distribution exceed it anywhere with probability FALSE_ALARM at most,
        for normal means, and by Student's t for few trials.
    largest : the largest difference in these units.
    """

    compared: int
    within: int
    bound: float
    largest: float

    @property
    def same(self) -> bool:
        """Whether there are means, and all of them agree within the bound."""
        return 0 < self.compared == self.within


def agreement(kept: Sequence[CellResults], again: Sequence[CellResults]) -> MeanAgreement:
    """The comparison of the means of every metric in every cell of two computations of a run.

    A metric that is undefined in both, or known from one trial, is not compared.
    """
    from scipy.special import ndtri

    scores = [
        score
        for before, after in zip(kept, again, strict=True)
        for metric in names_of(before.metrics)
        if (score := _score(column(before.metrics, metric), column(after.metrics, metric)))
        is not None
    ]
    bound = float(-ndtri(FALSE_ALARM / (2 * max(1, len(scores)))))
    within = sum(score <= bound for score in scores)
    return MeanAgreement(len(scores), within, bound, max(scores, default=0.0))


def _score(kept: Floats, again: Floats) -> float | None:
    """The difference of the means of two samples as a normal score; None where none is known."""
    before, after = estimate_of(kept), estimate_of(again)
    if before.mean is None or after.mean is None:
        return None if before.mean is after.mean else math.inf
    if before.standard_error is None or after.standard_error is None:
        return None
    gap, size = abs(before.mean - after.mean), max(abs(before.mean), abs(after.mean))
    error = math.hypot(before.standard_error, after.standard_error)
    if gap <= ROUNDING * size:
        return 0.0
    return normal_score(gap / error, kept.size) if error else math.inf
