"""The steps of a value: up and down nudge it, with shift by a bigger step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ...catalogue import key_words
from ...session.draft.looking import Type


@dataclass(frozen=True)
class Steps:
    """The steps of up and down. `ladder`: along 1, 2, 5, 10, 20, …, with shift ten times as far.

    `doubling`: along the powers of two, with shift four times as far.
    `decades`: to the tenth or ten times as much, with shift the hundredth.
    """

    small: str = "0.1"
    big: str = "1"
    ladder: bool = False
    doubling: bool = False
    decades: bool = False


_WHOLE: Final = Steps("1", "10")


def steps_of(key: str, type_: Type) -> Steps:
    """The steps that the catalogue gives a key, else those of its type."""
    step = key_words(key).step
    if step is None:
        return _WHOLE if type_ == "integer" else Steps()
    if isinstance(step, list):
        return Steps(*step)
    return Steps(ladder=step == "ladder", doubling=step == "doubling")


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
