"""what one person changes in a column's totals; clipping"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import Range

from ..text import format as text
from .options import AllowedWords, Argument, Blank
from .parameters import Budget, Near, TableFile
from .question import Curves, Steps, question, space_points
from .question_answer import QuantityRow, QuestionAnswer, hidden, omit_field

if TYPE_CHECKING:
    from ldptui.core.base.sampling import Floats


QUERIES: Final = ("count", "sum", "mean", "histogram")
NUMERIC: Final = ("sum", "mean")
FORMULAS: Final[Mapping[str, Mapping[str, str]]] = {
    "count": {"change-one": "a changed row is still a row", "add-remove": "one row"},
    "sum": {"change-one": "high − low", "add-remove": "max(|low|, |high|)"},
    "mean": {"change-one": "(high − low) / n", "add-remove": "(high − low) / 2, whatever n"},
    "histogram": {"change-one": "a bin less, a bin more", "add-remove": "one bin"},
}


@dataclass(frozen=True)
class Width:
    """A query's ℓ₁-sensitivity (infinite if unbounded), and the noise that it needs."""

    sensitivity: float
    unbounded: bool
    noise_std: float


@dataclass(frozen=True)
class SumError:
    """The error of a private sum of numbers clipped to C: bias and noise."""

    bound: float
    bias: float
    noise: float
    error: float

    @property
    def lost(self) -> float:
        """The absolute bias that clipping causes."""
        return abs(self.bias)


@dataclass(frozen=True)
class ClippedSum:
    """The sum of a column, and the error of the private sum at the best clipping bound."""

    sum: float
    best: SumError


@dataclass(frozen=True)
class SensitivityAnswer(QuestionAnswer):
    """The answer of `sensitivity`: by how much one person can change a column's count, sum, mean
    and histogram.

    values : the number of different values.
    minimum, maximum : None if no query needs numbers.
    bounds : the range that every number is known to lie in beforehand.
    clipping : the sum at the best bound; None if no query needs numbers, or all are 0.
    clipped : the error at the chosen bound.
    refuted : the sentence about numbers outside the known range; "" if there are none.
    """

    file: str
    column: str
    rows: int
    values: int
    minimum: float | None
    maximum: float | None
    epsilon: float
    neighbours: str
    bounds: tuple[float, float] | None
    queries: Mapping[str, Width]
    clipping: ClippedSum | None
    clipped: SumError | None = omit_field()
    is_nonnegative: bool = hidden(default=False)
    refuted: str = hidden("")

    @property
    def chosen_error(self) -> SumError | None:
        """The error at the chosen clipping bound, or at the best one."""
        if self.clipping is None:
            return None
        return self.clipped or self.clipping.best

    @property
    def clip(self) -> float | None:
        """The chosen clipping bound, or the best one."""
        return None if self.chosen_error is None else self.chosen_error.bound

    def _ends(self, chosen: SumError) -> tuple[float, float]:
        return 0.0 if self.is_nonnegative else -chosen.bound, chosen.bound

    @property
    def title(self) -> str:
        size = f"{text.count(self.rows)} rows, ε = {text.short(self.epsilon)}"
        return f"{Path(self.file).name}, column {self.column}: {size}"

    @property
    def sentences(self) -> Iterator[str]:
        chosen = self.chosen_error
        if chosen is None or self.clipping is None:
            query, width = next(iter(self.queries.items()))
            noise = text.short(width.noise_std, 3)
            epsilon = text.short(self.epsilon)
            yield (
                f"One person changes the {query} by {text.short(width.sensitivity)}: with "
                f"ε = {epsilon} it is off by {noise} (one standard deviation)."
            )
            return
        low, high = (text.short(end) for end in self._ends(chosen))
        total = self.clipping.sum
        share = text.percent(chosen.error / abs(total)) if total else text.MISSING
        yield (
            f"With ε = {text.short(self.epsilon)} and numbers clipped to [{low}, {high}] a private "
            f"sum of {self.column} is off by {text.short(chosen.error, 3)}, {share} of it."
        )

    def quantities(self) -> Iterator[QuantityRow]:
        for query, width in self.queries.items():
            shown = "unbounded" if width.unbounded else text.short(width.sensitivity, 6)
            why = "no bounds are known" if width.unbounded else FORMULAS[query][self.neighbours]
            yield QuantityRow(f"Δ of {query}", shown, why, "DR def. 3.1")
        for query, width in self.queries.items():
            if not width.unbounded:
                yield QuantityRow(f"noise of {query}", width.noise_std, "√2 Δ/ε", "DR 3.3")
        if self.clipping is None:
            return
        best = self.clipping.best
        yield QuantityRow("least error", best.error, f"at C = {text.short(best.bound, 3)}", "AKMV")
        if (chosen := self.clipped) is not None:
            low = text.short(self._ends(chosen)[0])
            yield QuantityRow("at C: bias", chosen.bias, f"Σ clip(x, {low}, C) − Σ x", "AKMV")
            yield QuantityRow("at C: noise", chosen.noise, "√2 Δ/ε", "DR 3.3")
            yield QuantityRow("at C: error", chosen.error, "√(bias² + noise²)", "AKMV")

    @property
    def notes(self) -> Iterator[str]:
        yield from [self.refuted] * bool(self.refuted)
        yield f"{self.neighbours} neighbours"
        if any(width.unbounded for width in self.queries.values()):
            yield (
                "unbounded: one person can change it by any amount, and no noise hides that; give "
                "--bounds that hold whatever the data, or clip"
            )
        if self.clipping is not None:
            yield (
                "clipped: √(bias² + noise²) of the private sum; the best bound is read off the "
                "data, and to choose it so is not private"
            )


