"""The task of heavy hitters, and PEM, which solves it with the oracle of its user groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final, Literal

import numpy as np

from ...base.arms import ATTACKED, CLEAN, Arm
from ...base.errors import ScenarioError, format_number, got
from ...base.ranges import Range, check_bounds
from ...base.work import Work
from ...cell import Cell, Task
from ...law.pure import Mechanism
from ...metrics import Conclusion, HitterConclusion, measure
from ...metrics.conclusions.hitters import HitterAnswer
from ...metrics.results import Arms, CellResults, Fingerprints, Moments
from ...population import Population
from ...protocols import ProtocolSpec
from .counting import LevelOracle
from .hitter_cell import HitterCell, asked_of, details_of
from .pem import Tree, WatchedItems, answer_of, keep_measures, kept_size, prefixes_of, watch_items
from .prefixes import (
    Encoding,
    check_candidates,
    check_codes,
    extended_lengths,
    prefix_lengths,
)

K: Final = Range(1, 2**16)
BITS: Final = Range(2, 64)
GROUPS: Final = Range(1, 1000)
GROUPS_LEFT_OUT: Final = 10
"""G where neither groups nor extension is given, as in Cao, Jia, Gong 2021."""
MAX_KEPT: Final = 2**22
"""Numbers of watched items at all levels: a trial's fill 32 MiB."""


@dataclass(frozen=True)
class HeavyHitters:
    """The task "heavy-hitters": find the k most frequent items of a domain of 2^bits items.

    groups : G, the number of groups of users, a level each; or extension : the bits that each level
    adds. Without both there are 10 groups.
    encoding : how items become bit strings, see `codes_of`.

    Raises ScenarioError if groups and extension are both given, if k ≥ 2^bits, or if a level has
    too many candidates.
    """

    concludes: ClassVar[type[Conclusion]] = HitterConclusion

    k: Annotated[int, K]
    bits: Annotated[int, BITS]
    groups: Annotated[int, GROUPS] | None = None
    extension: Annotated[int, Range(1, 64)] | None = None
    encoding: Encoding | None = None
    method: Literal["pem"] = "pem"
    kind: Literal["heavy-hitters"] = "heavy-hitters"

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.groups is not None and self.extension is not None:
            rule = "must be left out where extension is given"
            raise ScenarioError(f"{rule}, {got(self.groups)}", key="groups")
        if self.k >= 2**self.bits:
            rule = f"must be below 2^bits, {format_number(2**self.bits)}"
            raise ScenarioError(f"{rule}, {got(self.k)}", key="k")
        check_candidates(self.lengths, self.k, "groups" if self.extension is None else "extension")

    @property
    def lengths(self) -> tuple[int, ...]:
        """λ_j, the number of bits of the prefixes that group j reports, for all groups."""
        if self.extension is not None:
            return extended_lengths(self.bits, self.k, self.extension)
        return prefix_lengths(self.bits, self.k, self.groups or GROUPS_LEFT_OUT)


