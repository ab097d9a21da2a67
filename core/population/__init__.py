"""What the genuine users hold: populations, the targets among their items, who comes and goes."""

from .files import CSVColumn, FromFile, NumbersColumn
from .kinds import POPULATIONS, STATED, PopulationSpec, StatedSpec
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
