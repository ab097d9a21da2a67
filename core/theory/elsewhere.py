"""The gain of a cell's attack under other protocols, in closed form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..base.errors import LdpError
from ..cell import Cell
from ..law.pure import is_pure, sends_reports
from ..protocols import NAMED
from .gains import cell_gain
from .lines import HIDDEN, gain_lines
from .support import fake_support, sent_share


def gains_elsewhere(cell: Cell, kinds: Iterable[str]) -> dict[str, float]:
    """The expected gain of the same fakes on the same targets, by kind: the cell's own among them.

    Left out is a kind that the attack or the task cannot use, and one whose fakes send nothing
    known. Empty where the cell's own gain has no closed form (without an attack, over rounds, of a
    protocol that is not pure, while the number of fakes is looked for), and where the trust of the
    users gives a report another epsilon than the one that is set.

    Parameters
    ----------
    cell
        A cell of an experiment.
    kinds
        Protocols that a budget alone binds, which have the cell's epsilon and else the usual values
        of their keys.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]  # β = 0.05, OUE
    >>> gains = ldptui.theory.gains_elsewhere(cell, ["grr"])
    >>> {kind: round(gain, 4) for kind, gain in gains.items()}
    {'oue': 0.4742, 'grr': 3.6869}
    """
    epsilon = cell.parameters.get("protocol.epsilon")
    if not cell.is_pure or cell.rounds or not cell.targets.size or not cell.malicious:
        return {}
    own = _gain(cell)
    if own is None or not isinstance(epsilon, int | float) or cell.pure.epsilon != epsilon:
        return {}
    found = {str(cell.parameters["protocol.kind"]): own}
    for kind in kinds:
        if kind not in found and (gained := _under(cell, kind, float(epsilon))) is not None:
            found[kind] = gained
    return found


def hidden_gain(cell: Cell) -> float | None:
    """The gain that the fakes of a cell can hide from every defence; None where it is not known.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.hidden_gain(ldptui.compile("quickstart").cells[5]), 4)  # β = 0.05
    0.0787
    """
    if (
        not cell.is_pure
        or not cell.targets.size
        or not cell.malicious
        or not sends_reports(cell.protocol)
    ):
        return None
    lines = gain_lines(
        cell.protocol, cell.population, cell.targets, sent_share(cell), crafted=False
    )
    return next((gained for line, gained in lines.items() if line in HIDDEN), None)


def _under(cell: Cell, kind: str, epsilon: float) -> float | None:
    try:
        protocol: Any = cell.task.bound(NAMED[kind](kind=kind, epsilon=epsilon), cell.population)
        for fakes in cell.fakes:
            fakes.strategy.check(protocol, fakes.targets)
        return _gain(replace(cell, protocol=protocol)) if is_pure(protocol) else None
    except (LdpError, ValueError, OverflowError):
        return None


def _gain(cell: Cell) -> float | None:
    supported = fake_support(cell)
    return None if supported is None else cell_gain(cell, supported)
