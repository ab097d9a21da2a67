"""Columns: measured values with error, closed form and z; their heads and values in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ldptui.core.base.errors import one_line
from ldptui.core.base.summary import Doubt, Estimate
from ldptui.core.cell import Cell
from ldptui.core.export import Pivot, TableChoice, pivot
from ldptui.core.running.runner import RunResults

from ...catalogue import key_words, metric_words
from .. import format as text
from .layout import ColumnGroup, TextColumn, align_words


def heads(keys: Sequence[str]) -> list[str]:
    """The column heads of swept keys: the last word of each, or the full key if two
    would be equal.
    """
    words = [key_words(key).column for key in keys]
    return [key if words.count(word) > 1 else word for key, word in zip(keys, words, strict=True)]


def present(cells: Sequence[Cell], key: str) -> list[object]:
    return [cell.parameters[key] for cell in cells if key in cell.parameters]


def range_over(values: Iterable[object]) -> str:
    """The values of a parameter over all cells in words: one value, its range, or a few words."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) > 1 and all(isinstance(value, int | float) for value in distinct):
        numbers: list[Any] = distinct
        return f"{value_text(min(numbers))} … {value_text(max(numbers))}"
    return ", ".join(value_text(value) for value in distinct)


def value_text(value: object) -> str:
    """One parameter as text: a number, a word, or a shortened list."""
    if value is None:
        return text.MISSING
    if isinstance(value, int):
        return str(value) if isinstance(value, bool) else text.count(value)
    if isinstance(value, float):
        return text.chosen_value(value, 4)
    if isinstance(value, list):
        return shorten_list(value)
    return one_line(str(value))


def shorten_list(items: Sequence[object]) -> str:
    """A list as text: complete if it is short, else its ends and its length."""
    whole = ", ".join(one_line(str(item)) for item in items)
    if len(whole) <= 16:
        return whole
    return f"{one_line(str(items[0]))[:12]}, … ({len(items)})"


def chosen_groups(results: RunResults, choice: TableChoice) -> list[ColumnGroup]:
    """The columns of a table over rows and columns of swept keys, or of chosen metrics.

    A metric has its closed form and z beside it if no key is above the columns.
    """
    if not choice.is_pivot:
        swept = tuple(results.experiment.scenario.sweep)
        choice = TableChoice(choice.metrics, swept, wrap=choice.wrap)
    made = pivot(results, choice)
    return [_keys(made), *(_group(made, metric) for metric in choice.metrics)]


def _keys(made: Pivot) -> ColumnGroup:
    columns = (
        key_column(head, [as_list(row[at]) for row in made.rows])
        for at, head in enumerate(heads(made.keys))
    )
    return ColumnGroup("", tuple(columns))


def key_column(head: str, values: Sequence[object]) -> TextColumn:
    """The column of a key's values, numbers aligned at their points."""
    words = any(isinstance(each, str | list) for each in values)
    written = tuple(map(value_text, values))
    return TextColumn(head, written if words else align_words(written), words)


def _group(made: Pivot, metric: str) -> ColumnGroup:
    """The columns of a metric: beside its closed form, or one for each value of the keys above."""
    name = metric_words(metric).name
    if not made.across:
        return beside_theory(name, made.column(metric))
    return side_by_side(
        name, {_head(made.across, above): made.column(metric, above) for above in made.columns}
    )


def _head(keys: Sequence[str], values: Sequence[Any]) -> str:
    """The values above a column, numbers with the symbols of their keys."""
    words = []
    for key, value in zip(keys, values, strict=True):
        written = value_text(as_list(value))
        symbol = "" if isinstance(value, str | tuple) else f"{key_words(key).short} = "
        words.append(f"{symbol}{written}")
    return ", ".join(words)


def as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def beside_theory(title: str, estimates: Sequence[Estimate]) -> ColumnGroup:
    """The columns of estimates and their closed forms."""
    compared = tuple(estimates)
    power = common_power(estimates)
    columns = (
        TextColumn("measured", with_errors(estimates, power)),
        TextColumn("theory", align_words([theory_text(estimate, power) for estimate in estimates])),
        TextColumn("z", tuple(map(z_text, estimates))),
    )
    return ColumnGroup(title + unit_of(power), columns, compared)


