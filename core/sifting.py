"""Filters at work: the reports of a trial, the verdict on them, and the counts of what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .arms import ATTACKED_DEFENDED, CLEAN_DEFENDED, Arm
from .cell import Cell
from .defences import Received
from .flags import Flags, area_under
from .pure import BoolArray, Items, Reports
from .reports import Pulse, fake_reports, genuine_reports, no_pulse, no_reports
from .sampling import Counts, Floats
from .streams import stream


@dataclass(frozen=True, eq=False)
class Sifted:
    """The reports that filters left of one arm, in several trials.

    counts : int64[trials, d], support counts. users : int64[trials], the reports behind them.
    named : for each trial the items that a filter takes for targets.
    """

    counts: Counts
    users: Counts
    named: tuple[Items, ...]
    flags: Flags


@dataclass(frozen=True, eq=False)
class Detection:
    """The verdict on every report of one trial, in an order that says nothing.

    fakes, kept : bool[N]. told : True if a filter tells fakes at all.
    score : float64[N], higher for what looks more like a fake; None where no filter has one.
    counts : int64[d], support counts of all reports. left : of those that are kept.
    """

    fakes: BoolArray
    kept: BoolArray
    told: bool
    score: Floats | None
    alarm: bool | None
    named: Items
    counts: Counts
    left: Counts


def detection(cell: Cell, trial: int = 0, pulse: Pulse = no_pulse) -> Detection:
    """The verdict on each report of one trial of a cell, with its fakes: for a closer look."""
    genuine, clean = _held(cell, genuine_reports(cell, trial, pulse), cell.users)
    fakes, crafted = _held(cell, fake_reports(cell, trial, pulse), cell.malicious)
    return _judged(cell, genuine, fakes, clean + crafted, trial, pulse)


def sift_reports(
    cell: Cell,
    trials: Sequence[int],
    pulse: Pulse,
    rounds: int = 1,
    published: Floats | None = None,
    permanent: str = "",
) -> tuple[Counts, Counts, Mapping[Arm, Sifted]]:
    """Support counts [trials, d] before and after the attack, and what the filters leave of both.

    rounds : of the campaign. published : float64[trials, d], the estimates before.
    permanent : as `genuine_reports` has it.
    """
    clean, attacked = [], []
    before, after = list[Detection](), list[Detection]()
    nobody = no_reports(cell)
    for row, trial in enumerate(trials):
        sent = genuine_reports(cell, trial, pulse, permanent)
        genuine, counts = _held(cell, sent, cell.users)
        clean.append(counts)
        before.append(_judged(cell, genuine, nobody, counts, trial, pulse))
        if cell.attack is None:
            attacked.append(counts)
            continue
        seen = None if published is None else published[row]
        made = fake_reports(cell, trial, pulse, rounds, seen)
        fakes, crafted = _held(cell, made, cell.malicious)
        attacked.append(counts + crafted)
        after.append(_judged(cell, genuine, fakes, counts + crafted, trial, pulse))
    arms = {CLEAN_DEFENDED: _sifted(cell, before, 0)}
    arms[ATTACKED_DEFENDED] = (
        arms[CLEAN_DEFENDED] if cell.attack is None else _sifted(cell, after, cell.malicious)
    )
    without = np.array(clean)
    return without, without if cell.attack is None else np.array(attacked), arms


def _held(cell: Cell, pieces: Iterable[Reports], users: int) -> tuple[Reports, Counts]:
    """The reports in one array, and their support counts."""
    nobody = no_reports(cell)
    held = np.empty((users, *nobody.shape[1:]), dtype=nobody.dtype)
    counts, at = cell.local.support_counts(nobody), 0
    for reports in pieces:
        counts = counts + cell.local.support_counts(reports)
        held[at : at + len(reports)] = reports
        at += len(reports)
    return held, counts


def _judged(
    cell: Cell, genuine: Reports, fakes: Reports, counts: Counts, trial: int, pulse: Pulse
) -> Detection:
    """The verdict of all filters in turn on these reports, in a random order."""
    address = cell.malicious_address if len(fakes) else cell.genuine_address
    everyone = len(genuine) + len(fakes)
    place = stream(cell.seed, address, "order", "reports", (trial,)).permutation(everyone)
    mixed = np.empty((everyone, *genuine.shape[1:]), dtype=genuine.dtype)
    mixed[place[: len(genuine)]] = genuine
    mixed[place[len(genuine) :]] = fakes
    forged = np.zeros(everyone, dtype=np.bool_)
    forged[place[len(genuine) :]] = True

    here, reports = np.arange(everyone), mixed
    score, alarm, told, named = None, None, False, np.empty(0, dtype=np.int64)
    for number, step in enumerate(cell.filters):
        rng = stream(cell.seed, f"{address} {step!r}", "defence", "reports", (trial, number))
        verdict = step.sift(Received(cell.local, reports, rng, pulse))
        score = verdict.score if number == 0 else score  # the first one has seen every report
        if verdict.alarm is not None:
            alarm = verdict.alarm or bool(alarm)
        named = verdict.named if verdict.named.size else named
        if verdict.kept is None:
            continue
        told = True
        if not verdict.kept.all():
            here, reports = here[verdict.kept], reports[verdict.kept]
    kept = np.zeros(everyone, dtype=np.bool_)
    kept[here] = True
    dropped = cell.local.support_counts(mixed[~kept])
    return Detection(forged, kept, told, score, alarm, named, counts, counts - dropped)


def _sifted(cell: Cell, judged: Sequence[Detection], fakes: int) -> Sifted:
    """The verdicts of all trials of one arm."""
    flagged = [(~each.kept).sum() if each.told else np.nan for each in judged]
    caught = [(~each.kept & each.fakes).sum() if each.told else np.nan for each in judged]
    area = [
        np.nan if each.score is None or not fakes else area_under(each.score, each.fakes)
        for each in judged
    ]
    alarm = [np.nan if each.alarm is None else float(each.alarm) for each in judged]
    goal = set(cell.targets.tolist())
    named = [
        float(set(each.named.tolist()) == goal) if each.named.size and goal else np.nan
        for each in judged
    ]
    return Sifted(
        np.array([each.left for each in judged]),
        np.array([each.kept.sum() for each in judged]),
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
        ),
    )
