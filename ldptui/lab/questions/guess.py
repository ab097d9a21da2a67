"""The options of the topic guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ldptui.core.base.ranges import ALPHA, Range

from ..options import Blank, Choices
from .offered import alike, local
from .shared import Items, LocalBudget


def _protocols() -> Choices:
    return alike(*local())


@dataclass(frozen=True, kw_only=True)
class Options:
    """prior, column, given : a table of what users hold. answers, gain : besides."""

    protocol: Annotated[str, Blank("oue", "protocol.kind", _protocols, bare=True)] = "oue"
    items: Items
    epsilon: LocalBudget
    prior: Annotated[str | None, Blank(optional=True)] = None
    column: Annotated[str, Blank("item")] = "item"
    given: Annotated[str | None, Blank(optional=True)] = None
    answers: Annotated[int, Range(1, 10_000), Blank(1)] = 1
    gain: Annotated[float | None, ALPHA, Blank(0.05, optional=True, steps="hundredths")] = None
