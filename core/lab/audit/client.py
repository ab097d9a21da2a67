"""The clients that an audit can run: what turns items into reports, started anew at will."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ...base.errors import RunError
from ...base.sampling import Counts
from ...law.pure import Items, Reports, Rng
from .lens import BLOCK
from .process import Command

Answers: TypeAlias = Iterator[tuple[Items, Reports]]
"""Blocks of items and their reports."""


@dataclass(frozen=True, eq=False)
class Client:
    """Somebody's client.

    name : as the command line has it. answers : the reports of these items, in order, in blocks; a
    client whose reports are given already ignores the items, and answers at most as many. start :
    the reports of a fresh start, so that what it draws once at a start is drawn anew; None where
    there is no such thing. held : int64[d], how often it has each item, of a client whose reports
    are given, in no order; None for one that makes them. foretells : makes the object whose
    generators can be watched; None for other programs.
    """

    name: str
    answers: Callable[[Items, Rng], Answers]
    start: Callable[[Items, Rng], Reports] | None = None
    held: Counts | None = None
    foretells: Callable[[], Any] | None = None


def made(name: str, make: Callable[[], Any], fresh: bool = True) -> Client:
    """A client in Python: `make` gives an object with `perturb(values, rng)`.

    fresh : whether another object that it makes is a fresh start.
    """
    client = make()

    def answers(items: Items, rng: Rng) -> Answers:
        for at in range(0, len(items), BLOCK):
            some = items[at : at + BLOCK]
            yield some, _perturbed(client, some, rng)

    def start(items: Items, rng: Rng) -> Reports:
        return _perturbed(make(), items, rng)

    return Client(name, answers, start if fresh else None, foretells=make if fresh else None)


def program(name: str, command: Command) -> Client:
    """A client that is a program."""

    def answers(items: Items, _: Rng) -> Answers:
        at = 0
        for reports in command.reports(items):
            yield items[at : at + len(reports)], reports
            at += len(reports)

    def start(items: Items, _: Rng) -> Reports:
        return np.concatenate([*command.reports(items)])

    return Client(name, answers, start)


def recorded(name: str, items: Items, reports: Reports, domain_size: int, rng: Rng) -> Client:
    """A client whose items and reports are given; they come in a random order, each once."""
    order, used = rng.permutation(len(items)), [0]

    def answers(wanted: Items, _: Rng) -> Answers:
        end = min(used[0] + len(wanted), len(order))
        while used[0] < end:
            some = order[used[0] : min(used[0] + BLOCK, end)]
            used[0] += some.size
            yield items[some], reports[some]

    return Client(name, answers, held=np.bincount(items, minlength=domain_size))


def _perturbed(client: Any, items: Items, rng: Rng) -> Reports:
    """The reports of an object in Python; raises RunError for whatever is wrong with them."""
    try:
        reports = np.asarray(client.perturb(items, rng))
    except Exception as error:
        words = f"{type(error).__name__}: {error}".strip(": ")
        raise RunError(f"its perturb(values, rng) raised {words}") from error
    if reports.ndim == 0 or len(reports) != len(items):
        rule = f"must return {len(items)} reports of as many values, got shape {reports.shape}"
        raise RunError(f"its perturb(values, rng) {rule}")
    if reports.dtype == object:
        raise RunError("its perturb(values, rng) must return an array of numbers, got objects")
    return reports
