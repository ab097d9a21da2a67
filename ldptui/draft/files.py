"""The population of a draft: drawn, or read from a file, a large one beside the screen."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from core.errors import LdpError
    from core.population import Population, PopulationSpec
    from core.scenario import Point


@dataclass(frozen=True)
class LargeFile:
    """A population's file that takes long to read; `stamp` tells its versions apart."""

    spec: PopulationSpec
    folder: Path
    stamp: tuple[int, int]

    @property
    def name(self) -> str:
        return str(getattr(self.spec, "path", ""))

    def read(self) -> None:
        """Read it, on any thread; `read_on` then goes on with what it holds."""
        from core.errors import LdpError

        found: Population | LdpError
        try:
            found = self.spec.bind(0, self.folder)
        except LdpError as error:
            found = error
        while len(_FILES) >= MAX_FILES:
            _FILES.pop(next(iter(_FILES)))
        _FILES[self] = found


class UnreadError(Exception):
    """Nothing more can be said before a large file was read."""

    def __init__(self, file: LargeFile) -> None:
        super().__init__(file.name)
        self.file = file


MAX_FILES: Final = 4

LARGE_BYTES: Final = 2_000_000
"""A file of more is not read while somebody is typing."""

_FILES: Final[dict[LargeFile, Population | LdpError]] = {}
"""What large files held, or what is wrong with them."""


def population_of(point: Point, folder: Path) -> Population:
    from core.errors import ScenarioError

    path = getattr(point.population, "path", None)
    stamp: tuple[int, int] | None = None
    if path is not None:
        if not path.strip():
            rule = f"must name a CSV file, its path absolute or from {folder}"
            raise ScenarioError(rule, key="population.path")
        try:
            found = (folder / Path(path).expanduser()).stat()
            stamp = (found.st_mtime_ns, found.st_size)
        except (OSError, ValueError, RuntimeError):
            pass  # reading the file says what is wrong with it
    if stamp is not None and stamp[1] > LARGE_BYTES:
        file = LargeFile(point.population, folder, stamp)
        if file not in _FILES:
            raise UnreadError(file)
        known = _FILES[file]
        if isinstance(known, ScenarioError):
            raise known.within("population") from known
        if isinstance(known, Exception):
            raise known
        return known
    return _drawn(point.population, point.seed, folder, stamp)


@functools.lru_cache(maxsize=8)
def _drawn(
    spec: PopulationSpec,
    seed: int,
    folder: Path,
    stamp: tuple[int, int] | None,  # noqa: ARG001
) -> Population:
    """The population, drawn or read once; `stamp` tells versions of its file apart."""
    from core.errors import ScenarioError

    try:
        return spec.bind(seed, folder)
    except ScenarioError as error:
        raise error.within("population") from error
