"""Horizontal bars by eighths of a cell: estimate, error, truth and change of one item a row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from ...text import format as fmt
from ..rows import ASCII_MARKERS, MARKERS, NO_DATA, Look, Row, crop, length, pad, title_rows
from ..series import FINDINGS, Axis, Bar, Bars
from .plot_layout import floats, legend_rows, note_rows
from .scale import Scale, fit_scale

EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
MOST_PLACES: Final = 9
"""Decimals at most: those of the error of 10^12 users, which six would call 0."""
FULL: Final = 100
"""Columns from which all numbers of an attacked item stand beside its bar, and sums of the rest."""
LABEL: Final = 28


class BarSigns(Struct, frozen=True):
    """The characters of bars. partial : the characters of a partly filled cell, by eighths."""

    target: str
    axis: str
    true: str
    gained: str
    lost: str
    whisker: str
    solid: str
    partial: str
    findings: tuple[str, str, str]


SIGNS: Final = {
    "braille": BarSigns("▸", "│", "◆", "▒", "░", "─", "█", EIGHTHS, ("✓", "○", "✗")),
    "ascii": BarSigns(">", "|", "*", "+", ":", "-", "#", "    =####", ("y", "n", "x")),
}


class BarLayout(Struct, frozen=True):
    """The layout of a bar chart: the bars that have a row, and the columns beside them.

    numbers : the head of each column of numbers, and its texts by row.
    indent : the cells of the marks before a label.
    step : the rows from one bar to the next.
    """

    head: list[Row]
    bars: Sequence[Bar]
    rest: str
    foot: list[Row]
    labels: Sequence[str]
    numbers: Sequence[tuple[str, Sequence[str]]]
    indent: int
    scale: Scale
    step: int

    @property
    def thick(self) -> int:
        """The rows that each bar takes."""
        return (self.step + 1) // 2


def bar_rows(chart: Bars, look: Look) -> list[Row]:
    """The rows of a bar chart: title and legend, a row for each bar, the number of bars left out,
    the note.
    """
    at = lay_out_bars(chart, look)
    if at is None:
        return title_rows(chart.title, NO_DATA, look)
    signs, muted = SIGNS[look.charset], look.palette.muted
    width = max(map(cell_len, at.labels), default=4)
    rows = list(at.head)
    if look.height >= 3:
        heads: Row = [(pad("", 2 + max(map(cell_len, texts)))[: -cell_len(head)] + head, muted)
                      for head, texts in at.numbers]  # fmt: skip
        first = " " * at.indent + pad(chart.item, width) + " "
        rows.append([(first, muted), (_axis(at.scale, look), muted), *heads])
    tones = {"detected": look.palette.theory, "missed": look.palette.target,
             "false": look.palette.attacked}  # fmt: skip
    for index, bar in enumerate(at.bars):
        row: Row = []
        if any(each.target for each in chart.bars):
            row.append((f"{signs.target} " if bar.target else "  ", look.palette.target))
        if any(each.finding for each in chart.bars):
            sign = signs.findings[FINDINGS.index(bar.finding)] if bar.finding else " "
            row.append((f"{sign} ", tones.get(bar.finding, "")))
        style = look.palette.target if bar.target else look.palette.foreground
        pointer = look.clean("◂") if bar.label == chart.cursor else " "
        row += [(pad(at.labels[index], width), style), (pointer[:1], look.strong)]
        row += _bar_cells(bar, at.scale, chart, look)
        row += [(f"  {texts[index]}", look.palette.foreground) for _, texts in at.numbers]
        if at.thick > 1:
            alone = replace(bar, error=None, true=None, others=())
            more = [(" " * (at.indent + width + 1), ""), *_bar_cells(alone, at.scale, chart, look)]
            above = (at.thick - 1) // 2
            rows += [*[more] * above, row, *[more] * (at.thick - 1 - above)]
        else:
            rows.append(row)
        rows += [[]] * (at.step - at.thick)
    if at.rest:
        rows.append([(" " * at.indent + at.rest, muted)])
    gap = look.height - len(rows) - len(at.foot)
    return [*rows, *([[]] * max(0, gap) if at.foot else []), *at.foot]


def bar_place(chart: Bars, y: int, look: Look) -> str | None:
    """The label of the bar in a row of the picture; None outside the bars."""
    at = lay_out_bars(chart, look)
    if at is None:
        return None
    row, between = divmod(y - len(at.head) - (look.height >= 3), at.step)
    return at.bars[row].label if between < at.thick and row in range(len(at.bars)) else None


def lay_out_bars(chart: Bars, look: Look) -> BarLayout | None:
    """The layout of a picture of bars; None without bars."""
    known = [bar for bar in chart.bars if math.isfinite(bar.value) or bar.true is not None]
    if not known:
        return None
    power = _common_power(known)
    unit = " ".join(filter(None, (fmt.power_of_ten(power) if power else "", chart.unit)))
    head: list[Row] = []
    if chart.title and look.height >= 4:
        entries = _legend(chart, known, look)
        title: Row = [(crop(look.clean(chart.title), look.width), look.strong)]
        title += [(f"  {look.clean(unit)}", look.palette.muted)] if unit else []
        line = [span for entry in entries.values() for span in (("  ", ""), *entry)]
        if length(title) + length(line) <= look.width:
            head = [[*title, *line]]
        else:
            head = [title, *(legend_rows("", entries, look) if look.height >= 8 else [])]
    foot = note_rows(chart.note, look)
    room = max(1, look.height - len(head) - len(foot) - (look.height >= 3))
    has_rest = look.height >= 5 and (len(known) > room or bool(chart.rest))
    most = max(1, room - has_rest)
    shown = known[:most]
    if picked := [bar for bar in known[most:] if bar.label == chart.cursor]:
        shown = [*known[: most - 1], picked[0]]
    hidden = [bar for bar in known if bar not in shown]
    rest = _rest_words(chart, hidden, look) if has_rest else ""
    step = 1 + chart.gap if len(shown) * (1 + chart.gap) <= most else 1
    return _columns(chart, head, [_scaled(bar, power) for bar in shown], rest, foot, step, look)


def _columns(
    chart: Bars,
    head: list[Row],
    bars: Sequence[Bar],
    rest: str,
    foot: list[Row],
    step: int,
    look: Look,
) -> BarLayout:
    """The layout with the columns that fit; columns of numbers are left out before the bars get
    short.
    """
    indent = 2 * any(bar.target for bar in chart.bars) + 2 * any(bar.finding for bar in chart.bars)
    width = max(4, min(LABEL, look.width // 4))
    labels = distinct([look.clean(bar.label) for bar in bars], width)
    taken = indent + max(map(cell_len, (*labels, pad(chart.item, 4)))) + 1
    labels = [pad(label, taken - indent - 1) for label in labels]
    for numbers in _choices(bars, chart, look):
        cells = look.width - taken - sum(2 + max(map(cell_len, texts)) for _, texts in numbers)
        if cells >= (look.width // 3 if len(numbers) > 1 and look.width >= 36 else 6):
            break
    values = [bar.value + sign * (bar.error or 0.0) for bar in bars for sign in (-1, 1)]
    values += [
        each for bar in bars for each in (bar.true, bar.before, *bar.others) if each is not None
    ]
    scale = fit_scale(Axis(""), [floats([0.0, *values])], max(1, cells), 20)
    assert scale is not None  # 0 is shown
    return BarLayout(head, bars, rest, foot, labels, numbers, indent, scale, step)


def _axis(scale: Scale, look: Look) -> str:
    """The numbers above the bars."""
    text, free = [" "] * scale.cells, 0
    for place, label in scale.ticks:
        words = look.clean(label)
        start = max(0, min(scale.cells - len(words), place - len(words) // 2))
        if start >= free and len(words) <= scale.cells:
            text[start : start + len(words)] = words
            free = start + len(words) + 1
    return "".join(text)


def _bar_cells(bar: Bar, scale: Scale, chart: Bars, look: Look) -> Row:
    """The cells of one bar: the value before the attack, its change, ± error, other runs' marks,
    the true value.
    """
    signs, cells = SIGNS[look.charset], [(" ", "")] * scale.cells
    value = bar.value if math.isfinite(bar.value) else 0.0
    before = value if bar.before is None else bar.before
    zero = round(scale.place(0.0))
    long, old = (scale.place(each) - zero for each in (value, before))
    step = 1 if (value or before) >= 0 else -1
    tip, kept = max(0.0, step * long), max(0.0, step * old)
    colour = look.palette.target if bar.target else look.palette.clean
    for index in range(scale.cells - 1 - zero if step > 0 else zero):
        column, part = zero + step * (index + 1), math.floor(8 * min(1.0, tip - index) + 0.5)
        if part > 0:
            is_gained = bar.before is not None and kept < index + 0.5 and kept < tip
            whole = signs.gained if is_gained else signs.solid
            char = whole if part == 8 or step < 0 else signs.partial[part]
            cells[column] = char, look.palette.attacked if is_gained else colour
        elif tip <= index + 0.5 <= kept:
            cells[column] = signs.lost, look.palette.attacked
    if 0 <= zero < scale.cells:
        cells[zero] = signs.axis, look.palette.muted
    end = zero + round(long)
    if bar.error and math.isfinite(bar.value):
        first, last = (round(scale.place(value + sign * bar.error)) for sign in (-1, 1))
        for column in range(max(0, first), min(last + 1, scale.cells)):
            is_tip = column == end and cells[column][0] not in (" ", signs.lost)
            if column != zero and not is_tip:
                _over(cells, column, signs.whisker, look.palette.foreground)
    markers = ASCII_MARKERS if look.charset == "ascii" else MARKERS
    for (_, tone), other in zip(chart.others, bar.others, strict=False):
        if other is not None:
            place = round(scale.place(other))
            _over(cells, place, markers[tone], look.palette.style(tone))
    if bar.true is not None:
        place = round(scale.place(bar.true)) + (bar.true > 0 and scale.cell(bar.true) == zero)
        _over(cells, place, signs.true, look.palette.true)  # not on the axis
    return list(cells)


def _over(cells: list[tuple[str, str]], column: int, char: str, style: str) -> None:
    """Put a mark over a cell; over a full cell it is drawn in reverse."""
    if column in range(len(cells)):
        below, colour = cells[column]
        cells[column] = char, f"{colour} reverse" if below == "█" and colour else style


def _legend(chart: Bars, bars: Sequence[Bar], look: Look) -> dict[str, Row]:
    """The signs of the picture by their names, the marks of other runs first."""
    signs, palette = SIGNS[look.charset], look.palette
    markers = ASCII_MARKERS if look.charset == "ascii" else MARKERS
    before = [bar for bar in bars if bar.before is not None]
    found = [(markers[tone], palette.style(tone), name) for name, tone in chart.others]
    if any(bar.finding for bar in bars):
        tones = (palette.theory, palette.target, palette.attacked)
        found += list(zip(signs.findings, tones, FINDINGS, strict=True))
    found.append((signs.solid, palette.clean, "before" if before else chart.value))
    sizes = (max(bar.value, bar.before or 0.0) for bar in before if math.isfinite(bar.value))
    seen = max(sizes, default=0.0) / look.width  # a smaller change has no cell of its own
    if any(bar.value - (bar.before or 0.0) > seen for bar in before):
        found.append((signs.gained, palette.attacked, "gained"))
    if any(
        (bar.before or 0.0) - (bar.value if math.isfinite(bar.value) else 0.0) > seen
        for bar in before
    ):
        found.append((signs.lost, palette.attacked, "lost"))
    if any(bar.true is not None for bar in bars):
        found.append((signs.true, palette.true, chart.truth))
    if any(bar.error for bar in bars):
        found.append((signs.whisker * 2, palette.foreground, "± error"))
    muted = palette.muted
    return {name: [(f"{sign} ", style), (look.clean(name), muted)] for sign, style, name in found}


def _rest_words(chart: Bars, hidden: Sequence[Bar], look: Look) -> str:
    """The rest beside the bars shown, in words: `hidden` bars, and the chart's own rest."""
    rest = chart.rest
    if isinstance(rest, str):
        more = f"{len(hidden)} more not shown" if hidden else ""
        return crop(look.clean("; ".join(filter(None, (more, rest)))), look.width)
    targets = rest.targets + sum(bar.target for bar in hidden)
    words = f"{fmt.count(rest.count + len(hidden))} more"
    words += f", {fmt.plural(targets, 'target')}" if targets else ""
    if look.width >= FULL:
        parts = (chart.value, rest.value, [bar.value for bar in hidden]), (
            chart.truth, rest.true, [bar.true or 0.0 for bar in hidden],
        )  # fmt: skip
        sums = [f"{name} {fmt.short(math.fsum([known, *more]), 3)}"
                for name, known, more in parts if known is not None]  # fmt: skip
        words += f", together {', '.join(sums)}" if sums else ""
    return crop(look.clean(words), look.width - 4)


