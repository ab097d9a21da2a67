"""The options of the topic estimate: those of the tab, and those of the command alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ldptui.core.base.ranges import ALPHA, Range

from ..options import Argument, Blank
from .collected import Collection, Piped


@dataclass(frozen=True, kw_only=True)
class Options(Collection):
    """correct : corrections. top : the items that are asked for. simultaneous : all intervals hold
    together.

    low, high : of the users' numbers, whose distribution has `parts`. share : of fakes, at most.
    defend : steps whose estimates stand beside. simulated : collections that their rates come from.
    """

    confidence: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.95
    correct: Annotated[tuple[str, ...], Argument(repeated=True), Blank("")] = ()
    top: Annotated[int | None, Range(1), Blank(optional=True)] = None
    simultaneous: Annotated[bool, Blank()] = False
    input_format: Piped | None = None
    low: Annotated[float | None, Argument(either=True)] = None
    high: float | None = None
    parts: int | None = None
    fit: Literal["ems", "em"] | None = None
    coverage: bool = False
    by: str | None = None
    share: float | None = None
    screen: bool = False
    defend: str | None = None
    simulated: Annotated[int, Argument(flags=("--trials",))] = 20
    rows_out: str | None = None
    counts_out: str | None = None
    format: Literal["table", "csv", "json"] = "table"
