"""The largest experiment: one that would take very long or very much memory is refused."""

from __future__ import annotations

from typing import Final

from .errors import ScenarioError, got
from .population import ITEMS, USERS, Population
from .scenario import TRIALS, Point
from .streams import Path

MAX_ITEMS: Final = int(ITEMS.limit)
MAX_USERS: Final = int(USERS.limit)
MAX_TRIALS: Final = int(TRIALS.limit)
MAX_PAIRS: Final = 10**12
MAX_COUNTS: Final = 2**20
"""Bits of all cohorts: a block of trials counts each of them, in some 200 MB."""
MAX_FILTERS: Final = 2**22
"""Bloom filters of all items in all cohorts: hashing them takes some seconds."""
MAX_ESTIMATES: Final = 2**22
"""Estimates of all items in all rounds: a trial's fill 32 MiB."""
LIFTED: Final = " (--no-limits lifts this)"


def check_size(point: Point) -> None:
    """Refuse what is too large before anything is drawn."""
    items = getattr(point.population, "items", 0)
    users = getattr(point.population, "users", 0)
    if items > MAX_ITEMS:
        raise ScenarioError(f"must be {ITEMS}, {got(items)}{LIFTED}", key="population.items")
    if users > MAX_USERS:
        raise ScenarioError(f"must be {USERS}, {got(users)}{LIFTED}", key="population.users")


def check_filters(point: Point, population: Population) -> None:
    """Refuse more Bloom filters than can be hashed, and counted, in time."""
    cohorts, bits = (getattr(point.protocol, name, None) for name in ("cohorts", "bits"))
    if cohorts is None or bits is None:
        return
    counts = cohorts * bits
    if counts > MAX_COUNTS:
        raise ScenarioError(
            f"times bits must be at most 2^20, {got(counts)}{LIFTED}", key="protocol.cohorts"
        )
    filters = population.domain_size * cohorts
    if filters > MAX_FILTERS:
        raise ScenarioError(
            f"times items must be at most 2^22, {got(filters)}{LIFTED}",
            key="protocol.cohorts",
        )


def check_total(everyone: int, in_rounds: int | None) -> None:
    """Refuse more users than counts have room for, limits or not."""
    if everyone >= 2**63:
        where = " of all rounds" if in_rounds else ""
        raise ScenarioError(
            f"users and malicious users{where} must be below 2^63 together, {got(everyone)}"
        )


def check_cell(population: Population, malicious: int, path: Path, in_rounds: int | None) -> None:
    """Refuse a cell that is too large, now that its population is known."""
    rounds = in_rounds or 1
    everyone = population.users + malicious
    if population.domain_size > MAX_ITEMS:
        raise ScenarioError(
            f"must hold at most 2^20 items, {got(population.domain_size)}{LIFTED}",
            key="population",
        )
    if everyone > MAX_USERS:
        raise ScenarioError(
            f"users and malicious users must be at most 10^13 together, {got(everyone)}{LIFTED}"
        )
    if in_rounds and rounds * population.domain_size > MAX_ESTIMATES:
        raise ScenarioError(
            f"times items must be at most 2^22, {got(rounds * population.domain_size)}{LIFTED}",
            key="campaign.rounds",
        )
    pairs = everyone * population.domain_size * rounds
    if path == "reports" and pairs > MAX_PAIRS:
        times = " × rounds" if in_rounds else ""
        raise ScenarioError(
            f'must be "counts" where users × items{times} exceeds 10^12, {got(pairs)}{LIFTED}',
            key="simulate.path",
        )
