"""A step of the server: the part that every defence has, whatever it does."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..base.ranges import Bounded


@dataclass(frozen=True)
class Step(Bounded):
    """A step that can be muted.

    muted : it stays in the scenario and does not act: everything is as it is without it. None
        where nothing is said of that.
    """

    # What a step draws depends on its other fields alone, as it did before steps could be muted.
    muted: bool | None = field(default=None, kw_only=True, repr=False, compare=False)
