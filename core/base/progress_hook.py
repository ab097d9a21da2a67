"""The hook of a long computation, which may stop it and shows its progress."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

T = TypeVar("T")


Hook: TypeAlias = Callable[[], None]
"""Called between pieces of work; raises to stop the work. It may have a method `tell`."""


def no_hook() -> None:
    """Never stop."""


def no_words(words: str) -> None:
    """Ignore a progress message."""


def say(hook: Hook, words: str) -> None:
    """Send a progress message to the hook, if the hook has a `tell`."""
    getattr(hook, "tell", no_words)(words)


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
    """The work of simulating the first `trials` trials of block `number`."""

    number: int
    trials: int
    hook: Hook
