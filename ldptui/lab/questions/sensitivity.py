"""The options of the topic sensitivity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from ldptui.core.base.ranges import Range

from ..options import Argument, Blank
from .shared import Budget, File, Near


@dataclass(frozen=True, kw_only=True)
class Options:
    """bounds : what every number is known to lie in. bound : where the form clips, or None."""

    file: File
    column: Annotated[str, Argument(renames=("values",)), Blank("income")]
    query: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    bound: Annotated[
        float | None, Range(0, math.inf, "()"), Blank(optional=True, steps="ladder")
    ] = None
    nonnegative: Annotated[bool, Blank(True, choices=((True, "no"), (False, "yes")))] = False
    epsilon: Budget = 1.0
    neighbours: Annotated[Near, Blank("add-remove", bare=True)] = "change-one"
