"""A cell whose reports are bits that do not stand for items, before they are decoded.

All is None where a protocol has no such bits, and where it is not known what the fakes send.
"""

from __future__ import annotations

from ..base.sampling import Floats
from ..cell import Cell
from ..law.capabilities import sends_bits
from .support import collected


def bit_gain(cell: Cell) -> float | None:
    """The gain of the targets before decoding; None as well without an attack."""
    protocol = cell.protocol
    return protocol.bit_gain(collected(cell), cell.targets) if sends_bits(protocol) else None


def expected_bit_counts(cell: Cell) -> Floats | None:
    """The expected counts of a trial, fakes included, of the shape that the protocol counts."""
    return cell.protocol.bit_counts(collected(cell)) if sends_bits(cell.protocol) else None


def bit_count_variances(cell: Cell) -> Floats | None:
    """The variances of the same."""
    protocol = cell.protocol
    return protocol.bit_count_variances(collected(cell)) if sends_bits(protocol) else None