def _common_power(bars: Sequence[Bar]) -> int:
    """The power of ten to take out of all numbers: 0 unless they are very small or very large."""
    parts = [n for bar in bars for n in (bar.value, bar.error, bar.true, bar.before, *bar.others)]
    sizes = [abs(n) for n in parts if n is not None and math.isfinite(n)]
    largest = max(sizes, default=0.0)
    return 0 if not largest or 1e-3 <= largest < 1e6 else math.floor(math.log10(largest))


def _scaled(bar: Bar, power: int) -> Bar:
    def scale(number: float | None) -> float | None:
        if number is None or not math.isfinite(number):
            return None
        return number / 10.0**power if power > -300 else 0.0

    value = scale(bar.value)
    return replace(
        bar, value=math.nan if value is None else value, error=scale(bar.error),
        true=scale(bar.true), before=scale(bar.before), others=tuple(map(scale, bar.others)),
    )  # fmt: skip


def distinct(labels: Sequence[str], width: int) -> list[str]:
    """The labels cut to `width` cells; in the middle, if only their ends differ."""
    ends = [crop(label, width) for label in labels]
    if len(set(ends)) == len(set(labels)):
        return ends
    left = width // 2
    return [
        crop(label, left) + crop(label[::-1], width - left + 1)[-2::-1]
        if cell_len(label) > width
        else label
        for label in labels
    ]


