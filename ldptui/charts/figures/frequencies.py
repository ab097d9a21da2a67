"""The frequencies of single items: bars, the table of all, and the words and scores of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Final

from msgspec.structs import replace

from ldptui.core.view import EstimateSummary, FrequencySummary

from ...session.snapshot import Overlay
from ...text import format as fmt
from ...text.interval import with_reach
from ..series import TONES, Bar, Bars, Finding, Rest, Tone
from .table import MEASURED, ChartTable, TableColumn, Value, finite


def standard_errors(frequencies: FrequencySummary) -> tuple[float, ...]:
    """The closed-form standard errors of the mean estimates over the trials, one for each item.

    They are exact from the first trial on, unlike the deviation over the trials.
    """
    root = math.sqrt(max(1, frequencies.trials))
    return tuple(sigma / root for sigma in frequencies.attacked_estimates.sigma)


def scores(frequencies: FrequencySummary, *, clean: bool = False) -> tuple[float, ...]:
    """The z-scores of all items' estimates, after the attack or (clean) before it."""
    arm = frequencies.clean if clean else frequencies.attacked_estimates
    return tuple(score(frequencies, arm, at) for at in range(len(frequencies.true)))


def score(frequencies: FrequencySummary, arm: EstimateSummary, at: int) -> float:
    """The z score (estimate - true) / σ of the item at a position, σ in closed form for the mean of
    trials.

    It is standard normal for an unbiased estimate. NaN if σ is 0.
    """
    off, sigma = arm.mean[at] - frequencies.true[at], arm.sigma[at]
    return off / sigma * math.sqrt(max(1, frequencies.trials)) if sigma > 0 else math.nan


def trials_note(trials: int) -> str:
    """The words for an estimate and its error bar, depending on the number of trials."""
    error = "± σ" if trials == 1 else "± standard error"
    return f"{'one trial' if trials == 1 else f'mean of {fmt.count(trials)} trials'} {error}"


OVERLAID: Final[tuple[Tone, ...]] = (*TONES[2:], *TONES[:2])
"""The tones of the runs that are laid over the one shown, in turn: each has a mark of its own."""


def overlay_frequencies(
    overlays: Sequence[Overlay], items: Sequence[int]
) -> tuple[list[tuple[str, Tone, FrequencySummary]], str]:
    """Label, tone and frequencies of overlaid runs with the same items; and a note on the other
    runs.
    """
    laid: list[tuple[str, Tone, FrequencySummary]] = []
    strange = []
    for overlay, tone in zip(overlays, cycle(OVERLAID), strict=False):
        frequencies = overlay.snapshot.frequencies
        if frequencies is not None and frequencies.trials and frequencies.items == tuple(items):
            laid.append((overlay.label, tone, frequencies))
        else:
            strange.append(overlay.label)
    which = ", ".join(strange)
    return laid, f"{which}: other items" if strange else ""


def shown_estimates(frequencies: FrequencySummary) -> Sequence[float]:
    """The estimates to show: with the attack if there is one, else without."""
    return frequencies.attacked_estimates.mean if frequencies.targets else frequencies.clean.mean


