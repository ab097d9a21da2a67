"""The genuine users' items: populations, targets among the items, and users who join and leave."""

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
