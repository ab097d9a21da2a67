"""A column of numbers in a file, a batch of rows at a time, each number within a range."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ScenarioError, format_number, got
from .files import Source
from .tables import Batch, Columns, spot

Numbers = NDArray[np.float64]


def as_number(value: str) -> float | None:
    """The finite number that a text spells, or None."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def first_outside(numbers: Numbers, low: float, high: float) -> int | None:
    """The index of the first number outside [low, high]; None if all are inside."""
    outside = ~((numbers >= low) & (numbers <= high))
    return int(outside.argmax()) if outside.any() else None


def range_rule(low: float, high: float, clip: str) -> str:
    """The rule for a number in a range, for messages. clip : the option that clips other
    numbers.
    """
    return f"must be a number in [{format_number(low)}, {format_number(high)}] ({clip})"


@dataclass(frozen=True)
class NumberColumn:
    """A column of a CSV, Parquet or Arrow file with a number in [low, high] in each row.

    key : the key that messages about the column name. clip : whether numbers outside the range are
    clipped to it. clipping : the option for that, in the words of a message.
    """

    path: Source
    name: str
    low: float
    high: float
    clip: bool = False
    key: str = "column"
    clipping: str = "clip = true takes the nearer end"

    def batches(self) -> Iterator[Numbers]:
        """Yields float64[rows], the numbers of the file in batches.

        Raises FileError, and ScenarioError with the row of the first cell that is no number, or is
        outside the range if nothing is clipped.
        """
        yield from Columns(self.path, [self.name], self.key).read(self._exact, self._quick, ["f8"])

    def clip_numbers(self, numbers: Numbers) -> Numbers:
        """The numbers clipped to the range [low, high]."""
        return np.clip(numbers, self.low, self.high)

    def _quick(self, cells: NDArray[Any]) -> Numbers | None:
        (field,) = cells.dtype.names or ()
        numbers = np.asarray(cells[field], dtype=np.float64)
        within = np.isfinite(numbers).all() if self.clip else self._all_within(numbers)
        return numbers if within else None

    def _all_within(self, numbers: Numbers) -> bool:
        return first_outside(numbers, self.low, self.high) is None

    def _exact(self, batch: Batch) -> Numbers:
        cells = [str(cell).strip() for cell in batch.cells[0]]
        values = [as_number(cell) for cell in cells]
        numbers = np.array([math.nan if each is None else each for each in values])
        at = int(np.isnan(numbers).argmax()) if np.isnan(numbers).any() else None
        if at is None and not self.clip:
            at = first_outside(numbers, self.low, self.high)
        if at is not None:
            missing = ": a missing value?" * (not cells[at])
            rule = f"{self.name} {range_rule(self.low, self.high, self.clipping)}"
            where = spot(self.path, batch.lines[at])
            raise ScenarioError(f"{where}: {rule}, {got(cells[at])}{missing}")
        return numbers
