"""The searches for an experiment's goals, which `compile` may leave out, in processes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from typing import Protocol

from ..base.work import Tell, no_words
from ..cell import Cell
from ..experiment import Experiment
from ..experiment.search import answered_by, solve_goal
from ..experiment.size_limits import MAX_USERS
from ..metrics.goal import GoalAnswer
from .process_pool import open_pool


class Answers(Protocol):
    """A store of answers to goals, see `core.store`.

    most : the largest number of genuine and fake users together that a search may try.
    """

    def find(self, cell: Cell, most: int) -> GoalAnswer | None:
        """The stored answer to a cell's goal; None if there is none."""
        ...

    def keep(self, cell: Cell, most: int) -> None:
        """Save a cell's answer, found by a search."""
        ...


@dataclass(frozen=True, eq=False)
class SearchProgress:
    """The progress of an experiment whose goals are searched one by one.

    done : the number of goals with an answer, known ones included. total : the number of goals that
    needed a search. known : the number of answers from the store.
    """

    experiment: Experiment
    done: int
    total: int
    known: int


def open_goals(experiment: Experiment) -> list[Cell]:
    """The cells with a goal and no answer yet."""
    return [cell for cell in experiment.cells if cell.goal is not None and cell.answer is None]


def run_goal_searches(
    experiment: Experiment,
    workers: int = 1,
    limits: bool = True,
    answers: Answers | None = None,
    tell: Tell = no_words,
) -> Iterator[SearchProgress]:
    """Yields the progress of the searches for goals: first with the known answers, at last with
    all.

    Answers are equal to those that `compile` finds, for any number of workers. limits : whether the
    limits of `compile` hold. answers : a store; its answers are not searched for, and it gets all
    others. tell : called with words about what this process computes.
    Closing the generator, or an exception in it, stops the work.
    """
    cells = {cell.index: cell for cell in experiment.cells}
    most = MAX_USERS if limits else 2**62
    asked, sought = open_goals(experiment), []
    for cell in asked:
        answer = None if answers is None else answers.find(cell, most)
        if answer is None:
            sought.append(cell)
        else:
            cells[cell.index] = answered_by(cell, answer)
    total, known = len(asked), len(asked) - len(sought)

    def so_far(done: int) -> SearchProgress:
        return SearchProgress(replace(experiment, cells=tuple(cells.values())), done, total, known)

    yield so_far(known)
    for done, cell in enumerate(_search_cells(sought, workers, most, tell), known + 1):
        if answers is not None:
            answers.keep(cell, most)
        cells[cell.index] = cell
        yield so_far(done)


def _search_cells(cells: list[Cell], workers: int, most: int, tell: Tell) -> Iterator[Cell]:
    """The cells with their answers, as they are found."""
    if workers < 2 or len(cells) < 2:
        for cell in cells:
            yield solve_goal(cell, most, tell=tell)
        return
    with open_pool(min(workers, len(cells))) as (pool, _):
        futures = [pool.submit(solve_goal, cell, most=most) for cell in cells]
        for future in as_completed(futures):
            yield future.result()
