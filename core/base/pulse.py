"""The pulse of a long piece of work: it may stop the work, and tells those who watch of it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

T = TypeVar("T")


Pulse: TypeAlias = Callable[[], None]
"""Called between pieces of work; raises to stop the work. It may have a method `tell`."""


def no_pulse() -> None:
    """Never stop."""


def no_words(words: str) -> None:
    """Ignore a progress message."""


def say(pulse: Pulse, words: str) -> None:
    """Send a progress message to the pulse, if the pulse has a `tell`."""
    getattr(pulse, "tell", no_words)(words)


def whole(work: Callable[[], T]) -> T:
    """The result of work that runs to its end in a thread, even if a signal interrupts the caller.

    An import, or what numba compiles, may not be repeated where it was left halfway.
    """
    pool = ThreadPoolExecutor(1)
    done = pool.submit(work)
    pool.shutdown(wait=False)
    return done.result()


# The work of a run: a block of trials.


@dataclass(frozen=True, eq=False)
class Work:
    """The first trials of a block, to be simulated. number : the block's."""

    number: int
    trials: int
    pulse: Pulse
