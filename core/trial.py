"""Trials of one cell: histogram → counts → what its task makes of them. No input or output.

Counts path: the counts are drawn, a block of 20 trials at a time, O(d) whatever n.
Reports path: every user's report is made, counted and forgotten, in blocks of 65,536 users.

What is counted is the protocol's own: int64[d] support counts, RAPPOR's bits of each cohort, or a
curator's histogram [2, d] with its noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from .arms import ATTACKED, Arm
from .attacks import View
from .cell import Cell
from .protocols.rappor import memoised_counts, memoised_reports
from .pure import Items, Mechanism, Reports, Rng
from .results import BLOCK_TRIALS, Arms, Block, Fingerprints, Moments, Rounds
from .sampling import Counts, Floats
from .streams import stream
from .task import Task, task_of

USER_BLOCK = 65_536
"""Users that share one stream on the reports path."""

PAIRS = 1 << 24
"""(user, item) pairs handled between two pulses on the reports path: some 20 ms."""

Pulse: TypeAlias = Callable[[], None]
"""Called between pieces of work; raises to stop the work."""


def no_pulse() -> None:
    """Never stop."""


def run_block(
    cell: Cell, number: int, trials: int = BLOCK_TRIALS, pulse: Pulse = no_pulse
) -> Block:
    """Simulate the first `trials` trials of a block of a cell.

    The numbers depend on the cell and the block's number alone: a shorter block holds the first
    trials of the full one.
    """
    if cell.rounds:
        return _run_rounds(cell, number, trials, pulse)
    draw = draw_counts if cell.path == "counts" else count_reports
    clean, attacked = draw(cell, number, trials, pulse)
    marks = Fingerprints(trials)
    marks.add(clean, attacked)
    concluded = task_of(cell).conclude(cell, clean, attacked, pulse)
    return _block(cell, number, concluded, marks)


def _run_rounds(cell: Cell, number: int, trials: int, pulse: Pulse) -> Block:
    """The rounds of a campaign, one after the other so that an attacker can react; their pool."""
    # What reacts may draw for all trials at once: a block that is cut short is drawn whole.
    drawn = BLOCK_TRIALS if cell.path == "counts" else trials
    crafted = _drawn_fakes if cell.path == "counts" else _counted_fakes
    task, marks, published = task_of(cell), Fingerprints(drawn), None
    pool, metrics, moments = task.pool(cell), [], []
    genuine = _genuine_rounds(cell, number, drawn, pulse)
    for collection, clean in zip(cell.rounds, genuine, strict=True):
        attacked = clean
        if collection.attack is not None:
            fakes = crafted(collection, number, drawn, pulse, len(cell.rounds), published)
            attacked = clean + fakes
        concluded = task.conclude(collection, clean, attacked, pulse)
        published = task.kept(concluded[collection.published])
        marks.add(clean, attacked)
        metrics.append(task.measure(collection, concluded)[:trials])
        moments.append(
            {arm: Moments.of(task.kept(made)[:trials]) for arm, made in concluded.items()}
        )
        pool.add(collection, clean, attacked, concluded)
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


def _genuine_rounds(cell: Cell, number: int, trials: int, pulse: Pulse) -> Iterator[Counts]:
    """The genuine users' counts [trials, …] of each round; under RAPPOR users keep their bits."""
    if cell.noise is None:
        draw = _drawn_genuine if cell.path == "counts" else _counted_genuine
        for collection in cell.rounds:
            yield draw(collection, number, trials, pulse)
        return
    permanent = f"{cell.rounds[0].genuine_address} permanent"
    if cell.path == "reports":
        for collection in cell.rounds:
            yield _counted_genuine(collection, number, trials, pulse, permanent)
        return

    def fresh(number_of_round: int) -> Rng:
        pulse()
        address = cell.rounds[number_of_round].genuine_address
        return stream(cell.seed, address, "genuine", "counts", (number,))

    yield from memoised_counts(
        cell.protocol,
        cell.noise,
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
    """`permanent` names the streams of the bits that RAPPOR's users keep from round to round."""
    protocol, held_until = cell.local, np.cumsum(cell.population.histogram)

    def honest(_: int, start: int, stop: int, rng: Rng, *kept: Rng) -> Iterator[Reports]:
        values = _values(held_until, start, stop)
        if not kept:
            yield protocol.perturb(values, rng)
            return
        assert cell.noise is not None
        yield memoised_reports(protocol, cell.noise, values, kept[0], rng)

    addresses = [cell.genuine_address, permanent] if permanent else [cell.genuine_address]
    return _counted(cell, "genuine", addresses, number, trials, pulse, honest)


def _counted_fakes(
    cell: Cell,
    number: int,
    trials: int,
    pulse: Pulse,
    rounds: int = 1,
    published: Floats | None = None,
) -> Counts:
    def crafted(row: int, start: int, stop: int, rng: Rng) -> Iterator[Reports]:
        # Fakes stand in the order of their parts.
        seen, first = None if published is None else published[row], 0
        for fakes in cell.fakes:
            some = min(stop, first + fakes.count) - max(start, first)
            if some > 0:
                view = View(fakes.targets, cell.round, rounds, seen, cell.top_k)
                yield fakes.strategy.reports(cell.local, view, some, rng)
            first += fakes.count

    addresses = [cell.malicious_address]
    return _counted(cell, "malicious", addresses, number, trials, pulse, crafted)


def _counted(
    cell: Cell,
    role: Literal["genuine", "malicious"],
    addresses: Sequence[str],
    number: int,
    trials: int,
    pulse: Pulse,
    make: Callable[..., Iterator[Reports]],
) -> Counts:
    """Counts [trials, …] of the reports that `make(row, start, stop, *generators)` yields."""
    protocol, generator = cell.local, np.random.default_rng(0)
    nobody = protocol.support_counts(protocol.perturb(np.empty(0, dtype=np.int64), generator))
    counts = np.repeat(nobody[None], trials, axis=0)
    for row in range(trials):
        for start, stop, rngs in _users(cell, role, addresses, number * BLOCK_TRIALS + row):
            pulse()
            for reports in make(row, start, stop, *rngs):
                counts[row] += protocol.support_counts(reports)
    return counts


def _users(
    cell: Cell, role: Literal["genuine", "malicious"], addresses: Sequence[str], trial: int
) -> Iterator[tuple[int, int, list[Rng]]]:
    """The users of one trial as (first, last + 1, their generators), a small piece at a time.

    Every 65,536 users have a stream of their own for each address; a piece is a fixed part of such
    a block, so neither memory nor the time between two pulses grows with the domain.
    """
    users = cell.users if role == "genuine" else cell.malicious
    piece = max(1, min(USER_BLOCK, PAIRS // cell.population.domain_size))
    for block, first in enumerate(range(0, users, USER_BLOCK)):
        rngs = [
            stream(cell.seed, address, role, "reports", (trial, block)) for address in addresses
        ]
        end = min(first + USER_BLOCK, users)
        for start in range(first, end, piece):
            yield start, min(start + piece, end), rngs


def _values(held_until: Counts, start: int, stop: int) -> Items:
    """The items of users start … stop - 1, when users stand in the order of their items."""
    first, last = np.searchsorted(held_until, (start, stop - 1), side="right")
    edges = np.clip(held_until[first : last + 1], start, stop)
    return np.repeat(np.arange(first, last + 1), np.diff(edges, prepend=start))