@dataclass(frozen=True)
class PEM(Task):
    """PEM: one group of users per level estimates prefix frequencies; the k best prefixes
    survive.
    """

    concludes: ClassVar[type[Conclusion]] = HitterConclusion

    settings: HeavyHitters
    oracle: ProtocolSpec
    kind: Literal["heavy-hitters"] = "heavy-hitters"

    def find_hitter_cell(self, cell: Cell) -> HitterCell:
        """The cell with its items' prefixes, oracles and watched items."""
        return _hitter_cell(self, cell)

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The oracle over the whole domain, as if a group could list all items.

        Raises ScenarioError if the groups cannot use it.
        """
        LevelOracle(protocol, self.settings.lengths)
        mechanism: Mechanism = protocol.over(population)
        return mechanism

    def check_population(self, population: Population) -> None:
        """Raise ScenarioError for items without distinct codes, or an oracle that cannot query
        prefixes.
        """
        check_codes(population, self.settings.encoding, self.settings.bits)
        self.bound(self.oracle, population)

    @property
    def own_k(self) -> int:  # type: ignore[override]
        return self.settings.k

    def ask_user(self, cell: Cell, number: int) -> Cell:
        """The collection of one group, whose items are prefixes; user numbers cycle through the
        groups.
        """
        return asked_of(self.find_hitter_cell(cell), self.oracle, number)

    def check(self, cell: Cell) -> None:
        """Raise ScenarioError for a cell, or codes, that the heavy-hitter task does not support."""
        if cell.path == "reports":
            rule = 'must be "counts" or "auto" with task.kind = "heavy-hitters", whose counts are'
            raise ScenarioError(f"{rule} drawn, {got(cell.path)}", key="simulate.path")
        if cell.rounds:
            rule = 'must be left out with task.kind = "heavy-hitters", whose users report once'
            phases = any(key.startswith("attack.phase.") for key in cell.parameters)
            raise ScenarioError(rule, key="attack.phase" if phases else "campaign")
        if cell.python_metrics:
            rule = 'must be left out with task.kind = "heavy-hitters", which estimates no list'
            raise ScenarioError(f"{rule} of items", key="metric")
        for number, step in enumerate(cell.defences):
            raise ScenarioError(
                f'must be left out with task.kind = "heavy-hitters": {step.kind} '
                "is about reports or estimates of one list of items",
                key=f"defence.{number}",
            )
        for number, part in enumerate(cell.fakes):
            if not part.strategy.aims_at_prefixes:
                mixed = "attack.kind" not in cell.parameters
                raise ScenarioError(
                    'must be an attack that can aim at prefixes with task.kind = "heavy-hitters", '
                    "such as mga, ria or rpa",
                    key=f"attack.mix.{number}.kind" if mixed else "attack.kind",
                )
        try:
            self.find_hitter_cell(cell)
        except ScenarioError as error:
            raise error.within("task") from error
        numbers = self.size(cell)
        if numbers > MAX_KEPT:
            rule = "times the targets and hitters must be at most 2^22"
            raise ScenarioError(f"{rule}, {got(numbers)}", key="task.groups")

    def block(self, cell: Cell, work: Work) -> CellResults:
        hitters, marks = self.find_hitter_cell(cell), Fingerprints(work.trials)
        clean: list[Tree] = []
        attacked: list[Tree] = []
        for before, after in hitters.trees(work.number, work.trials):
            clean.append(before)
            attacked.append(after)
        for level in range(len(hitters.prefixes.lengths)):
            both = [[tree[level] for tree in trees] for trees in (clean, attacked)]
            marks.add(*(np.array([made.candidates for made in trees]) for trees in both))
            marks.add(*(np.array([made.counts for made in trees]) for trees in both))
        items = hitters.watched.items
        before_attack = answer_of(clean, hitters.prefixes, items)
        same = all(tree is other for tree, other in zip(clean, attacked, strict=True))
        after_attack = before_attack if same else answer_of(attacked, hitters.prefixes, items)
        answers = {CLEAN: before_attack, ATTACKED: after_attack}
        watched = hitters.watched
        conclusion = HitterConclusion(answers, watched.targets, watched.hitters)
        return CellResults(measure(conclusion), marks.values, _moments(answers, watched))

    def details(self, cell: Cell, arms: Arms) -> dict[str, Any]:
        """The measurements of the levels and of the watched items, for JSON."""
        return details_of(self.find_hitter_cell(cell), arms)

    def size(self, cell: Cell) -> int:
        return kept_size(self.find_hitter_cell(cell).watched, len(self.settings.lengths))


def _moments(answers: Mapping[Arm, HitterAnswer], watched: WatchedItems) -> Arms:
    """The moments of what is kept of each arm; one object where the attack changes nothing."""
    clean = Moments.of(keep_measures(answers[CLEAN], watched))
    same = answers[ATTACKED] is answers[CLEAN]
    return {
        CLEAN: clean,
        ATTACKED: clean if same else Moments.of(keep_measures(answers[ATTACKED], watched)),
    }


@lru_cache(maxsize=8)
def _hitter_cell(task: PEM, cell: Cell) -> HitterCell:
    """The heavy-hitters cell of a cell; raises ScenarioError at a key of the task."""
    settings = task.settings
    prefixes = prefixes_of(
        cell.population,
        settings.k,
        settings.bits,
        settings.lengths,
        settings.encoding,
        cell.seed,
    )
    return HitterCell(cell, prefixes, LevelOracle(task.oracle, settings.lengths), watch_items(cell))
