"""Populations as the curves need them, drawn once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from core.population import CSVColumn, Population, PopulationSpec


def drawn(spec: PopulationSpec, seed: int, folder: Path) -> Population:
    """The population of a spec, drawn once; a file is read again when it has changed."""
    changed = 0
    if isinstance(spec, CSVColumn):
        path = folder / Path(spec.path).expanduser()
        changed = path.stat().st_mtime_ns if path.exists() else -1
    return _drawn(spec, seed, folder, changed)


@lru_cache(maxsize=128)
def _drawn(spec: PopulationSpec, seed: int, folder: Path, changed: int) -> Population:  # noqa: ARG001
    return spec.bind(seed, folder)
