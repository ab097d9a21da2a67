"""Bit counts as a chart of one cohort, and as a table of all. Pure.

What is estimated of a bit is the share of a cohort's users whose Bloom filter has it,
t_ij / N_j = (c_ij / N_j - p*) / (q* - p*): Erlingsson, Pihur, Korolova, CCS 2014, section 4.
"""

from __future__ import annotations

import math

from ldptui.core.view import BitCounts

from ...text import format as fmt
from ...text.interval import NORMAL_95
from ..series import Axis, Plot, Series, Tone
from .table import ChartTable, TableColumn, Value


def shares(bits: BitCounts, cohort: int) -> tuple[float, ...]:
    """The estimated share of a cohort's users with each bit; () for an empty cohort."""
    users = bits.users[cohort]
    return _shares(bits, bits.counts[bits.of(cohort)], users) if users else ()


def expected_shares(bits: BitCounts, cohort: int) -> tuple[float, ...] | None:
    """The expected share of a cohort's users with each bit, fakes included; None if unknown."""
    if bits.expected_counts is None or bits.expected_users is None:
        return None
    return _shares(bits, bits.expected_counts[bits.of(cohort)], bits.expected_users[cohort])


def _shares(bits: BitCounts, counts: tuple[float, ...], users: float) -> tuple[float, ...]:
    gap = bits.q_star - bits.p_star
    return tuple((count / users - bits.p_star) / gap for count in counts)


def share_std(bits: BitCounts, cohort: int) -> float:
    """σ of an estimated share where no user has the bit: √(p*(1-p*) / N_j) / (q* - p*)."""
    spread = bits.p_star * (1 - bits.p_star) / bits.users[cohort]
    return math.sqrt(spread) / (bits.q_star - bits.p_star)


def scores(bits: BitCounts, cohort: int) -> tuple[float, ...] | None:
    """The z score (count - expected) / σ of each bit's count; None without expected counts."""
    if bits.expected_counts is None or bits.counts_std is None:
        return None
    place = bits.of(cohort)
    return tuple(
        (count - mean) / std if std else 0.0
        for count, mean, std in zip(
            bits.counts[place], bits.expected_counts[place], bits.counts_std[place], strict=True
        )
    )


def bit_plot(bits: BitCounts, cohort: int, columns: int, *, attacked: bool = False) -> Plot:
    """The bits of one cohort: estimated shares as spikes, expected shares as marks.

    columns : the number of marks that have room; the most frequent bits are shown.
    attacked : mark the bits of genuine users too, beside the expected ones.
    """
    held = bits.held[bits.of(cohort)]
    expected, estimated = expected_shares(bits, cohort), shares(bits, cohort)
    series: list[Series] = []
    if estimated:
        xs = [x for bit in range(bits.bits) for x in (bit, bit, math.nan)]
        ys = [y for share in estimated for y in (0.0, share, math.nan)]
        tone: Tone = "attacked" if attacked else "clean"
        series.append(Series("estimated", xs, ys, tone))
    marks: list[tuple[str, tuple[float, ...], Tone]] = []
    if attacked or expected is None:
        marks.append(("genuine users", held, "true"))
    if expected is not None:
        marks.append(("expected", expected, "series-3"))
    for label, values, shade in marks:
        most = sorted(sorted(range(bits.bits), key=lambda bit: -values[bit])[:columns])
        at = [values[bit] for bit in most]
        series.append(Series(label, most, at, shade, "points", cloud=False))
    levels = [*held, *(expected or ()), *estimated]
    low, high = min([0.0, *levels]), max([0.0, *levels])
    return Plot(
        f"Bits, cohort {cohort} of 0 to {bits.cohorts - 1}, one trial",
        Axis("bit of the Bloom filter", low=-0.5, high=bits.bits - 0.5),
        Axis("share of the users", low=low, high=high),
        tuple(series),
        note="; ".join(filter(None, (_users(bits, cohort), _outside(bits, cohort)))),
    )


def _users(bits: BitCounts, cohort: int) -> str:
    words = f"{fmt.count(int(bits.users[cohort]))} users"
    if bits.expected_users is None or bits.users_std is None:
        return words
    expected = fmt.count(round(bits.expected_users[cohort]))
    return f"{words}, {expected} ± {fmt.short(bits.users_std[cohort], 2)} expected"


def _outside(bits: BitCounts, cohort: int) -> str:
    values = scores(bits, cohort)
    if values is None or not bits.users[cohort]:
        return "" if values is None else "no user: left out of decoding"
    far = sum(1 for score in values if abs(score) > NORMAL_95)
    return f"{far} of {bits.bits} counts beyond ±1.96σ"


def bit_table(bits: BitCounts) -> ChartTable:
    """Every bit of every cohort with its count, the expected count, and the items that set it."""
    counts = (TableColumn(name, grouped=True) for name in ("users", "ones"))
    columns = (
        TableColumn("cohort"), TableColumn("bit"), *counts,
        TableColumn("expected", 1), TableColumn("σ", 1), TableColumn("z", 2, sign=True),
        TableColumn("share", 4, sign=True), TableColumn("±", 4), TableColumn("genuine", 4),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for cohort in range(bits.cohort_count):
        place, users = bits.of(cohort), bits.users[cohort]
        found, z = shares(bits, cohort), scores(bits, cohort)
        error = share_std(bits, cohort) if users else None
        for bit in range(bits.bits):
            at = place.start + bit
            rows.append((
                cohort, bit, int(users), int(bits.counts[at]),
                bits.expected_counts[at] if bits.expected_counts is not None else None,
                bits.counts_std[at] if bits.counts_std is not None else None,
                z[bit] if z is not None else None,
                found[bit] if found else None, error, bits.held[at],
            ))  # fmt: skip
    hidden = bits.cohorts - bits.cohort_count
    more = f"; {fmt.count(hidden)} more cohorts not shown" if hidden else ""
    return ChartTable(f"Bit counts of one trial by cohort{more}", columns, tuple(rows))
