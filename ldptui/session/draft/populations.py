"""Populations, drawn or read once for the draft and its curves; a large one beside the screen."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from ldptui.core.base.errors import LdpError, ScenarioError

from ...text.format import count

if TYPE_CHECKING:
    from ldptui.core.population import Population, PopulationSpec

LARGE_ITEMS: Final = 2**16
"""A population of more is not drawn while somebody is typing: some milliseconds."""

LARGE_BYTES: Final = 200_000
"""Nor is a file of more read."""

KEPT_ITEMS: Final = 2**23
"""Items that the populations kept have together, in some 128 MB."""

MOST_KEPT: Final = 256
"""The largest number of populations that are kept."""


class Origin(Struct, frozen=True):
    """The origin of a population: a spec with a seed, or a version of a file.

    seed : 0 if nothing is drawn.
    stamp : the time of the last change and the size of the file; None without a file.
    """

    spec: PopulationSpec
    seed: int
    folder: Path
    stamp: tuple[int, int] | None

    @property
    def large(self) -> bool:
        """True if reading or drawing the population would block the screen noticeably."""
        if self.stamp is not None:
            return self.stamp[1] > LARGE_BYTES
        return getattr(self.spec, "items", 0) > LARGE_ITEMS

    @property
    def doing(self) -> str:
        """Words for the work: "reading …" or "drawing …"."""
        path = getattr(self.spec, "path", None)
        if path is not None:
            return f"reading {path}"
        return f"drawing the users of {count(getattr(self.spec, 'items', 0))} items"

    def read(self) -> Population | LdpError:
        """Read or draw the population, on any thread, and cache it or the error."""
        result: Population | LdpError
        try:
            result = self.spec.bind(self.seed, self.folder)
            _ = result.distinct  # the closed forms are of these
        except LdpError as error:
            result = error
            if not self.large:
                return result  # soon tried again
        with _LOCK:
            _KEPT[self] = result
            while len(_KEPT) > 1 and (len(_KEPT) > MOST_KEPT or _items() > KEPT_ITEMS):
                del _KEPT[next(iter(_KEPT))]
        return result


class PendingWork(Protocol):
    """Work to be done in a thread before the draft can be bound."""

    @property
    def doing(self) -> str: ...

    def read(self) -> object: ...


class UnreadError(Exception):
    """Raised if the draft cannot be bound before a large population is read or an
    attack is solved.
    """

    def __init__(self, origin: PendingWork) -> None:
        super().__init__(origin.doing)
        self.origin = origin


_KEPT: Final[dict[Origin, Population | LdpError]] = {}
"""Populations and what is wrong with others, the one used last at the end."""

_LOCK: Final = threading.Lock()


def _items() -> int:
    return sum(getattr(kept, "domain_size", 0) for kept in _KEPT.values())


def origin_of(spec: PopulationSpec, seed: int, folder: Path) -> Origin:
    """The origin of a spec's population; raises ScenarioError for an invalid path."""
    from ldptui.core.population import Explicit, FromFile

    if not isinstance(spec, FromFile):
        return Origin(spec, 0 if isinstance(spec, Explicit) else seed, folder, None)
    if not spec.path.strip():
        rule = f"must name a CSV file, its path absolute or from {folder}"
        raise ScenarioError(rule, key="population.path")
    try:
        status = (folder / Path(spec.path).expanduser()).stat()
    except (OSError, ValueError, RuntimeError):
        return Origin(spec, 0, folder, None)  # reading the file says what is wrong with it
    return Origin(spec, 0, folder, (status.st_mtime_ns, status.st_size))


def draw_population(spec: PopulationSpec, seed: int, folder: Path) -> Population:
    """The population of a spec; raises LdpError."""
    origin = origin_of(spec, seed, folder)
    kept = mark_used(origin)
    return check_population(origin.read() if kept is None else kept)


def ready(spec: PopulationSpec, seed: int, folder: Path) -> Population:
    """The population of a spec; raises UnreadError if it is large and not cached yet."""
    origin = origin_of(spec, seed, folder)
    if origin.large and origin not in _KEPT:
        raise UnreadError(origin)
    return draw_population(spec, seed, folder)


def mark_used(origin: Origin) -> Population | LdpError | None:
    with _LOCK:
        kept = _KEPT.pop(origin, None)
        if kept is not None:
            _KEPT[origin] = kept
        return kept


def check_population(result: Population | LdpError) -> Population:
    if isinstance(result, ScenarioError):
        raise result.within("population") from result
    if isinstance(result, LdpError):
        raise result
    return result
