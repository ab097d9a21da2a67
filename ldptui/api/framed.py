"""Rows as a data frame of polars or pandas, whichever is there."""

from __future__ import annotations

from typing import Any

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.export import of_one_type

from .arguments import words


def framed(rows: list[dict[str, Any]], library: str | None) -> Any:
    """Rows as a data frame; raises RunError where no library is there."""
    libraries = ("polars", "pandas")
    if library is not None and words(library, "library") not in libraries:
        raise ScenarioError(f'must be "polars" or "pandas", {got(library)}', key="library")
    names = rows[0] if rows else ()
    columns = {name: of_one_type([row[name] for row in rows]) for name in names}
    for name in libraries if library is None else (library,):
        try:
            module: Any = __import__(name)
        except ImportError:
            continue
        return module.DataFrame(columns)
    wanted = library or "polars or pandas"
    raise RunError(f"a frame needs {wanted}: pip install {library or 'polars'}; rows() needs none")
