"""The options of the tab of estimates; the command has its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ldptui.core.base.ranges import ALPHA, Range

from ..options import Blank
from .collected import Collection


@dataclass(frozen=True, kw_only=True)
class Options(Collection):
    """correct : corrections. top : the items that are asked for. simultaneous : all intervals hold
    together."""

    confidence: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.95
    correct: Annotated[tuple[str, ...], Blank("")] = ()
    top: Annotated[int | None, Range(1), Blank(optional=True)] = None
    simultaneous: Annotated[bool, Blank()] = False