def join_notes(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def target_places(frequencies: FrequencySummary) -> list[int]:
    """The positions of the targets among the items shown."""
    place = {item: at for at, item in enumerate(frequencies.items)}
    return [place[item] for item in frequencies.targets if item in place]


def findings(frequencies: FrequencySummary) -> tuple[Finding, ...]:
    """The verdict of the significance test on each item, in at least half of the trials; "" without
    tests.

    Also "" for an undetected item that nobody holds.
    """
    if frequencies.detected is None:
        return tuple("" for _ in frequencies.true)

    def finding(share: float, true: float) -> Finding:
        if share >= 0.5:
            return "detected" if true > 0 else "false"
        return "missed" if true > 0 else ""

    return tuple(map(finding, frequencies.detected, frequencies.true))


def findings_note(frequencies: FrequencySummary) -> str:
    """The number of true candidates that were detected, in words; "" without tests."""
    if frequencies.detected is None or len(frequencies.true) < frequencies.domain_size:
        return ""
    verdicts = findings(frequencies)
    held = sum(1 for true in frequencies.true if true > 0)
    return f"{verdicts.count('detected')} of {held} detected, {verdicts.count('false')} falsely"


def top_bars(
    frequencies: FrequencySummary,
    rows: int,
    *,
    overlays: Sequence[Overlay] = (),
    at: int | None = None,
) -> Bars:
    """Bars of the targets and of the truly most frequent items, at most `rows`.

    at : the position of an item that always has a bar.
    """
    true, attacked = frequencies.true, bool(frequencies.targets)
    marked, verdicts = set(target_places(frequencies)), findings(frequencies)
    shown = _first_places(frequencies, marked, verdicts, max(1, rows))
    if at is not None and at not in shown:
        shown[-1] = at
    errors = standard_errors(frequencies)
    estimates = frequencies.attacked_estimates.mean if attacked else frequencies.clean.mean
    laid, strange = overlay_frequencies(overlays, frequencies.items)
    bars = tuple(
        Bar(
            frequencies.labels[at],
            estimates[at],
            errors[at],
            true[at],
            frequencies.clean.mean[at] if attacked else None,
            at in marked,
            verdicts[at],
            tuple(shown_estimates(other)[at] for _, _, other in laid),
        )
        for at in shown
    )
    title = "Targets, top items" if attacked else "Top items"
    return Bars(
        title,
        bars,
        rest=_rest(frequencies, estimates, shown, marked),
        note=join_notes(trials_note(frequencies.trials), strange),
        others=tuple((label, tone) for label, tone, _ in laid),
        cursor="" if at is None else frequencies.labels[at],
    )


def _first_places(
    frequencies: FrequencySummary, marked: set[int], verdicts: Sequence[str], rows: int
) -> list[int]:
    """The positions of the items that have a bar.

    Targets come first, in at most half the rows, then false detections, in at most a quarter; each
    group by falling true frequency, so that no row moves while the estimates change.
    """
    by_true = by_rank(frequencies)
    aimed = [at for at in by_true if at in marked]
    false = [at for at in by_true if verdicts[at] == "false" and at not in marked][: rows // 4]
    before = marked.union(false)
    others = [*false, *(at for at in by_true if at not in before)]
    if len(aimed) + len(others) > rows:
        aimed = aimed[: max(rows // 2, rows - len(others))]
    return [*aimed, *others[: rows - len(aimed)]]


def _rest(
    frequencies: FrequencySummary,
    estimates: Sequence[float],
    shown: Sequence[int],
    marked: set[int],
) -> str | Rest:
    """The items without a bar; "" where all have one."""
    left = frequencies.domain_size - len(shown)
    if not left:
        return ""
    targets = len(frequencies.targets) - len(marked.intersection(shown))
    sums: list[float | None] = [None, None]
    if len(estimates) == frequencies.domain_size:
        sums = [
            math.fsum(each) - math.fsum(each[at] for at in shown)
            for each in (estimates, frequencies.true)
        ]
    return Rest(left, targets, *sums)


def frequency_table(frequencies: FrequencySummary, overlays: Sequence[Overlay] = ()) -> ChartTable:
    """The table of all items: truth, estimates before and after the attack with standard errors,
    the change.

    Each overlaid run has a column with its estimates. z is (estimate - true) / σ of the mean of the
    trials.
    """
    laid, _ = overlay_frequencies(overlays, frequencies.items)
    others = {label: shown_estimates(other) for label, _, other in laid}
    names = _column_names(frequencies, list(others))
    root = math.sqrt(max(1, frequencies.trials))
    smallest = min((std for std in _deviations(frequencies.clean) if std > 0), default=0.0)
    places = min(9, fmt.decimals([smallest / root]))
    number, score = TableColumn("", places), TableColumn("", 2, sign=True)
    columns = {
        "item": TableColumn("item"), "": TableColumn(""), "rank": TableColumn("rank"),
        "test": TableColumn("test"),
        "share detected": TableColumn("share detected", 2),
        "change": TableColumn("change", places, sign=True),
        "z": replace(score, name="z"), "z before": replace(score, name="z before"),
    }  # fmt: skip
    rows = _table_rows(frequencies, others)
    title = with_reach(trials_note(frequencies.trials), [frequencies.trials])
    shown = tuple(columns.get(name) or replace(number, name=name) for name in names)
    chosen = tuple(tuple(row[name] for name in names) for row in rows)
    return ChartTable(title[:1].upper() + title[1:], shown, chosen)


def item_table(
    frequencies: FrequencySummary, at: int, overlays: Sequence[Overlay] = ()
) -> ChartTable:
    """The table of one item: its estimate in each stage and each overlaid run.

    z is (estimate - true) / σ of the mean of the trials; ± is its σ, or without a closed form the
    deviation over the trials.
    """
    true, root = frequencies.true[at], math.sqrt(max(1, frequencies.trials))
    attacked = bool(frequencies.targets)
    arms = [("before" if attacked else "estimate", frequencies.clean)]
    arms += [("after", frequencies.attacked_estimates)] if attacked else []
    arms += (
        [("defended", frequencies.defended_estimates)]
        if frequencies.defended_estimates is not None
        else []
    )
    clean, rows = frequencies.clean.mean[at], list[tuple[Value, ...]]()
    for name, arm in arms:
        error, mean = _deviations(arm)[at] / root, arm.mean[at]
        change = mean - clean if arm is not frequencies.clean else None
        z = finite(score(frequencies, arm, at))
        rows.append((name, frequencies.labels[at], true, mean, error or None, z, change))
    laid, _ = overlay_frequencies(overlays, frequencies.items)
    for name, _, other in laid:
        mean = shown_estimates(other)[at]
        rows.append((name, frequencies.labels[at], true, mean, None, None, mean - clean))
    errors = [row[4] for row in rows]
    places = min(9, fmt.decimals(each for each in errors if isinstance(each, float)))
    number, signed = TableColumn("", places), TableColumn("change", places, sign=True)
    names = ("true", MEASURED, "± error")
    columns = (
        TableColumn("arm"),
        TableColumn("item"),
        *(replace(number, name=name) for name in names),
    )
    return ChartTable("", (*columns, TableColumn("z", 2, sign=True), signed), tuple(rows))


def by_rank(frequencies: FrequencySummary) -> list[int]:
    """The positions of the items, sorted by decreasing true frequency."""
    true = frequencies.true
    return sorted(range(len(true)), key=lambda at: (-true[at], at))


def _column_names(frequencies: FrequencySummary, others: Sequence[str]) -> list[str]:
    """The columns that the table has, in order."""
    names = ["item", "true", "estimate", "±", "z", "rank"]
    if frequencies.targets:
        names = ["item", "", "true", "before", "after", "±", "change", "z", "± before", "z before"]
        names += ["rank"]
    place = names.index("±") + 1
    names[place:place] = [
        *others,
        *(["defended"] if frequencies.defended_estimates is not None else []),
    ]
    if frequencies.detected is not None:
        names[-1:-1] = ["test", "share detected"]
    return names


def _deviations(estimates: EstimateSummary) -> Sequence[float]:
    """The standard deviation of each item over the trials; for one trial from the closed form."""
    return estimates.std or estimates.sigma


def _table_rows(
    frequencies: FrequencySummary, others: Mapping[str, Sequence[float]]
) -> list[dict[str, Value]]:
    """The value of every column, for each item by falling true frequency."""
    true, attacked = frequencies.true, bool(frequencies.targets)
    marked = set(target_places(frequencies))
    before_std, after_std = map(_deviations, (frequencies.clean, frequencies.attacked_estimates))
    before_z, after_z = scores(frequencies, clean=True), scores(frequencies)
    verdicts, shares, defended = (
        findings(frequencies),
        frequencies.detected,
        frequencies.defended_estimates,
    )
    root = math.sqrt(max(1, frequencies.trials))

    def error(std: float) -> float | None:
        return std / root if std > 0 or frequencies.trials > 1 else None

    rows: list[dict[str, Value]] = []
    for rank, at in enumerate(by_rank(frequencies), start=1):
        before, after = frequencies.clean.mean[at], frequencies.attacked_estimates.mean[at]
        rows.append({
            "item": frequencies.labels[at],
            "": "target" if at in marked else "",
            "true": true[at],
            "estimate": before,
            "before": before,
            "after": after,
            "±": error((after_std if attacked else before_std)[at]),
            "change": after - before,
            "z": finite((after_z if attacked else before_z)[at]),
            "± before": error(before_std[at]),
            "z before": finite(before_z[at]),
            "defended": None if defended is None else defended.mean[at],
            "rank": rank,
            "test": verdicts[at],
            "share detected": shares[at] if shares is not None else None,
            **{label: estimates[at] for label, estimates in others.items()},
        })  # fmt: skip
    return rows
