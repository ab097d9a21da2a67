"""The searches of an experiment's goals, in processes: what `compile` may leave out."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass, replace

from .experiment import Experiment
from .limits import MAX_USERS
from .search import solved
from .workers import processes


@dataclass(frozen=True, eq=False)
class Searched:
    """An experiment whose goals are answered one by one. done, total : the searches."""

    experiment: Experiment
    done: int
    total: int


def searched(experiment: Experiment, workers: int = 1, limits: bool = True) -> Iterator[Searched]:
    """Search for the answers that an experiment lacks: first none of them, last all.

    Each is the one that `compile` would find, whatever the number of workers. limits : as for
    `compile`. Closing the generator, or an exception in it, stops the work.
    """
    cells = {cell.index: cell for cell in experiment.cells}
    open_goals = [cell for cell in cells.values() if cell.goal is not None and cell.answer is None]
    most, total = MAX_USERS if limits else 2**62, len(open_goals)

    def so_far(done: int) -> Searched:
        return Searched(replace(experiment, cells=tuple(cells.values())), done, total)

    yield so_far(0)
    if workers < 2 or total < 2:
        for done, cell in enumerate(open_goals, 1):
            cells[cell.index] = solved(cell, most=most)
            yield so_far(done)
        return
    with processes(min(workers, total)) as (pool, _):
        futures = [pool.submit(solved, cell, most=most) for cell in open_goals]
        for done, future in enumerate(as_completed(futures), 1):
            answered = future.result()
            cells[answered.index] = answered
            yield so_far(done)
