"""The steps of a value: up and down nudge it, with shift by a bigger step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from .typed import Type


@dataclass(frozen=True)
class Steps:
    """How far up and down go. `ladder`: along 1, 2, 5, 10, 20, …, with shift ten times as far.

    `doubling`: along the powers of two, with shift four times as far.
    `decades`: to the tenth or ten times as much, with shift the hundredth.
    """

    small: str = "0.1"
    big: str = "1"
    ladder: bool = False
    doubling: bool = False
    decades: bool = False


_LADDER: Final = Steps(ladder=True)

_DOUBLING: Final = Steps(doubling=True)

_WHOLE: Final = Steps("1", "10")

_STEPS: Final[Mapping[str, Steps]] = {
    "population.items": _LADDER,
    "population.users": _LADDER,
    "population.ratio": Steps("0.01", "0.1"),
    "population.mean": _WHOLE,
    "population.std": _WHOLE,
    "protocol.f": Steps("0.05", "0.25"),
    "protocol.p": Steps("0.05", "0.25"),
    "protocol.q": Steps("0.05", "0.25"),
    "protocol.bits": _DOUBLING,
    "protocol.cohorts": _DOUBLING,
    "protocol.hashes": Steps("1", "4"),
    "protocol.alpha": Steps("0.01", "0.05"),
    "attack.cohort": Steps("0.1", "0.5"),
    "attack.share": Steps("0.01", "0.05"),
    "attack.seeds": _LADDER,
    "trials": _LADDER,
}


def steps_of(key: str, type_: Type) -> Steps:
    return _STEPS.get(key, _WHOLE if type_ == "integer" else Steps())


def nudged(value: float, up: bool, big: bool, steps: Steps) -> int | float:
    """The next number of the grid, or of the ladder, above or below a value."""
    if steps.ladder:
        return _climbed(value, up, big)
    if steps.doubling:
        return _doubled(max(1, round(value)), up, big)
    if steps.decades:
        return float(Decimal(repr(value)).scaleb((2 if big else 1) * (1 if up else -1)))
    step = Decimal(steps.big if big else steps.small)
    at = Decimal(repr(value)) / step
    beyond = math.floor(at) + 1 if up else math.ceil(at) - 1
    number = beyond * step
    whole = isinstance(value, int) and number == number.to_integral_value()
    return int(number) if whole else float(number)


def _doubled(number: int, up: bool, big: bool) -> int:
    """The next power of two above or below, or the one after that."""
    power = number.bit_length() + big if up else (number - 1).bit_length() - 1 - big
    return 1 << max(0, power)


def _climbed(value: float, up: bool, big: bool) -> int:
    number = max(1, round(value))
    if big:
        return number * 10 if up else max(1, round(number / 10))
    power = 10 ** (len(str(number)) - 1)
    rungs = [power // 2, power, 2 * power, 5 * power, 10 * power]
    above = [rung for rung in rungs if rung > number]
    below = [rung for rung in rungs if 0 < rung < number]
    return above[0] if up else (below[-1] if below else 1)
