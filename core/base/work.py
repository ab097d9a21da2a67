"""A block of trials as work, the words about its progress, and work that no signal cuts off."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

T = TypeVar("T")


Tell: TypeAlias = Callable[[str], None]
"""Called with words about what is being computed."""


def no_words(words: str) -> None:
    """Ignore a progress message."""


def whole(work: Callable[[], T]) -> T:
    """The result of work that runs to its end in a thread, even if a signal interrupts the caller.

    An interrupted import, or an interrupted compilation by numba, may not be possible to repeat.
    """
    pool = ThreadPoolExecutor(1)
    done = pool.submit(work)
    pool.shutdown(wait=False)
    return done.result()


# The work of a run: a block of trials.


@dataclass(frozen=True, eq=False)
class Work:
    """The work of simulating the first `trials` trials of block `number`; tell : hears of it."""

    number: int
    trials: int
    tell: Tell = no_words
