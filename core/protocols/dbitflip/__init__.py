"""dBitFlip and dBitFlipPM: noisy bits of a few items, drawn anew or kept over rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..budget import Budget
from .flips import SAMPLED, BitFlips, Chooser, SampledRule
from .kept import KeptBitFlips

__all__ = ["BitFlips", "BitFlipsSpec", "KeptBitFlips", "KeptBitFlipsSpec"]


@dataclass(frozen=True)
class BitFlipsSpec(Budget):
    """dBitFlip before the domain is known: how many items have a bit, and who draws them."""

    kind: Literal["dbitflip"]
    sampled: SampledRule | Annotated[int, SAMPLED] = "half"
    chooser: Chooser = "client"

    mechanism = BitFlips

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> BitFlips:  # noqa: ARG002
        return BitFlips(domain_size, self.epsilon, _size(self.sampled, domain_size), self.chooser)


@dataclass(frozen=True)
class KeptBitFlipsSpec(Budget):
    """dBitFlipPM before the domain is known."""

    kind: Literal["dbitflip-pm"]
    sampled: SampledRule | Annotated[int, SAMPLED] = "half"
    chooser: Chooser = "client"

    mechanism = KeptBitFlips

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> KeptBitFlips:  # noqa: ARG002
        size = _size(self.sampled, domain_size)
        return KeptBitFlips(domain_size, self.epsilon, size, self.chooser)


def _size(sampled: SampledRule | int, domain_size: int) -> int:
    """D; "half" of all items, rounded up."""
    return -(-domain_size // 2) if sampled == "half" else int(sampled)
