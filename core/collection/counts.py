"""The counts of a block of trials, without and with the attack. No input or output.

Counts path: the counts are drawn, a block of 20 trials at a time, O(d) for any n.
Reports path: every user's report is made, counted and discarded, in blocks of 65,536 users. If a
filter reads them, those of one trial stay in memory.

The counts are the protocol's own: int64[d] support counts, the bits of each cohort, or a
curator's histogram [2, d] with its noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..base.sampling import Counts
from ..base.streams import stream
from ..cell import Cell
from ..law.longitudinal import Attendance, Memoising
from ..law.pure import Reports, Rng
from ..metrics.results import BLOCK_TRIALS
from ..protocols.curators import Curator
from .reports import ALONE, CampaignHistory, fake_reports, genuine_reports, no_reports


def trial_numbers(number: int, trials: int) -> range:
    """The numbers of the first `trials` trials of block `number`."""
    return range(number * BLOCK_TRIALS, number * BLOCK_TRIALS + trials)


def drawn_trials(cell: Cell, trials: int) -> int:
    """The number of trials to draw for the first `trials` of a block.

    On the counts path all trials of the block, as they are drawn at once.
    """
    return max(trials, BLOCK_TRIALS) if cell.path == "counts" else trials


def block_counts(cell: Cell, number: int, trials: int) -> tuple[Counts, Counts]:
    """Counts [trials, …] without and with the attack, of the first trials of block `number`,
    simulated on the cell's path (counts or reports).
    """
    return arrived_counts(cell, number, trials)[:2]


def arrived_counts(cell: Cell, number: int, trials: int) -> tuple[Counts, Counts, Counts]:
    """Counts [trials, …] without and with the attack, and int64[trials], the number of reports with
    it.
    """
    everyone = np.full(trials, cell.users + cell.malicious)
    drawn = drawn_trials(cell, trials)
    clean = genuine_counts(cell, number, drawn)[:trials]
    if cell.attack is None:
        return clean, clean, everyone
    sent, senders = sent_counts(cell, number, drawn)
    return clean, clean + sent[:trials], cell.users + senders[:trials]


def kept_address(cell: Cell) -> str:
    """The address of the random streams of answers that users memoise over rounds; "" without
    memoisation.
    """
    return (
        f"{cell.rounds[0].genuine_address} permanent"
        if isinstance(cell.protocol, Memoising)
        else ""
    )


def genuine_rounds(cell: Cell, number: int, trials: int) -> Iterator[Counts]:
    """Yields the genuine users' counts [trials, …] of each round of a campaign.

    If the protocol memoises, users give the kept answers of one round again in the next.
    number : of the block of trials, for its random streams.
    """
    protocol, permanent = cell.protocol, kept_address(cell)
    if not isinstance(protocol, Memoising) or cell.path == "reports":
        for collection in cell.rounds:
            yield genuine_counts(collection, number, trials, permanent)
        return

    def fresh(number_of_round: int) -> Rng:
        address = cell.rounds[number_of_round].genuine_address
        return stream(cell.seed, address, "genuine", "counts", (number,))

    rounds = Attendance(
        [collection.population.histogram for collection in cell.rounds],
        [collection.left for collection in cell.rounds if collection.left is not None],
        trials,
        stream(cell.seed, permanent, "genuine", "counts", (number,)),
        fresh,
    )
    yield from protocol.memoised_counts(rounds)


def genuine_counts(cell: Cell, number: int, trials: int, permanent: str = "") -> Counts:
    """The genuine users' counts [trials, …] of one collection, on the cell's path (counts or
    reports).

    permanent : the address of the streams of memoised answers, on the reports path; "" without.
    """
    if cell.path == "reports":
        numbers = trial_numbers(number, trials)
        made = (genuine_reports(cell, trial, permanent) for trial in numbers)
        return count_reports(cell, made)[0]
    groups = cell.population.groups
    histogram = np.broadcast_to(groups, (trials, groups.size))
    rng = stream(cell.seed, cell.genuine_address, "genuine", "counts", (number,))
    counts = cell.protocol.sample_counts(histogram, rng)
    if isinstance(cell.protocol, Curator):
        return np.asarray(counts + cell.protocol.noise_counts(trials, rng))
    return counts


def sent_counts(
    cell: Cell, number: int, trials: int, history: CampaignHistory = ALONE
) -> tuple[Counts, Counts]:
    """The fakes' counts [trials, …], and int64[trials], the number of fakes who sent a report."""
    if cell.path == "reports":
        made = (
            fake_reports(cell, trial, history.of(row))
            for row, trial in enumerate(trial_numbers(number, trials))
        )
        return count_reports(cell, made)
    rng = stream(cell.seed, cell.malicious_address, "malicious", "counts", (number,))
    counts, senders = [], np.zeros(trials, dtype=np.int64)
    for fakes in cell.fakes:
        view = history.view(cell, fakes.targets)
        count = fakes.sending(np.full(trials, fakes.count), rng)
        counts.append(fakes.strategy.counts(cell.protocol, view, count, rng))
        senders += count
    return np.asarray(sum(counts)), senders


def count_reports(cell: Cell, of_trials: Iterable[Iterable[Reports]]) -> tuple[Counts, Counts]:
    """Counts [trials, …] and int64[trials], the number of reports, of trials given as iterables of
    report arrays.
    """
    count = cell.local.support_counts
    counts, numbers = [], []
    for pieces in of_trials:
        total, number = count(no_reports(cell)), 0
        for reports in pieces:
            total, number = total + count(reports), number + len(reports)
        counts.append(total)
        numbers.append(number)
    return np.array(counts), np.array(numbers)
