"""The pulse of a long piece of work: it may stop the work, and tells those who watch of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Pulse: TypeAlias = Callable[[], None]
"""Called between pieces of work; raises to stop the work. It may have a method `tell`."""


def no_pulse() -> None:
    """Never stop."""


def say(pulse: Pulse, words: str) -> None:
    """Tell those who watch what is done; most do not watch, and their pulse has no `tell`."""
    tell = getattr(pulse, "tell", None)
    if tell is not None:
        tell(words)
