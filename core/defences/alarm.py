"""The interface of alarms: steps that read the estimates, and claim an attack or none.

They read what is published without any defence, and change nothing.
"""

from __future__ import annotations

from typing import ClassVar, Final, Protocol

from ..base.capability import Capability
from ..base.sampling import Floats
from ..law.pure import BoolArray
from .correction import Checked, Known


class Alarm(Checked, Protocol):
    """A step that reads the estimates of one collection: the `[[defence]]` table of a scenario."""

    def alarmed(self, frequencies: Floats, known: Known) -> BoolArray | None:
        """bool[trials]: whether it claims an attack; None where it cannot tell.

        frequencies : float64[trials, d].
        """
        ...


class ComparesRounds(Alarm, Protocol):
    """An alarm that reads the estimates of two rounds."""

    compares_rounds: ClassVar[bool]


compares_rounds: Final[Capability[ComparesRounds]] = Capability("compares_rounds")
"""True where an alarm needs the round before."""

is_alarm: Final[Capability[Alarm]] = Capability("alarmed")
"""True where a defence claims attacks from estimates."""
