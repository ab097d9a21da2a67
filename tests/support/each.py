"""A claim about each of many things, as one test: a row of a table needs no test of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def each(things: Iterable[Any], claim: Callable[..., None]) -> None:
    """Make a claim about all things, tuples as arguments; fails with all of which it is wrong."""
    wrong = []
    for thing in things:
        try:
            claim(*thing) if isinstance(thing, tuple) else claim(thing)
        except AssertionError as error:
            wrong.append(f"{thing}: {error}")
    assert not wrong, "\n".join(wrong)
