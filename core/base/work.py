"""The work of a run: a block of trials, and shares of the users of one, which add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .pulse import Pulse
from .sampling import Counts

Role: TypeAlias = Literal["genuine", "malicious"]


@dataclass(frozen=True)
class Share:
    """Users of one trial, genuine or fake: blocks of `collection.reports.USER_BLOCK` of them."""

    trial: int
    role: Role
    blocks: range


Counted: TypeAlias = Mapping[Share, Counts]
"""The counts of shares."""


@dataclass(frozen=True, eq=False)
class Work:
    """The first trials of a block, to be simulated.

    number : the block's. shares : the counts of all shares of its users, where they are known.
    """

    number: int
    trials: int
    pulse: Pulse
    shares: Counted | None = None
