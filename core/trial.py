"""Trials of one cell: histogram → counts → what its task makes of them. No input or output.

Counts path: the counts are drawn, a block of 20 trials at a time, O(d) whatever n.
Reports path: every user's report is made, counted and forgotten, in blocks of 65,536 users. Where a
filter reads them, those of one trial are held.

What is counted is the protocol's own: int64[d] support counts, RAPPOR's bits of each cohort, or a
curator's histogram [2, d] with its noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .arms import ATTACKED, Arm
from .attacks import View
from .cell import Cell
from .pure import Mechanism, Reports, Rng
from .reports import USER_BLOCK as USER_BLOCK
from .reports import Pulse as Pulse
from .reports import fake_reports, genuine_reports, no_reports
from .reports import no_pulse as no_pulse
from .results import BLOCK_TRIALS, Arms, Block, Fingerprints, Moments, Rounds
from .sampling import Counts, Floats
from .sifting import Sifted, sift_reports
from .streams import stream
from .task import Task, task_of


def run_block(
    cell: Cell, number: int, trials: int = BLOCK_TRIALS, pulse: Pulse = no_pulse
) -> Block:
    """Simulate the first `trials` trials of a block of a cell.

    The numbers depend on the cell and the block's number alone: a shorter block holds the first
    trials of the full one.
    """
    if cell.rounds:
        return _run_rounds(cell, number, trials, pulse)
    sifted: Mapping[Arm, Sifted] = {}
    if cell.filters:
        clean, attacked, sifted = sift_reports(cell, _trials(number, trials), pulse)
    else:
        draw = draw_counts if cell.path == "counts" else count_reports
        clean, attacked = draw(cell, number, trials, pulse)
    marks = Fingerprints(trials)
    marks.add(clean, attacked)
    concluded = task_of(cell).conclude(cell, clean, attacked, pulse, sifted, {})
    return _block(cell, number, concluded, marks)


def _run_rounds(cell: Cell, number: int, trials: int, pulse: Pulse) -> Block:
    """The rounds of a campaign, one after the other so that an attacker can react; their pool."""
    # What reacts may draw for all trials at once: a block that is cut short is drawn whole.
    drawn = BLOCK_TRIALS if cell.path == "counts" else trials
    crafted = _drawn_fakes if cell.path == "counts" else _counted_fakes
    task, marks, published = task_of(cell), Fingerprints(drawn), None
    pool, metrics, moments = task.pool(cell), [], []
    genuine = _genuine_rounds(cell, number, drawn, pulse)
    concluded: Mapping[Arm, Any] = {}
    for collection in cell.rounds:
        sifted: Mapping[Arm, Sifted] = {}
        if cell.filters:
            numbers = _trials(number, drawn)
            clean, attacked, sifted = sift_reports(
                collection, numbers, pulse, len(cell.rounds), published, _kept_address(cell)
            )
        else:
            attacked = clean = next(genuine)
            if collection.attack is not None:
                fakes = crafted(collection, number, drawn, pulse, len(cell.rounds), published)
                attacked = clean + fakes
        concluded = task.conclude(collection, clean, attacked, pulse, sifted, concluded)
        published = task.kept(concluded[collection.published])
        marks.add(clean, attacked)
        metrics.append(task.measure(collection, concluded)[:trials])
        moments.append(
            {arm: Moments.of(task.kept(made)[:trials]) for arm, made in concluded.items()}
        )
        pool.add(collection, clean, attacked, concluded, sifted)
    whole = pool.conclude(trials, pulse)
    arms = {arm: _stacked([each[arm] for each in moments]) for arm in whole}
    rounds = Rounds(np.stack(metrics, axis=1), arms)
    return replace(_block(cell, number, whole, marks), rounds=rounds)


def _block(cell: Cell, number: int, concluded: Mapping[Arm, Any], marks: Fingerprints) -> Block:
    task = task_of(cell)
    metrics = task.measure(cell, concluded)
    return Block(
        cell=cell.index,
        number=number,
        metrics=metrics,
        fingerprints=marks.values[: len(metrics)],
        arms=_moments(task, concluded),
        detected=task.detected(concluded[ATTACKED]),
    )


def _moments(task: Task, concluded: Mapping[Arm, Any]) -> Arms:
    """The moments of each arm; the same object where the attack changes nothing."""
    moments: dict[Arm, Moments] = {}
    for arm, made in concluded.items():
        same = arm.attacked and made is concluded[arm.before]
        moments[arm] = moments[arm.before] if same else Moments.of(task.kept(made))
    return moments


def _stacked(moments: Sequence[Moments]) -> Moments:
    """The moments of vectors [d] as those of an array [R, d]."""
    return Moments(
        moments[0].trials,
        np.array([each.mean for each in moments]),
        np.array([each.squares for each in moments]),
    )


def _kept_address(cell: Cell) -> str:
    """The address of the streams of what users keep over the rounds; empty where nothing is."""
    return "" if cell.memory is None else f"{cell.rounds[0].genuine_address} permanent"


def _genuine_rounds(cell: Cell, number: int, trials: int, pulse: Pulse) -> Iterator[Counts]:
    """The genuine users' counts [trials, …] of each round, of users who may keep an answer."""
    memory = cell.memory
    if memory is None:
        draw = _drawn_genuine if cell.path == "counts" else _counted_genuine
        for collection in cell.rounds:
            yield draw(collection, number, trials, pulse)
        return
    permanent = _kept_address(cell)
    if cell.path == "reports":
        for collection in cell.rounds:
            yield _counted_genuine(collection, number, trials, pulse, permanent)
        return

    def fresh(number_of_round: int) -> Rng:
        pulse()
        address = cell.rounds[number_of_round].genuine_address
        return stream(cell.seed, address, "genuine", "counts", (number,))

    yield from memory.memoised_counts(
        [collection.population.histogram for collection in cell.rounds],
        [collection.left for collection in cell.rounds if collection.left is not None],
        trials,
        stream(cell.seed, permanent, "genuine", "counts", (number,)),
        fresh,
    )


