"""Rows as a data frame of the library that is there."""

from __future__ import annotations

from typing import Any

from ..base.errors import RunError, ScenarioError, got
from .rows import of_one_type


def make_frame(rows: list[dict[str, Any]], library: str | None) -> Any:
    """Rows as a data frame, of polars or else pandas; raises RunError where neither is there."""
    libraries = ("polars", "pandas")
    if library is not None and (not isinstance(library, str) or library not in libraries):
        raise ScenarioError(f'must be "polars" or "pandas", {got(library)}', key="library")
    columns = {name: of_one_type([row[name] for row in rows]) for name in (rows[0] if rows else ())}
    for name in libraries if library is None else (library,):
        try:
            module: Any = __import__(name)
        except ImportError:
            continue
        return module.DataFrame(columns)
    wanted = library or "polars or pandas"
    raise RunError(f"a frame needs {wanted}: pip install {library or 'polars'}; rows() needs none")
