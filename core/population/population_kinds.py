"""The table of populations: every kind that a scenario can name, a row each."""

from __future__ import annotations

from typing import Final, TypeAlias

from .column_populations import CSVColumn, CSVColumns, NumbersColumn
from .population import (
    Beta,
    Explicit,
    Geometric,
    Lognormal,
    Normal,
    PythonPopulation,
    Uniform,
    Zipf,
)

StatedSpec: TypeAlias = Zipf | Uniform | Geometric | Normal | Beta | Lognormal | Explicit
PopulationSpec: TypeAlias = StatedSpec | CSVColumn | CSVColumns | NumbersColumn | PythonPopulation

STATED: Final[dict[str, type[StatedSpec]]] = {
    "zipf": Zipf,
    "uniform": Uniform,
    "geometric": Geometric,
    "normal": Normal,
    "beta": Beta,
    "lognormal": Lognormal,
    "counts": Explicit,
}
"""The populations that a scenario states in full, without a file or code."""

POPULATIONS: Final[dict[str, type[PopulationSpec]]] = {
    **STATED,
    "csv": CSVColumn,
    "columns": CSVColumns,
    "values": NumbersColumn,
    "plugin": PythonPopulation,
}