def side_by_side(title: str, columns: Mapping[str, Sequence[Estimate]]) -> ColumnGroup:
    """A column of estimates for each head, without closed forms, in one unit."""
    power = common_power([estimate for estimates in columns.values() for estimate in estimates])
    shown = (TextColumn(head, with_errors(each, power)) for head, each in columns.items())
    return ColumnGroup(title + unit_of(power), tuple(shown))


def with_errors(estimates: Iterable[Estimate], power: int | None) -> tuple[str, ...]:
    """`value ± error` with both points aligned; the error has two digits in each row."""
    estimates = list(estimates)
    if power is None:
        return align_words(
            [_alone(estimate.mean, estimate.standard_error) for estimate in estimates], " ± "
        )
    values, errors = [], []
    for estimate in estimates:
        if estimate.mean is None:
            values.append(text.MISSING)
            errors.append("")
        elif not estimate.standard_error:
            values.append(text.short(_scaled(estimate.mean, power), 5))
            errors.append("" if estimate.standard_error is None else "0")
        else:
            error = _scaled(estimate.standard_error, power)
            places = text.decimals([error])
            values.append(text.fixed_decimals(_scaled(estimate.mean, power), places))
            errors.append(text.fixed_decimals(error, places))
    left, right = align_words(values), align_words(errors)
    if not any(errors):
        return left
    return tuple(
        f"{value} {'±' if error.strip() else ' '} {error}"
        for value, error in zip(left, right, strict=True)
    )


def _alone(value: float | None, error: float | None) -> str:
    """A value with its error in a unit of its own, whatever the other rows have."""
    return f"{text.short(value, 5)} ± 0" if value and error == 0 else text.estimate(value, error)


def theory_text(estimate: Estimate, power: int | None) -> str:
    """The closed form of an estimate, with the estimate's precision."""
    value, error = estimate.theory, estimate.standard_error
    if value is None:
        return text.MISSING
    if power is None or not error:
        return text.short(_scaled(value, power or 0), 5)
    return text.fixed_decimals(_scaled(value, power), text.decimals([_scaled(error, power)]))


def z_text(estimate: Estimate) -> str:
    """The z-score, marked if it is approximate; or the reason why there is none."""
    if estimate.doubt == "skewed":
        return f"≈ {text.fixed_decimals(estimate.z, 1, sign=True)}"
    return estimate.doubt or text.fixed_decimals(estimate.z, 1, sign=True)


_DOUBTS: Final[dict[Doubt, str]] = {
    "rounding": "rounding: these trials differ from each other and from theory by rounding alone",
    "rare": "rare: theory rests on events so rare that these trials hardly saw one",
    "skewed": "≈: approximate, as the law of the measured is skewed",
}


def doubt_notes(estimates: Iterable[Estimate]) -> list[str]:
    """A line for each reason that stands in place of a z-score."""
    doubts = {estimate.doubt for estimate in estimates}
    return [note for doubt, note in _DOUBTS.items() if doubt in doubts]


def common_power(estimates: Iterable[Estimate]) -> int | None:
    """The power of ten that a column's numbers share; None if they differ too much."""
    known = [estimate for estimate in estimates if estimate.mean is not None]
    largest = max((abs(estimate.mean or 0.0) for estimate in known), default=0.0)
    if not largest:
        return 0
    exponent = math.floor(math.log10(largest))
    power = 0 if -2 <= exponent <= 5 else 3 * math.floor(exponent / 3)
    errors = [
        _scaled(estimate.standard_error, power) for estimate in known if estimate.standard_error
    ]
    return power if text.decimals(errors) <= 6 or not errors else None


def _scaled(value: float, power: int) -> float:
    return value * 10.0**-power if abs(power) < 300 else value


def unit_of(power: int | None) -> str:
    return f", in {text.power_of_ten(power)}" if power else ""
