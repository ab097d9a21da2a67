"""Releases as a ledger takes them: read as they are typed, and those of a scenario's rounds."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Sequence
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.cell import Cell
from ldptui.core.lab.ledger import LedgerEntry
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.protocols import BitNoise

from ..text import format as text
from .mechanisms import privacy
from .options import integer

FORM: Final = "[NAME=]EPSILON[,DELTA][xTIMES]"


def read_entries(written: Sequence[str]) -> list[LedgerEntry]:
    """The ledger entries of typed texts, empty ones left out; raises ScenarioError with key
    entries.ROW.
    """
    entries = []
    for row, entry in enumerate(written):
        if entry:
            try:
                entries.append(read_entry(entry))
            except ScenarioError as error:
                raise ScenarioError(error.rule, f"entries.{row}.{error.key}".strip(".")) from error
    return entries


def read_entry(written: str) -> LedgerEntry:
    """The ledger entry of a text [NAME=]EPSILON[,DELTA][xTIMES]; raises ScenarioError."""
    name, _, rest = written.rpartition("=")
    spent, by, times = rest.partition("x")
    try:
        epsilon, _, delta = spent.partition(",")
        parts = float(epsilon), float(delta or 0), integer(times) if by else 1
    except (ValueError, ArgumentTypeError) as error:
        raise ScenarioError(f"must be {FORM}, {got(written)}") from error
    return LedgerEntry(name or f"ε = {text.chosen_value(parts[0])}", *parts)


def noise_of(cell: Cell) -> Any:
    """RAPPOR's f, p, q and hashes, if the protocol of a cell is RAPPOR; else None."""
    protocol: Any = cell.protocol
    if "p_star" not in protocol.facts():
        return None
    noise = protocol.noise
    return noise.f, noise.p, noise.q, protocol.hashes


def releases_of(cell: Cell) -> list[str]:
    """The rounds of a cell as texts of ledger entries; one entry for memoised answers.

    Empty for RAPPOR, whose rounds have a row of their own in the answer.
    """
    if noise_of(cell) is not None:
        return []
    kind, rounds = str(cell.parameters["protocol.kind"]), max(1, len(cell.rounds))
    epsilon, delta = privacy(cell)
    if isinstance(cell.protocol, Memoising) and cell.rounds:
        return [f"{kind}={cell.protocol.epsilon_of_rounds(rounds)!r}"]
    slack = f",{delta!r}" if delta else ""
    return [f"{kind}={epsilon!r}{slack}x{rounds}"]


def read_noise(rappor: Sequence[float]) -> tuple[BitNoise, int]:
    """RAPPOR's noise and its number of hashes h, from the numbers f, p, q and h; raises
    ScenarioError.
    """
    f, p, q, hashes = rappor
    if hashes not in range(1, 17):
        raise ScenarioError(
            f"must have 1 to 16 hashes, got {text.chosen_value(hashes)}", key="rappor"
        )
    try:
        return BitNoise(f, p, q), int(hashes)
    except ScenarioError as error:
        raise ScenarioError(f"{error.key} {error.rule}", key="rappor") from error
