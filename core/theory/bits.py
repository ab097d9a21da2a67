"""A cell whose reports are bits that do not stand for items, before they are decoded.

All is None where a protocol has no such bits, and where it is not known what the fakes send.
"""

from __future__ import annotations

from ..base.sampling import Floats
from ..cell import Cell
from ..law.capabilities import sends_bits
from .support import collected


def bit_gain(cell: Cell) -> float | None:
    """The gain of the targets before decoding; None as well without an attack.

    Parameters
    ----------
    cell
        A cell of an experiment, of RAPPOR.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.bit_gain(ldptui.compile("rappor-attack").cells[0]) is None
    False
    """
    protocol = cell.protocol
    return protocol.bit_gain(collected(cell), cell.targets) if sends_bits(protocol) else None


def expected_bit_counts(cell: Cell) -> Floats | None:
    """The expected counts of a trial, fakes included, of the shape that the protocol counts.

    Parameters
    ----------
    cell
        A cell of an experiment, of RAPPOR.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.expected_bit_counts(ldptui.compile("rappor-attack").cells[0]).ndim
    2
    """
    return cell.protocol.bit_counts(collected(cell)) if sends_bits(cell.protocol) else None


def bit_count_variances(cell: Cell) -> Floats | None:
    """The variances of the counts that `expected_bit_counts` expects, of the same shape.

    Parameters
    ----------
    cell
        A cell of an experiment, of RAPPOR.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.bit_count_variances(ldptui.compile("rappor-attack").cells[0]).ndim
    2
    """
    protocol = cell.protocol
    return protocol.bit_count_variances(collected(cell)) if sends_bits(protocol) else None
