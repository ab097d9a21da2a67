"""Items, targets, bits and bytes in words."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.population.targets import RandomSet

from ...text import format as fmt


def letters_of(cell: Cell) -> tuple[str, str]:
    """The chances that a 1, and that a 0, is sent as 1: some bits have a p and q of their own."""
    return ("q*", "p*") if "p_star" in cell.protocol.facts() else ("p", "q")


def named(cell: Cell, item: int) -> str:
    """The number of an item, and its label if it has one."""
    label = cell.population.label(item)
    return f"item {item}" if cell.population.labels is None else f"item {item}, “{label}”"


def targets_of(cell: Cell) -> str:
    """The number of targets in words: `3 targets`."""
    return plural(cell.targets.size, "target")


def wish_of(attack: Strategy) -> str:
    """The way in which an attack wants its targets to look."""
    if attack.report_law == "avoided":
        return "rare"
    return (
        "frequent, whichever they are"
        if isinstance(getattr(attack, "targets", None), RandomSet)
        else "frequent"
    )


def plural(count: int, noun: str, ending: str = "s") -> str:
    """A number and what is counted: `1 bit`, `2 bits`."""
    return f"{fmt.count(count)} {noun}" + ("" if count == 1 else ending)


def hex_of(report: NDArray[Any]) -> str:
    """The first bytes of a packed report."""
    data = report.tobytes()
    start = data[:7].hex(" ")
    return f"{plural(len(data), 'byte')}: {start}" + (" …" if len(data) > 7 else "")


def bits_needed(domain_size: int) -> str:
    return f"{plural((domain_size - 1).bit_length(), 'bit')}"
