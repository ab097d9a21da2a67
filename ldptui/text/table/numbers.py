"""Measured values as columns: with error, closed form and z."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ldptui.core.base.summary import Doubt, Estimate

from .. import format as text
from .layout import Column, Group, aligned_on, number_column


def beside_theory(title: str, estimates: Sequence[Estimate]) -> Group:
    """Estimates beside their closed forms."""
    compared = tuple(estimates)
    power = common_power(estimates)
    columns = (
        Column("measured", with_errors(estimates, power)),
        Column("theory", aligned_on([theory_text(estimate, power) for estimate in estimates], ".")),
        Column("z", number_column(z_text(estimate) for estimate in estimates)),
    )
    return Group(title + unit_of(power), columns, compared)


def side_by_side(title: str, columns: Mapping[str, Sequence[Estimate]]) -> Group:
    """Estimates without closed forms in one unit, a column each, by their heads."""
    power = common_power([estimate for estimates in columns.values() for estimate in estimates])
    shown = (Column(head, with_errors(each, power)) for head, each in columns.items())
    return Group(title + unit_of(power), tuple(shown))


def with_errors(estimates: Iterable[Estimate], power: int | None) -> tuple[str, ...]:
    """`value ± error` with both points aligned; the error has two digits in each row."""
    estimates = list(estimates)
    if power is None:
        return aligned_on(
            [_scientific(estimate.mean, estimate.standard_error) for estimate in estimates], " ± "
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
            values.append(text.fixed(_scaled(estimate.mean, power), places))
            errors.append(text.fixed(error, places))
    left, right = aligned_on(values, "."), aligned_on(errors, ".")
    if not any(errors):
        return left
    return tuple(
        f"{value} {'±' if error.strip() else ' '} {error}"
        for value, error in zip(left, right, strict=True)
    )


def _scientific(value: float | None, error: float | None) -> str:
    """`(1.235 ± 0.012)e-6`, whatever the size."""
    if value is None or value == 0:
        return text.short(value)
    power = math.floor(math.log10(abs(value)))
    power += round(abs(_scaled(value, power)), 4) >= 10
    if not error:
        alone = text.fixed(_scaled(value, power), 4)
        return f"{alone}e{power}" if error is None else f"({alone} ± 0)e{power}"
    scaled = _scaled(error, power)
    places = text.decimals([scaled])
    return f"({text.fixed(_scaled(value, power), places)} ± {text.fixed(scaled, places)})e{power}"


def theory_text(estimate: Estimate, power: int | None) -> str:
    """The closed form, as precise as what it is compared with."""
    value, error = estimate.theory, estimate.standard_error
    if value is None:
        return text.MISSING
    if power is None:
        return _scientific(value, None)
    if not error:
        return text.short(_scaled(value, power), 5)
    return text.fixed(_scaled(value, power), text.decimals([_scaled(error, power)]))


def z_text(estimate: Estimate) -> str:
    """The z, or the doubt that leaves none."""
    return estimate.doubt or text.fixed(estimate.z, 1, sign=True)


_DOUBTS: Final[dict[Doubt, str]] = {
    "rounding": "rounding: these trials differ from each other and from theory by rounding alone",
    "rare": "rare: theory rests on events so rare that these trials hardly saw one",
}


def doubt_notes(estimates: Iterable[Estimate]) -> list[str]:
    """A line for each doubt that stands in the place of a z."""
    doubts = {estimate.doubt for estimate in estimates}
    return [note for doubt, note in _DOUBTS.items() if doubt in doubts]


def common_power(estimates: Iterable[Estimate]) -> int | None:
    """The power of ten that a column shares; None where its numbers are too far apart."""
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
