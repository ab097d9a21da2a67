"""dBitFlip and dBitFlipPM: noisy bits of a few items, drawn anew in each round or memoised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ..budget import Budget
from .flips import SAMPLED, BitFlips, Chooser, SampledRule
from .kept_bits import KeptBitFlips


@dataclass(frozen=True)
class _Sampling(Budget):
    """The table of a kind with the keys of how many items have a bit, and who draws them."""

    sampled: SampledRule | Annotated[int, SAMPLED] = "half"
    chooser: Chooser = "client"

    def bind(self, domain_size: int) -> Any:
        size = _size(self.sampled, domain_size)
        return self.mechanism(domain_size, self.epsilon, size, self.chooser)


@dataclass(frozen=True)
class BitFlipsSpec(_Sampling, kind="dbitflip", mechanism=BitFlips):
    """The `[protocol]` table of dBitFlip, before the domain is known."""


@dataclass(frozen=True)
class KeptBitFlipsSpec(_Sampling, kind="dbitflip-pm", mechanism=KeptBitFlips):
    """The `[protocol]` table of dBitFlipPM, before the domain is known."""


def _size(sampled: SampledRule | int, domain_size: int) -> int:
    """D; "half" of all items, rounded up."""
    return -(-domain_size // 2) if sampled == "half" else int(sampled)


SPECS = (BitFlipsSpec, KeptBitFlipsSpec)
