"""A heavy-hitters cell with everything that its trials need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...base.pulse import Pulse
from ...cell import Cell
from ...metrics.results import BLOCK_TRIALS
from .draws import DrawnCounts, in_groups
from .expected import ExpectedLevel, expected_levels
from .fakes import GroupedFakes, allotted, at_random
from .growth import Tree, grow
from .oracles import Oracle
from .prefixes import Prefixes
from .reported import CountedReports
from .streams import TrialStreams, block_streams
from .watched import Watched


@dataclass(frozen=True, eq=False)
class Hunt:
    """A cell, the prefixes of its items, the oracles of its groups and the items that are watched.

    weights : the shares of the fakes in the groups where users choose; None where the server does.
    """

    cell: Cell
    prefixes: Prefixes
    oracle: Oracle
    watched: Watched
    weights: tuple[float, ...] | None

    def trees(self, number: int, trials: int, pulse: Pulse) -> Iterator[tuple[Tree, Tree]]:
        """The levels of both arms in the first trials of a block."""
        grown = self._drawn if self.cell.path == "counts" else self._counted
        return grown(number, trials, pulse)

    def _drawn(self, number: int, trials: int, pulse: Pulse) -> Iterator[tuple[Tree, Tree]]:
        genuine, more, malicious = block_streams(self.cell, number)
        groups, attacked = len(self.prefixes.lengths), self.cell.attack is not None
        for _ in range(trials):
            shared = in_groups(self.cell.population.histogram, groups, genuine)
            fakes = self._fakes(malicious)
            streams = genuine, more, malicious
            draws = DrawnCounts(self.prefixes, self.oracle, shared, fakes, streams)
            yield grow(self.prefixes, draws, attacked, pulse)

    def _counted(self, number: int, trials: int, pulse: Pulse) -> Iterator[tuple[Tree, Tree]]:
        histogram, attacked = self.cell.population.histogram, self.cell.attack is not None
        for trial in range(number * BLOCK_TRIALS, number * BLOCK_TRIALS + trials):
            streams = TrialStreams(self.cell, trial)
            fakes = self._fakes(streams.fake_groups())
            draws = CountedReports(self.prefixes, self.oracle, histogram, fakes, streams, pulse)
            yield grow(self.prefixes, draws, attacked, pulse)

    def _fakes(self, rng: np.random.Generator) -> list[GroupedFakes]:
        if self.weights is not None:
            return allotted(self.cell.fakes, self.weights)
        return at_random(self.cell.fakes, len(self.prefixes.lengths), rng)

    @cached_property
    def expected(self) -> tuple[list[ExpectedLevel], list[ExpectedLevel]]:
        """The levels of both arms as they are expected."""
        cell, groups = self.cell, len(self.prefixes.lengths)
        setting = self.prefixes, self.oracle, cell.population.frequencies, cell.users
        clean = expected_levels(*setting, ())
        if cell.attack is None:
            return clean, clean
        if self.weights is not None:
            fakes = allotted(cell.fakes, self.weights)
        else:
            fakes = [
                GroupedFakes(part, np.full(groups, part.count / groups)) for part in cell.fakes
            ]
        return clean, expected_levels(*setting, fakes)
