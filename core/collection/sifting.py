"""Filters at work: the reports of a trial, the verdict on them, and the counts of the kept ones.

If reports are verified, the defended arms consist of the reports that arrive; no filter reads them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..base.arms import ATTACKED_DEFENDED, CLEAN_DEFENDED, Arm
from ..base.flags import Flags, area_under
from ..base.sampling import Counts, Floats
from ..base.streams import stream
from ..base.work import Tell, no_words
from ..cell import Cell
from ..defences import TrialReports, Verdict
from ..law.pure import BoolArray, Items, Reports
from .counts import count_reports, drawn_trials, sent_counts
from .reports import ALONE, CampaignHistory, fake_reports, genuine_reports, no_reports


@dataclass(frozen=True, eq=False)
class FilteredReports:
    """The reports that remain in one arm of several trials, after filters or verification.

    counts : int64[trials, d], support counts. users : int64[trials], the number of reports.
    named : for each trial the items that a filter takes for targets.
    flags : the detections of the filters; None without filters.
    """

    counts: Counts
    users: Counts
    named: tuple[Items, ...]
    flags: Flags | None


@dataclass(frozen=True, eq=False)
class TrialVerdict:
    """The verdict of the filters on every report of one trial, in random order.

    fakes, kept : bool[N]: whether a report is a fake's, and whether it is kept. told : whether any
    filter flags reports at all.
    score : float64[N], higher for reports that look more like a fake's; None without a score.
    alarm : whether a filter claims an attack; None if none can. named : items taken for targets.
    counts : int64[d], support counts of all reports. left : of the kept ones, `users` many.
    share, share_noise : the estimated share of fakes and its standard deviation; NaN if not
    estimated.
    certified : the proved lower bound on the share of fakes; NaN if none is proved.
    """

    fakes: BoolArray
    kept: BoolArray
    told: bool
    score: Floats | None
    alarm: bool | None
    named: Items
    counts: Counts
    left: Counts
    users: int
    share: float
    share_noise: float
    certified: float


@dataclass(frozen=True, eq=False)
class _ReadReports:
    """The reports of one side of a trial, and those of the same users that came second, if any.

    counts : int64[d], support counts of all of them.
    """

    reports: Reports
    again: Reports | None
    counts: Counts


Send: TypeAlias = Callable[[Cell, Reports | None], Iterator[Reports]]
"""The reports of a collection in pieces, those that come first or those that follow them."""


def detection(cell: Cell, trial: int = 0) -> TrialVerdict:
    """The filters' verdict on each report of one trial of a cell."""
    genuine, fakes = _genuine(trial), _fakes(trial)
    return _judge_reports(
        cell,
        _read_reports(cell, genuine, cell.users),
        _read_reports(cell, fakes, cell.malicious),
        trial,
    )


def sift_reports(
    cell: Cell,
    trials: Sequence[int],
    history: CampaignHistory = ALONE,
    permanent: str = "",
    tell: Tell = no_words,
) -> tuple[Counts, Counts, Mapping[Arm, FilteredReports]]:
    """Support counts [trials, d] without and with the attack, and the reports that the filters keep
    in both defended arms.

    permanent : as for `genuine_reports`.
    """
    clean, attacked = [], []
    before, after = list[TrialVerdict](), list[TrialVerdict]()
    nobody = _ReadReports(no_reports(cell), None, cell.local.support_counts(no_reports(cell)))
    for row, trial in enumerate(trials):
        send = _genuine(trial, permanent)
        genuine = _read_reports(cell, send, cell.users)
        clean.append(genuine.counts if cell.asked is None else _counts(cell, send))
        place = f"trial {row + 1} of {len(trials)}"
        watch = _tell_with(tell, f"{place} without fakes")
        before.append(_judge_reports(cell, genuine, nobody, trial, watch))
        if cell.attack is None:
            attacked.append(clean[-1])
            continue
        send = _fakes(trial, history.of(row))
        fakes = _read_reports(cell, send, cell.malicious)
        more = fakes.counts if cell.sifted_cell is cell else _counts(cell, send)
        attacked.append(clean[-1] + more)
        after.append(_judge_reports(cell, genuine, fakes, trial, _tell_with(tell, place)))
    arms = {CLEAN_DEFENDED: _sift_arm(cell, before)}
    arms[ATTACKED_DEFENDED] = (
        arms[CLEAN_DEFENDED] if cell.attack is None else _sift_arm(cell, after)
    )
    without = np.array(clean)
    return without, without if cell.attack is None else np.array(attacked), arms


def _tell_with(tell: Tell, place: str) -> Tell:
    """A function that tells words about a trial, with its place in the run before them."""
    return lambda words: tell(f"{place}: {words}")


def _genuine(trial: int, permanent: str = "") -> Send:
    return lambda asked, first: genuine_reports(asked, trial, permanent, first)


def _fakes(trial: int, history: CampaignHistory = ALONE) -> Send:
    return lambda asked, first: fake_reports(asked, trial, history, first)


def _read_reports(cell: Cell, send: Send, users: int) -> _ReadReports:
    first, counts = _gather_reports(cell.sifted_cell, send(cell.sifted_cell, None), users)
    if not any(step.asks_twice for step in cell.filters):
        return _ReadReports(first, None, counts)
    second, more = _gather_reports(cell.sifted_cell, send(cell.sifted_cell, first), users)
    return _ReadReports(first, second, counts + more)


def _counts(cell: Cell, send: Send) -> Counts:
    """The counts of the collection without a defence, whose reports are others."""
    return np.asarray(count_reports(cell, [send(cell, None)])[0][0])


