"""The time that a run over a large domain takes, said before it starts."""

from __future__ import annotations

import math
import time
from typing import Final

from ..base.errors import LdpError
from ..cell import Cell
from ..experiment import Experiment, compile  # noqa: A004
from ..metrics.results import BLOCK_TRIALS

LARGE: Final = 2**17
"""Items of a domain, from which on a block may take a minute."""

SMALL: Final = 2**12
"""Items of the same collection in small, whose block takes a second at most."""

KINDS: Final = 4
"""Kinds of cells that are rehearsed at most."""

LONG_S: Final = 10.0
"""A run that takes longer says so before it starts."""


def expected_seconds(experiment: Experiment) -> float | None:
    """The time of all blocks of a run in one process; None where no domain is large, or not known.

    A block of the same protocol, attack and users over few items is timed: on the counts path its
    time grows with the number of items, or less where few fakes pick among very many of them.
    """
    cells = [cell for cell in experiment.cells if _large(cell)]
    if not cells or any(cell.path != "counts" or cell.python_code for cell in cells):
        return None
    first: dict[tuple[object, object], Cell] = {}
    for cell in cells:
        first.setdefault(_kinds(cell), cell)
    if len(first) > KINDS:
        return None
    try:
        an_item = {kinds: _block_seconds(experiment, cell) / SMALL for kinds, cell in first.items()}
    except LdpError:  # what only the whole domain can be asked for
        return None
    return sum(
        math.ceil(cell.trials / BLOCK_TRIALS)
        * max(1, len(cell.rounds))
        * an_item[_kinds(cell)]
        * cell.population.domain_size
        for cell in cells
    )


def _large(cell: Cell) -> bool:
    return cell.population.domain_size >= LARGE


def _kinds(cell: Cell) -> tuple[object, object]:
    return cell.parameters.get("protocol.kind"), cell.parameters.get("attack.kind")


def _block_seconds(experiment: Experiment, cell: Cell) -> float:
    """The time of a block of the same cell over SMALL items, in one round."""
    scenario = experiment.scenario
    for key in scenario.sweep:
        scenario = scenario.with_value(key, cell.parameters[key])
    law = {"kind": "uniform", "items": SMALL, "users": cell.users}
    scenario = scenario.with_value("population", law).with_value("trials", BLOCK_TRIALS)
    if cell.targets.size:
        some = {"pick": "random", "count": min(int(cell.targets.size), SMALL // 2)}
        scenario = scenario.with_value("attack.targets", some)
    (small,) = compile(scenario, limits=False).cells
    started = time.perf_counter()
    small.block(0)
    return time.perf_counter() - started
