"""What the genuine users hold: populations, the targets among their items, who comes and goes."""

from .column_populations import CSVColumn, FromFile, NumbersColumn
from .population import (
    ITEMS,
    USERS,
    Beta,
    Explicit,
    Geometric,
    Lognormal,
    Normal,
    Population,
    PythonPopulation,
    Uniform,
    Weighted,
    Zipf,
    given_population,
)
from .population_kinds import POPULATIONS, STATED, PopulationSpec, StatedSpec