def _gather_reports(cell: Cell, pieces: Iterable[Reports], users: int) -> tuple[Reports, Counts]:
    """The reports of at most this many users in one array, and their support counts."""
    nobody = no_reports(cell)
    held = np.empty((users, *nobody.shape[1:]), dtype=nobody.dtype)
    counts, at = cell.local.support_counts(nobody), 0
    for reports in pieces:
        counts = counts + cell.local.support_counts(reports)
        held[at : at + len(reports)] = reports
        at += len(reports)
    return held[:at], counts


def _judge_reports(
    cell: Cell,
    genuine: _ReadReports,
    fakes: _ReadReports,
    trial: int,
    tell: Tell = no_words,
) -> TrialVerdict:
    """The verdict of all filters in turn on these reports, in a random order."""
    forged = len(fakes.reports)
    address = cell.malicious_address if forged else cell.genuine_address
    everyone = len(genuine.reports) + forged
    place = stream(cell.seed, address, "order", "reports", (trial,)).permutation(everyone)
    mixed = _mix_reports(genuine.reports, fakes.reports, place)
    again = None
    if genuine.again is not None:
        again = _mix_reports(
            genuine.again, fakes.reports if fakes.again is None else fakes.again, place
        )
    fake = np.zeros(everyone, dtype=np.bool_)
    fake[place[len(genuine.reports) :]] = True

    protocol = cell.sifted_cell.local
    here, reports = np.arange(everyone), mixed
    score, alarm, sifted, named = None, None, False, np.empty(0, dtype=np.int64)
    verdict, counts = Verdict(), genuine.counts + fakes.counts
    removed, fewer, certified = np.zeros_like(counts), 0, math.nan
    for number, step in enumerate(cell.filters):
        rng = stream(cell.seed, f"{address} {step!r}", "defence", "reports", (trial, number))
        verdict = step.sift(TrialReports(protocol, reports, rng, again, cell.targets, tell))
        score = verdict.score if number == 0 else score  # the first one has seen every report
        if verdict.alarm is not None:
            alarm = verdict.alarm or bool(alarm)
        named = verdict.named if verdict.named.size else named
        removed = removed if verdict.removed is None else removed + verdict.removed
        fewer += verdict.fewer
        certified = float(np.fmax(certified, verdict.certified))
        if verdict.kept is None:
            continue
        sifted = True
        if not verdict.kept.all():
            here, reports = here[verdict.kept], reports[verdict.kept]
    kept = np.zeros(everyone, dtype=np.bool_)
    kept[here] = True
    left = counts - protocol.support_counts(mixed[~kept]) - removed
    users = len(here) * (1 if again is None else 2) - fewer
    return TrialVerdict(
        fake, kept, sifted, score, alarm, named, counts, left, users,
        verdict.share, verdict.share_noise, certified,
    )  # fmt: skip


def _mix_reports(genuine: Reports, fakes: Reports, place: Items) -> Reports:
    """All reports, each at its place."""
    mixed = np.empty((len(place), *genuine.shape[1:]), dtype=genuine.dtype)
    mixed[place[: len(genuine)]] = genuine
    mixed[place[len(genuine) :]] = fakes
    return mixed


def _sift_arm(cell: Cell, judged: Sequence[TrialVerdict]) -> FilteredReports:
    """The verdicts of all trials of one arm."""
    fakes = np.array([each.fakes.sum() for each in judged])
    flagged = [(~each.kept).sum() if each.told else np.nan for each in judged]
    caught = [(~each.kept & each.fakes).sum() if each.told else np.nan for each in judged]
    area = [
        np.nan if each.score is None or not each.fakes.any() else area_under(each.score, each.fakes)
        for each in judged
    ]
    alarm = [np.nan if each.alarm is None else float(each.alarm) for each in judged]
    goal = set(cell.targets.tolist())
    named = [
        float(set(each.named.tolist()) == goal) if each.named.size and goal else np.nan
        for each in judged
    ]
    return FilteredReports(
        np.array([each.left for each in judged]),
        np.array([each.users for each in judged]),
        tuple(each.named for each in judged),
        Flags(
            cell.users,
            fakes,
            np.array(flagged, dtype=float),
            np.array(caught, dtype=float),
            np.array(area),
            np.array(alarm),
            np.array(named),
            np.full(len(judged), np.nan),
            np.array([each.share for each in judged]),
            np.array([each.share_noise for each in judged]),
            np.array([each.certified for each in judged]),
        ),
    )


def verified_counts(
    cell: Cell,
    number: int,
    trials: int,
    clean: Counts,
    history: CampaignHistory = ALONE,
) -> Mapping[Arm, FilteredReports]:
    """The reports that arrive without and with the attack, by arm; empty if no defence verifies
    reports.

    clean : the genuine users' counts [trials, d] without a defence; a defence does not change them.
    """
    sifted = cell.sifted_cell
    if sifted.trust is cell.trust:
        return {}
    drawn = drawn_trials(cell, trials)
    nobody = (np.empty(0, dtype=np.int64),) * trials
    before = FilteredReports(clean, np.full(trials, cell.users), nobody, None)
    if cell.attack is None:
        return {CLEAN_DEFENDED: before, ATTACKED_DEFENDED: before}
    fakes, senders = sent_counts(sifted, number, drawn, history)
    after = FilteredReports(clean + fakes[:trials], cell.users + senders[:trials], nobody, None)
    return {CLEAN_DEFENDED: before, ATTACKED_DEFENDED: after}
