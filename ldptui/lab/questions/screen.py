"""The options of the topic screen: which reports, and how well the rates are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ldptui.core.base.ranges import Range

from ..options import Argument, Blank
from .collected import Collection, Piped


@dataclass(frozen=True, kw_only=True)
class Options(Collection):
    """simulated : the collections that the rates of filters come from, of each sort. rows_out :
    the file of the suspicious rows."""

    simulated: Annotated[
        int, Range(0, 10_000), Argument(flags=("--trials",)), Blank(10, steps="ladder")
    ] = 20
    input_format: Piped | None = None
    rows_out: str | None = None
    format: Literal["table", "json"] = "table"
