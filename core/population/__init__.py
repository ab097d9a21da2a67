"""What the genuine users hold: populations, the targets among their items, who comes and goes."""

from .population import (
    ITEMS,
    POPULATIONS,
    STATED,
    USERS,
    CSVColumn,
    Explicit,
    Geometric,
    Normal,
    Population,
    PopulationSpec,
    PythonPopulation,
    StatedSpec,
    Uniform,
    Zipf,
    given_population,
    known_users,
)

__all__ = [
    "ITEMS",
    "POPULATIONS",
    "STATED",
    "USERS",
    "CSVColumn",
    "Explicit",
    "Geometric",
    "Normal",
    "Population",
    "PopulationSpec",
    "PythonPopulation",
    "StatedSpec",
    "Uniform",
    "Zipf",
    "given_population",
    "known_users",
]
