"""The options of the topic estimate: those of the tab, and those of the command alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ldptui.core.base.ranges import ALPHA, SHARE, Range

from ..options import Argument, Blank
from .collected import Collection, Piped, listed, ranged


@dataclass(frozen=True, kw_only=True)
class Options(Collection):
    """correct : corrections. top : the items that are asked for. simultaneous : all intervals hold
    together.

    parts : of the range, over which numbers are distributed. share : of fakes, at most.
    defend : steps whose estimates stand beside. simulated : collections that their rates come from.
    """

    confidence: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.95
    correct: Annotated[tuple[str, ...], Argument(repeated=True), Blank("", only=listed)] = ()
    top: Annotated[int | None, Range(1), Blank(optional=True, only=listed)] = None
    simultaneous: Annotated[bool, Blank(only=listed)] = False
    input_format: Piped | None = None
    parts: Annotated[int | None, Range(2, 1024), Blank(20, optional=True, only=ranged)] = None
    fit: Literal["ems", "em"] | None = None
    coverage: bool = False
    by: str | None = None
    share: Annotated[float | None, SHARE, Blank(optional=True, only=ranged)] = None
    screen: bool = False
    defend: str | None = None
    simulated: Annotated[int, Argument(flags=("--trials",))] = 20
    rows_out: str | None = None
    counts_out: str | None = None
    format: Literal["table", "csv", "json"] = "table"
