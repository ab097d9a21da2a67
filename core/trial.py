"""Trials of one cell: the unit of work. No input or output."""

from __future__ import annotations

from .cell import Cell, Counted
from .collection.reports import Pulse as Pulse
from .collection.reports import no_pulse as no_pulse
from .results import BLOCK_TRIALS, Block


def run_block(
    cell: Cell,
    number: int,
    trials: int = BLOCK_TRIALS,
    pulse: Pulse = no_pulse,
    shares: Counted | None = None,
) -> Block:
    """Simulate the first `trials` trials of a block of a cell, as its task does.

    The numbers depend on the cell and the block's number alone: a shorter block holds the first
    trials of the full one. shares : the counts of all its shares, where they were counted apart.
    """
    return cell.task.block(cell, number, trials, pulse, shares)
