"""What the genuine users hold: populations, the targets among their items, who comes and goes."""

from .column_populations import CSVColumn, CSVColumns, FromFile, NumbersColumn
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
    Records,
    Uniform,
    Weighted,
    Zipf,
    given_population,
    records_population,
)
from .population_kinds import POPULATIONS, STATED, PopulationSpec, StatedSpec
