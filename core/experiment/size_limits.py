"""The size limits of experiments that would take very long or very much memory."""

from __future__ import annotations

import math
from typing import Final

from ..base.errors import LIFTED, ScenarioError, check_limit, got
from ..cell import Cell
from ..collection.reports import no_reports
from ..defences import Load
from ..population import ITEMS, USERS, Population
from ..scenario import TRIALS, Point

MAX_ITEMS: Final = int(ITEMS.limit)
MAX_USERS: Final = int(USERS.limit)
MAX_TRIALS: Final = int(TRIALS.limit)
MAX_COUNTS: Final = 2**20
"""Bits of all cohorts: a block of trials counts each of them, in some 200 MB."""
MAX_FILTERS: Final = 2**22
"""Bloom filters of all items in all cohorts: hashing them takes some seconds."""
MAX_HELD: Final = 2**32
"""Bytes of the reports that filters read, and of what they make of them."""
MAX_HASHED: Final = 2**28
"""Buckets of all items in all rows of a sketch: hashing them takes some seconds."""


def check_size(point: Point) -> None:
    """Raise ScenarioError for a point that is too large, before anything is drawn."""
    for name, most, allowed in (("items", MAX_ITEMS, ITEMS), ("users", MAX_USERS, USERS)):
        number = getattr(point.population, name, 0)
        check_limit(number, most, f"must be {allowed}", f"population.{name}")


def check_filters(point: Point, population: Population) -> None:
    """Raise ScenarioError for more Bloom filters, or sketch rows, than can be hashed and counted in
    time.
    """
    placed = population.domain_size * getattr(point.protocol, "rows", 0)
    check_limit(placed, MAX_HASHED, "times items must be at most 2^28", "protocol.rows")
    cohorts, bits = (getattr(point.protocol, name, None) for name in ("cohorts", "bits"))
    if cohorts is None or bits is None:
        return
    key, filters = "protocol.cohorts", population.domain_size * cohorts
    check_limit(cohorts * bits, MAX_COUNTS, "times bits must be at most 2^20", key)
    check_limit(filters, MAX_FILTERS, "times items must be at most 2^22", key)


def check_total(everyone: int, in_rounds: int | None) -> None:
    """Raise ScenarioError if there are more users than an int64 can count."""
    if everyone >= 2**63:
        where = " of all rounds" if in_rounds else ""
        raise ScenarioError(
            f"users and malicious users{where} must be below 2^63 together, {got(everyone)}"
        )


def check_cell(population: Population, malicious: int) -> None:
    """Raise ScenarioError for a cell that is too large, once its population is known."""
    everyone = population.users + malicious
    check_limit(population.domain_size, MAX_ITEMS, "must hold at most 2^20 items", key="population")
    check_limit(everyone, MAX_USERS, "users and malicious users must be at most 10^13 together")


def held_bytes(cell: Cell) -> int:
    """The approximate memory, in bytes, that the filters of a cell need in one process; 0 without
    filters.

    The reports of one trial, the genuine ones and all in a random order, and the filter's own
    memory; twice if users report twice.
    """
    if not cell.filters:
        return 0
    nobody = no_reports(cell)
    report = nobody.dtype.itemsize * math.prod(nobody.shape[1:])
    everyone = cell.first.users + cell.peak.malicious
    scratch = max(step.memory(Load(cell.protocol.domain_size, everyone)) for step in cell.filters)
    reports = 2 if any(step.asks_twice for step in cell.filters) else 1
    return 2 * everyone * (reports * report + 8) + scratch


def check_held(cell: Cell) -> None:
    """Raise ScenarioError if the filters need too much memory."""
    held = held_bytes(cell)
    if held > MAX_HELD:
        rule = f"needs about {in_bytes(held)} for the reports of {cell.first.users} users"
        raise ScenarioError(
            f"{rule}, and must need at most {in_bytes(MAX_HELD)}{LIFTED}", key="defence"
        )


def in_bytes(size: int) -> str:
    """A number of bytes as text: "4.3 GB"."""
    return f"{size / 1e9:.2g} GB" if size >= 1e9 else f"{max(size / 1e6, 1):.0f} MB"