def _guess_column(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the first column that starts with a number, else the first one."""
    from ldptui.core.base.number_column import as_number

    for name, cell in zip(header, rows[0] if rows else (), strict=False):
        if as_number(cell) is not None:
            return name
    return header[0]


@question(
    "Sensitivity",
    "What does one person change?",
    place=2,
    curves=[
        Curves(
            "Clipping the sum",
            "clip",
            space_points("clip", 30, 16),
            {
                "|bias|": ("chosen_error.lost", "attacked"),
                "noise": ("chosen_error.noise", "clean"),
                "error": ("chosen_error.error", "true"),
            },
            "bound C",
            "error of the sum",
            is_log_y=True,
            marked="here",
        )
    ],
)
def sensitivity(
    file: TableFile,
    *,
    column: Annotated[
        str,
        "NAME",
        Argument(renames=("values",), role="column"),
        Blank("income", guess=_guess_column),
    ],
    query: Annotated[tuple[str, ...], "NAMES", AllowedWords(lambda: QUERIES)] = (),
    bounds: Annotated[tuple[float, float] | None, "LOW,HIGH"] = None,
    clip: Annotated[float | None, Range(0, math.inf, "()"), "C", Blank(steps="1-2-5")] = None,
    nonnegative: Annotated[bool, Blank(True, choices=((True, "no"), (False, "yes")))] = False,
    epsilon: Budget = 1.0,
    neighbours: Annotated[Near, Blank("add-remove", bare=True)] = "change-one",
) -> Steps[SensitivityAnswer]:
    """Compute by how much one person can change the count, the sum, the mean and the histogram
    of a CSV column, and what clipping costs and saves. Without bounds that are known
    beforehand, a sum is unbounded.

    Parameters
    ----------
    file : a CSV table
    column : the column
    query : some of count,sum,mean,histogram (all)
    bounds : what every number is known to lie in beforehand, as --bounds=-5,5
    clip : print the error of a sum of numbers that are clipped to C
    nonnegative : no number is below 0, as is known beforehand
    epsilon : privacy budget ε
    neighbours : tables that must look alike: one row changed, or one more

    Examples
    --------
    ldptui sensitivity pay.csv --column salary --bounds 0,200000 --nonnegative
    """
    from ldptui.core.lab.sensitivity import of_query

    from .inputs import columns_of

    yield f"reading the column {column} of {file}"
    (found,) = columns_of(Path(file), [column])
    queries: list[Any] = [each for each in QUERIES if each in query or not query]
    size, held = found.codes.size, None
    if any(each in NUMERIC for each in queries):
        try:
            held = found.numbers()
        except ScenarioError as error:
            rule = f"{error.rule}; of such a column --query count,histogram alone"
            raise ScenarioError(rule, key=error.key) from error
    widths = {}
    for each in queries:
        width = of_query(each, neighbours, bounds, size)
        widths[each] = Width(width, math.isinf(width), math.sqrt(2) * width / epsilon)
    clipping, chosen = None, None
    refuted = ""
    if held is not None:
        is_negative = not nonnegative and (bounds is None or bounds[0] < 0)
        clipping, chosen = _clip(held, epsilon, neighbours, is_negative, clip)
        low, high = bounds or (-math.inf, math.inf)
        refuted = _refute(held, max(low, 0.0) if nonnegative else low, high)
    return SensitivityAnswer(
        file, found.name, size, len(found.values),
        None if held is None else float(held.min()),
        None if held is None else float(held.max()),
        epsilon, neighbours, bounds, widths,
        clipping, chosen, nonnegative or (bounds is not None and bounds[0] >= 0), refuted,
    )  # fmt: skip


def _clip(
    held: Floats, epsilon: float, near: Any, is_negative: bool, chosen: float | None
) -> tuple[ClippedSum | None, SumError | None]:
    """The errors of a private sum at the best bound, and at a chosen one."""
    import numpy as np

    from ldptui.core.lab.sensitivity import clipping, least_bound

    if not held.any():
        return None, None
    bounds = [least_bound(held, epsilon, near, is_negative), *([chosen] if chosen else [])]
    tried = clipping(held, epsilon, np.array(bounds), near, is_negative)
    columns = (
        tried.bound.tolist(),
        tried.bias.tolist(),
        tried.noise.tolist(),
        tried.error.tolist(),
    )
    best, *rest = (SumError(*each) for each in zip(*columns, strict=True))
    return ClippedSum(float(held.sum()), best), rest[0] if rest else None


def _refute(held: Floats, low: float, high: float) -> str:
    """The sentence about numbers outside the range that is known beforehand; "" if
    there is none.
    """
    import numpy as np

    outside = held[(held < low) | (held > high)]
    if not outside.size:
        return ""
    farthest = outside[np.argmax(np.maximum(low - outside, outside - high))]
    rule = f"at least {text.short(low)}"
    if math.isfinite(high):
        rule = f"in [{text.short(low)}, {text.short(high)}]"
    verb = "is" if outside.size == 1 else "are"
    return (
        f"the file refutes what is known beforehand: {text.count(outside.size)} of "
        f"{text.count(held.size)} numbers {verb} not {rule}, the farthest is "
        f"{text.short(float(farthest))}; this noise does not hide such a person"
    )
