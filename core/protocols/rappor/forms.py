"""The four forms of RAPPOR, as a scenario names them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from ...base.errors import ScenarioError, format_number, got
from ...base.ranges import ALPHA, EPSILON, check_bounds
from ..budget import Domain, ProtocolSpec
from ..unary import SUE
from .decoding import Adjust
from .filters import BITS, COHORTS, HASHES, BasicRappor
from .noise import PROBABILITY, BitNoise, solved_f
from .rappor import Rappor

Form: TypeAlias = Literal["full", "one-time", "basic", "basic-one-time"]


def ignored_keys(form: str) -> tuple[str, ...]:
    """The keys of `RapporSpec` that have no effect in this form."""
    noise = ("p", "q") if form.endswith("one-time") else ()
    filters = ("bits", "hashes", "cohorts", "alpha", "adjust") if form.startswith("basic") else ()
    return noise + filters


@dataclass(frozen=True)
class RapporSpec(ProtocolSpec, kind="rappor", mechanism=Rappor):
    """The `[protocol]` table of RAPPOR in one of its forms, before the domain is known.

    Either f is given, or ε₁ of one report as `epsilon`, from which f is solved; without both f is
    0.5. A form ignores keys without effect, so that forms can be swept: the basic forms ignore
    `bits`, `hashes`, `cohorts`, `alpha` and `adjust`, the one-time forms `p` and `q`.

    Raises ScenarioError if f and `epsilon` are both given, or if the noise gives no privacy.
    """

    form: Form = "full"
    f: Annotated[float, PROBABILITY] | None = None
    epsilon: Annotated[float, EPSILON] | None = None
    p: Annotated[float, PROBABILITY] | None = 0.5
    q: Annotated[float, PROBABILITY] | None = 0.75
    bits: Annotated[int, BITS] | None = 16
    hashes: Annotated[int, HASHES] | None = 2
    cohorts: Annotated[int, COHORTS] | None = 64
    alpha: Annotated[float, ALPHA] | None = 0.05
    adjust: Adjust | None = "bonferroni"

    def __post_init__(self) -> None:
        check_bounds(self)
        for name in ignored_keys(self.form):
            object.__setattr__(self, name, None)
        if self.f is not None and self.epsilon is not None:
            raise ScenarioError(
                f"must be left out where epsilon is given, which f is solved for, {got(self.f)}",
                key="f",
            )
        if self.f is None and self.epsilon is None:
            object.__setattr__(self, "f", 0.5)
        epsilon = self.epsilon_one  # which refuses a noise without privacy or information
        if self.basic and epsilon not in EPSILON:
            raise ScenarioError(
                f"must give one report an epsilon {EPSILON}, {got(self.f)}, "
                f"which gives {format_number(epsilon, 6)}",
                key="f",
            )

    @property
    def basic(self) -> bool:
        """Whether the form is basic: each item has its own bit, and RAPPOR is a pure protocol."""
        return self.form in ("basic", "basic-one-time")

    @property
    def noise(self) -> BitNoise:
        p = 0.0 if self.p is None else self.p
        q = 1.0 if self.q is None else self.q
        if self.f is not None:
            return BitNoise(self.f, p, q)
        assert self.epsilon is not None
        if not q > p:
            return BitNoise(0.5, p, q)  # which says what is wrong
        return BitNoise(solved_f(self.epsilon, self.hashes or 1, p, q), p, q)

    @property
    def epsilon_one(self) -> float:
        """ε₁ of one report, in nats."""
        noise = self.noise
        return noise.epsilon_one(self.hashes or 1) if self.epsilon is None else self.epsilon

    @property
    def most_epsilon(self) -> float:
        """The largest ε₁, in nats, without permanent noise (f = 0); infinite without fresh
        noise.
        """
        return self.noise.most_epsilon(self.hashes or 1)

    @property
    def room(self) -> float:
        """The largest number of candidates that are decoded together; infinite if each has its own
        bit.
        """
        if self.bits is None or self.cohorts is None:
            return math.inf
        return float(int(0.8 * self.bits * self.cohorts))

    def bind(self, domain_size: int) -> BasicRappor | Rappor:
        return self.over(Domain(domain_size))

    def over(self, domain: Any) -> BasicRappor | Rappor:
        """The protocol bound to items; filters hash the items' labels, or their indices without
        labels.
        """
        domain_size, noise, one = domain.domain_size, self.noise, self.epsilon_one
        if self.basic:
            once = self.form == "basic-one-time"
            p = SUE(domain_size, one).p if once else noise.q_star
            return BasicRappor(domain_size, one, p, noise=noise)
        assert self.bits is not None
        assert self.hashes is not None
        assert self.cohorts is not None
        assert self.alpha is not None
        assert self.adjust is not None
        return Rappor(
            domain_size,
            self.bits,
            self.hashes,
            self.cohorts,
            noise,
            self.alpha,
            self.adjust,
            domain.labels,
        )
