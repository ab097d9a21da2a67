"""Attacks that send what the protocol itself would draw, of an item or of nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np

from ..bounds import check_bounds
from ..protocols.rappor import Rappor
from ..pure import Items, LocalMechanism, Mechanism, Reports, Rng, Support, Supporting
from ..sampling import Counts, Floats, uniform_multinomial
from .strategy import COHORT, SHARE, ItemSupport, View, item_support, played
from .targets import Targets


@dataclass(frozen=True)
class RandomReport:
    """RPA: each fake reports a uniform element of the encoded space. Section 3.2."""

    share: Annotated[float, SHARE]
    targets: Targets
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["rpa"] = "rpa"

    def __post_init__(self) -> None:
        check_bounds(self)

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:  # noqa: ARG002
        return played(protocol, self.cohort).random_reports(count, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        return played(protocol, self.cohort).random_counts(count, rng)

    def support(self, protocol: Supporting, r: int) -> Support:
        return protocol.random_support(r)

    def item_support(
        self, protocol: Supporting, targets: Items, counted: Items
    ) -> ItemSupport | None:
        law = self.support(protocol, targets.size)
        return item_support(law, protocol.domain_size, targets, counted)

    def refusal(self, protocol: Mechanism, targets: Items) -> str | None:  # noqa: ARG002
        return None

    def rates(self, protocol: Rappor, targets: Items) -> Floats:  # noqa: ARG002
        return protocol.random_rates()

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:  # noqa: ARG002
        return protocol.random_scatter(pull)


@dataclass(frozen=True)
class RandomItem:
    """RIA: each fake holds a uniform target and follows the protocol. Section 3.2."""

    share: Annotated[float, SHARE]
    targets: Targets
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["ria"] = "ria"

    def __post_init__(self) -> None:
        check_bounds(self)

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        held = view.targets[rng.integers(0, view.targets.size, size=count)]
        return played(protocol, self.cohort).perturb(held, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        held = np.zeros((count.size, protocol.domain_size), dtype=np.int64)
        held[:, view.targets] = uniform_multinomial(count, view.targets.size, rng)
        return played(protocol, self.cohort).sample_counts(held, rng)

    def support(self, protocol: Supporting, r: int) -> Support:
        return protocol.honest_support(r)

    def item_support(
        self, protocol: Supporting, targets: Items, counted: Items
    ) -> ItemSupport | None:
        law = self.support(protocol, targets.size)
        return item_support(law, protocol.domain_size, targets, counted)

    def refusal(self, protocol: Mechanism, targets: Items) -> str | None:  # noqa: ARG002
        return None

    def rates(self, protocol: Rappor, targets: Items) -> Floats:
        return protocol.honest_rates(self._held(protocol, targets))

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:
        return protocol.honest_scatter(self._held(protocol, targets), cohort, pull)

    def _held(self, protocol: Rappor, targets: Items) -> Floats:
        return np.asarray(np.bincount(targets, minlength=protocol.domain_size) / targets.size)
