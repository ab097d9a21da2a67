"""The options of the tab of screening: which reports, and how well the rates are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ldptui.core.base.ranges import Range

from ..options import Blank
from .collected import Collection


@dataclass(frozen=True, kw_only=True)
class Options(Collection):
    """simulated : the collections that the rates of filters come from, of each sort."""

    simulated: Annotated[int, Range(0, 10_000), Blank(10, steps="ladder")] = 10
