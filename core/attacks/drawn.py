"""Attacks that send what the protocol itself would draw, of an item or of nothing.

Sections are those of Cao, Jia, Gong, USENIX Security 2021.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.sampling import Floats
from ..law.law import Ask, LawName
from ..law.pure import Items, Mechanism, Rng
from .strategy import COHORT, ByNumbers, Promoting, View, evenly


@dataclass(frozen=True)
class RandomReport(Promoting, ByNumbers):
    """RPA: each fake reports a uniform element of the encoded space. Section 3.2."""

    report_law: ClassVar[LawName] = "random"
    aims_at_prefixes: ClassVar[bool] = True
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["rpa"] = "rpa"

    def claims(self, view: View, domain_size: int) -> Floats:  # noqa: ARG002
        return evenly(np.arange(domain_size), domain_size)


class HeldItem(ByNumbers):
    """Fakes who pretend to hold a target each and obey the protocol; what RIA and its kin share."""

    report_law: ClassVar[LawName] = "honest"
    aims_at_prefixes: ClassVar[bool] = True

    def weights(self, r: int) -> Floats:
        """float64[r]: how likely a fake holds each target."""
        return np.full(r, 1 / r)

    def view_law(self, view: View) -> Floats:
        """float64[r]: how likely a fake holds each target, which may be the prefix of several."""
        if view.stands is None:
            return self.weights(view.targets.size)
        law = np.bincount(view.stands, self.weights(view.stands.size), view.targets.size)
        return np.asarray(law, dtype=np.float64)

    def ask(self, view: View) -> Ask:
        held = None if view.stands is None else self.view_law(view)
        return Ask(self.report_law, view.targets, held=held)

    def held(self, view: View, count: int, rng: Rng) -> Items:
        """The targets that these fakes pretend to hold, drawn before their reports."""
        return self.ask(view).items(count, rng)

    def claims(self, view: View, domain_size: int) -> Floats:
        held = np.zeros(domain_size)
        held[view.targets] = self.view_law(view)
        return held


@dataclass(frozen=True)
class RandomItem(Promoting, HeldItem):
    """RIA: each fake holds a uniform target and follows the protocol. Section 3.2."""

    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["ria"] = "ria"


@dataclass(frozen=True)
class UnperturbedItem(Promoting, HeldItem):
    """RIA without noise: each fake sends a uniform target, encoded and not perturbed. Section 7."""

    report_law: ClassVar[LawName] = "unperturbed"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["ria-unperturbed"] = "ria-unperturbed"


@dataclass(frozen=True)
class InputPoisoning(Promoting, HeldItem):
    """Each fake lies about its item alone: it holds a target by `distribution`, and is honest else.

    distribution : a weight for each target, in their order; they need not add up to 1. Left out,
    all weigh the same, which is RIA.
    """

    distribution: tuple[float, ...] | None = None
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["input"] = "input"

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = self.distribution
        if weights is None:
            return
        bad = next((weight for weight in weights if not 0 <= weight < np.inf), None)
        if bad is not None:
            raise ScenarioError(f"must be weights, at least 0, {got(bad)}", key="distribution")
        if not sum(weights) > 0:
            raise ScenarioError("must have a positive weight, got none", key="distribution")

    def check(self, protocol: Mechanism, targets: Items) -> None:
        if self.distribution is not None and len(self.distribution) != targets.size:
            raise ScenarioError(
                f"must have one weight for each of the {targets.size} targets, "
                f"got {len(self.distribution)}",
                key="distribution",
            )
        super().check(protocol, targets)

    def weights(self, r: int) -> Floats:
        weights = np.ones(r) if self.distribution is None else np.array(self.distribution)
        return np.asarray(weights / weights.sum())

    def ask(self, view: View) -> Ask:
        return Ask(self.report_law, view.targets, held=self.view_law(view))
