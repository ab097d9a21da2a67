"""Attacks on numbers that craft reports: what an end of the range makes likely, and one point.

The law of many crafted reports decides what a server that fits a distribution takes them for: the
largest report alone fits no honest number well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ..base.ranges import SHARE, Bounded, Range
from ..law.law import Ask, LawName
from ..population.targets import RandomSet
from .strategy import Promoting, Usual, View


@dataclass(frozen=True)
class WidestReport(Promoting):
    """Reports of the whole window of an end of the range, all alike: SW's [1 - b, 1 + b].

    targets : numbers, whose nearer end it is.
    """

    kind: Literal["top"] = "top"
    report_law: ClassVar[LawName] = "widest"


@dataclass(frozen=True)
class OnePoint(Usual, Bounded):
    """The report that says one number, from all fakes: that of the number without noise.

    number : one of the task's range; the nearest report is sent.
    """

    share: Annotated[float, SHARE]
    number: Annotated[float, Range()]
    kind: Literal["point"] = "point"
    report_law: ClassVar[LawName] = "pointed"

    @property
    def targets(self) -> RandomSet:
        """No items: what it promotes is a number."""
        return RandomSet(0)

    def ask(self, view: View) -> Ask:
        return Ask(self.report_law, view.targets, number=self.number)