def _choices(
    bars: Sequence[Bar], chart: Bars, look: Look
) -> Iterator[list[tuple[str, Sequence[str]]]]:
    """Yields the columns of numbers that may be shown, the fullest choice first, with equal
    decimals.

    The number of a change by the attack is included only if there is much room, as the bar shows
    it.
    """
    errors = [bar.error for bar in bars if bar.error]
    sizes = [abs(bar.value) for bar in bars if math.isfinite(bar.value)]
    power = math.floor(math.log10(max(sizes, default=1.0) or 1.0))
    if errors:
        places = min(MOST_PLACES, fmt.decimals(errors), max(1, 2 - power) if power >= 0 else 99)
    else:
        is_counted = power >= 0 and all(size == round(size) for size in sizes)
        places = 0 if is_counted else max(0, min(6, 3 - power))

    def column(head: str, texts: Sequence[str]) -> tuple[str, Sequence[str]]:
        head, texts = look.clean(head), [look.clean(text) for text in texts]
        size = max(map(cell_len, (head, *texts)))
        return head, [text.rjust(size) for text in texts]

    values = [fmt.fixed_decimals(bar.value, places) for bar in bars]
    estimate, both = column(chart.value, values), None
    if errors:
        if chart.own_digits:
            written = [fmt.estimate(bar.value, bar.error).partition("± ") for bar in bars]
            values = [number.rstrip() for number, _, _ in written]
            halves = [sign + half for _, sign, half in written]
        else:
            halves = [fmt.plus_minus(bar.error, places) if bar.error else "" for bar in bars]
        wide = max(map(cell_len, halves))
        texts = [f"{v} {h.ljust(wide)}" for v, h in zip(values, halves, strict=True)]
        both = column(f"{chart.value} ± error", texts)
    true = [column(chart.truth, [fmt.fixed_decimals(bar.true, places) for bar in bars])]
    true = true if any(bar.true is not None for bar in bars) else []
    change = []
    if any(bar.before is not None for bar in bars):
        changes = [None if b.before is None else b.value - b.before for b in bars]
        change = [
            column("change", [fmt.fixed_decimals(each, places, sign=True) for each in changes])
        ]
    first = both or estimate
    if not change or look.width >= FULL:
        yield [first, *true, *change]
    yield [estimate]
    yield []
