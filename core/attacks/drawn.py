"""Attacks that send what the protocol itself would draw, of an item or of nothing.

Sections are those of Cao, Jia, Gong, USENIX Security 2021.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import SHARE
from ..base.sampling import Counts, Floats, multinomial, uniform_multinomial
from ..law.capabilities import BitLaw, SendsBits
from ..law.pure import Items, LocalMechanism, Mechanism, Reports, Rng, Supporting
from ..law.support import ItemSupport, Support
from ..population.targets import Targets
from .strategy import COHORT, ByNumbers, ReportLaw, View, evenly, played


@dataclass(frozen=True)
class RandomReport(ByNumbers):
    """RPA: each fake reports a uniform element of the encoded space. Section 3.2."""

    report_law: ClassVar[ReportLaw] = "random"
    aims_at_prefixes: ClassVar[bool] = True
    share: Annotated[float, SHARE]
    targets: Targets
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["rpa"] = "rpa"

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:  # noqa: ARG002
        return played(protocol, self.cohort).random_reports(count, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        return played(protocol, self.cohort).random_counts(count, rng)

    def claims(self, view: View, domain_size: int) -> Floats:  # noqa: ARG002
        return evenly(np.arange(domain_size), domain_size)

    def support(self, protocol: Supporting, r: int) -> Support:
        return protocol.random_support(r)

    def bits(self, protocol: SendsBits, targets: Items) -> BitLaw:  # noqa: ARG002
        return played(protocol, self.cohort).random_bits()


class HeldItem(ByNumbers):
    """Fakes who pretend to hold a target each and obey the protocol; what RIA and its kin share."""

    report_law: ClassVar[ReportLaw] = "honest"
    aims_at_prefixes: ClassVar[bool] = True
    cohort: float | None

    def law(self, r: int) -> Floats:
        """float64[r]: how likely a fake holds each target."""
        return np.full(r, 1 / r)

    def view_law(self, view: View) -> Floats:
        """float64[r]: how likely a fake holds each target, which may be the prefix of several."""
        if view.stands is None:
            return self.law(view.targets.size)
        law = np.bincount(view.stands, self.law(view.stands.size), view.targets.size)
        return np.asarray(law, dtype=np.float64)

    def held(self, view: View, count: int, rng: Rng) -> Items:
        """The targets that these fakes pretend to hold, drawn before their reports."""
        if view.stands is not None:
            return rng.choice(view.targets, size=count, p=self.view_law(view))
        return view.targets[rng.integers(0, view.targets.size, size=count)]

    def held_counts(self, view: View, domain_size: int, count: Counts, rng: Rng) -> Counts:
        """int64[trials, d], the fakes who pretend to hold each item, of int64[trials] in all."""
        held = np.zeros((count.size, domain_size), dtype=np.int64)
        if view.stands is not None:
            held[:, view.targets] = multinomial(count, self.view_law(view), rng)
        else:
            held[:, view.targets] = uniform_multinomial(count, view.targets.size, rng)
        return held

    def claims(self, view: View, domain_size: int) -> Floats:
        held = np.zeros(domain_size)
        held[view.targets] = self.view_law(view)
        return held

    def frequencies(self, targets: Items, domain_size: int) -> Floats:
        """float64[d]: how likely a fake holds each item."""
        return self.claims(View(targets), domain_size)

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        return played(protocol, self.cohort).perturb(self.held(view, count, rng), rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        held = self.held_counts(view, protocol.domain_size, count, rng)
        return played(protocol, self.cohort).sample_counts(held, rng)

    def support(self, protocol: Supporting, r: int) -> Support:
        return protocol.honest_support(r)  # whichever target it is

    def bits(self, protocol: SendsBits, targets: Items) -> BitLaw:
        held = self.frequencies(targets, protocol.domain_size)
        return played(protocol, self.cohort).honest_bits(held)


@dataclass(frozen=True)
class RandomItem(HeldItem):
    """RIA: each fake holds a uniform target and follows the protocol. Section 3.2."""

    share: Annotated[float, SHARE]
    targets: Targets
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["ria"] = "ria"


@dataclass(frozen=True)
class UnperturbedItem(HeldItem):
    """RIA without noise: each fake sends a uniform target, encoded and not perturbed. Section 7."""

    report_law: ClassVar[ReportLaw] = "unperturbed"
    share: Annotated[float, SHARE]
    targets: Targets
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["ria-unperturbed"] = "ria-unperturbed"

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        return played(protocol, self.cohort).unperturbed(self.held(view, count, rng), rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        held = self.held_counts(view, protocol.domain_size, count, rng)
        return played(protocol, self.cohort).unperturbed_counts(held, rng)

    def support(self, protocol: Supporting, r: int) -> Support:
        return protocol.unperturbed_support(r)

    def bits(self, protocol: SendsBits, targets: Items) -> BitLaw:
        held = self.frequencies(targets, protocol.domain_size)
        return played(protocol, self.cohort).unperturbed_bits(held)


@dataclass(frozen=True)
class InputPoisoning(HeldItem):
    """Each fake lies about its item alone: it holds a target by `distribution`, and is honest else.

    distribution : a weight for each target, in their order; they need not add up to 1. Left out,
    all weigh the same, which is RIA.
    """

    share: Annotated[float, SHARE]
    targets: Targets
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

    def check(self, protocol: Mechanism, targets: Items) -> None:  # noqa: ARG002
        if self.distribution is not None and len(self.distribution) != targets.size:
            raise ScenarioError(
                f"must have one weight for each of the {targets.size} targets, "
                f"got {len(self.distribution)}",
                key="distribution",
            )

    def law(self, r: int) -> Floats:
        weights = np.ones(r) if self.distribution is None else np.array(self.distribution)
        return np.asarray(weights / weights.sum())

    def held(self, view: View, count: int, rng: Rng) -> Items:
        return rng.choice(view.targets, size=count, p=self.view_law(view))

    def held_counts(self, view: View, domain_size: int, count: Counts, rng: Rng) -> Counts:
        held = np.zeros((count.size, domain_size), dtype=np.int64)
        held[:, view.targets] = multinomial(count, self.view_law(view), rng)
        return held

    def item_support(self, protocol: Supporting, targets: Items, counted: Items) -> ItemSupport:
        return protocol.held_support(self.frequencies(targets, protocol.domain_size), counted)
