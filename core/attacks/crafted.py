"""Attacks that craft a report towards their targets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from ..bounds import Range, check_bounds
from ..protocols.rappor import Rappor
from ..pure import (
    Items,
    LocalMechanism,
    Mechanism,
    Reports,
    Rng,
    Scoring,
    SeedSearch,
    Support,
    Supporting,
)
from ..sampling import Counts, Floats
from .strategy import COHORT, SHARE, ItemSupport, View, item_support, played
from .targets import Targets


@dataclass(frozen=True)
class MaximalGain:
    """MGA: each fake sends a report that supports as many targets as possible. Section 3.2."""

    share: Annotated[float, SHARE]
    targets: Targets
    seeds: Annotated[int, Range(1, 10**6)] = 1000
    scoring: Scoring = "anchor"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["mga"] = "mga"

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def search(self) -> SeedSearch:
        return SeedSearch(self.seeds, self.scoring)

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        return played(protocol, self.cohort).craft(view.targets, count, self.search, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        return played(protocol, self.cohort).craft_counts(view.targets, count, self.search, rng)

    def support(self, protocol: Supporting, r: int) -> Support:
        return protocol.crafted_support(r, self.search)

    def item_support(
        self, protocol: Supporting, targets: Items, counted: Items
    ) -> ItemSupport | None:
        law = self.support(protocol, targets.size)
        return item_support(law, protocol.domain_size, targets, counted)

    def refusal(self, protocol: Mechanism, targets: Items) -> str | None:  # noqa: ARG002
        return None

    def rates(self, protocol: Rappor, targets: Items) -> Floats:
        return protocol.crafted_rates(targets)

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:
        return protocol.crafted_scatter(targets, cohort, pull)