# Counts path: drawn from their exact law.


def draw_counts(
    cell: Cell, number: int, trials: int, pulse: Pulse, drawn: int = BLOCK_TRIALS
) -> tuple[Counts, Counts]:
    """Counts [trials, …] before and after the attack."""
    clean = _drawn_genuine(cell, number, drawn, pulse)[:trials]
    if cell.attack is None:
        return clean, clean
    return clean, clean + _drawn_fakes(cell, number, drawn, pulse)[:trials]


def _drawn_genuine(cell: Cell, number: int, drawn: int, pulse: Pulse) -> Counts:
    pulse()
    histogram = np.broadcast_to(cell.population.histogram, (drawn, cell.population.domain_size))
    rng = stream(cell.seed, cell.genuine_address, "genuine", "counts", (number,))
    return genuine_counts(cell.protocol, histogram, rng)


def _drawn_fakes(
    cell: Cell,
    number: int,
    drawn: int,
    pulse: Pulse,
    rounds: int = 1,
    published: Floats | None = None,
) -> Counts:
    pulse()
    rng = stream(cell.seed, cell.malicious_address, "malicious", "counts", (number,))
    counts = []
    for fakes in cell.fakes:
        view = View(fakes.targets, cell.round, rounds, published, cell.top_k)
        count = np.full(drawn, fakes.count)
        counts.append(fakes.strategy.counts(cell.protocol, view, count, rng))
    return np.asarray(sum(counts))


def genuine_counts(protocol: Mechanism, histogram: Counts, rng: Rng) -> Counts:
    """Counts of honest users, int64[trials, d] per item; a curator's have a release's noise."""
    counts = protocol.sample_counts(histogram, rng)
    noise = getattr(protocol, "noise_counts", None)
    return counts if noise is None else np.asarray(counts + noise(len(histogram), rng))


# Reports path: every user's report.


def count_reports(cell: Cell, number: int, trials: int, pulse: Pulse) -> tuple[Counts, Counts]:
    """Counts int64[trials, …] before and after the attack."""
    clean = _counted_genuine(cell, number, trials, pulse)
    if cell.attack is None:
        return clean, clean
    return clean, clean + _counted_fakes(cell, number, trials, pulse)


def _counted_genuine(
    cell: Cell, number: int, trials: int, pulse: Pulse, permanent: str = ""
) -> Counts:
    """`permanent` names the streams of what users keep from round to round."""
    of_trials = (
        genuine_reports(cell, trial, pulse, permanent) for trial in _trials(number, trials)
    )
    return _counted(cell, of_trials)


def _counted_fakes(
    cell: Cell,
    number: int,
    trials: int,
    pulse: Pulse,
    rounds: int = 1,
    published: Floats | None = None,
) -> Counts:
    of_trials = (
        fake_reports(cell, trial, pulse, rounds, None if published is None else published[row])
        for row, trial in enumerate(_trials(number, trials))
    )
    return _counted(cell, of_trials)


def _counted(cell: Cell, of_trials: Iterable[Iterable[Reports]]) -> Counts:
    """Counts [trials, …] of the reports of each trial, which come in pieces."""
    count = cell.local.support_counts
    nobody = count(no_reports(cell))
    return np.array([sum(map(count, pieces), start=nobody) for pieces in of_trials])


def _trials(number: int, trials: int) -> range:
    """The numbers of the first trials of a block."""
    return range(number * BLOCK_TRIALS, number * BLOCK_TRIALS + trials)
