"""The table of kinds: every protocol and curator that a scenario can name, a row each.

A row gives the dataclass that holds the table of a scenario. It says which `mechanism` it binds,
and that class answers for the kind: its family, its law, what an attack can do with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, Protocol

from ..pure import PureProtocol, is_pure, sends_reports
from .budget import Dial
from .chains import LGRRSpec, LOLOHASpec, LOSUESpec, LOUESpec, LSUESpec
from .curators import GeometricSpec, LaplaceSpec, StabilitySpec
from .dbitflip import BitFlipsSpec, KeptBitFlipsSpec
from .grr import GRRSpec
from .hadamard import HadamardSpec
from .hashing import BLHSpec, LHSpec, OLHSpec
from .hst import CoinSpec
from .projective import ProjectiveSpec
from .rappor import RapporSpec
from .she import SummationSpec
from .sketch import CountMeanSpec, HadamardSketchSpec
from .subset import SubsetSpec
from .the import ThresholdingSpec
from .unary import OUESpec, SUESpec, UESpec


class ProtocolSpec(Protocol):
    """The `[protocol]` table of a scenario, before the domain is known: a frozen dataclass."""

    mechanism: ClassVar[type[Any]]
    """The class of what it binds; where there are several, the one that gives the kind its name."""

    @property
    def kind(self) -> str: ...

    @property
    def epsilon(self) -> float | None: ...

    def __hash__(self) -> int: ...

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> Any:
        """The mechanism with its parameters bound, over items of these labels."""
        ...


class PureSpec(ProtocolSpec, Protocol):
    """The same of a protocol that is pure, whatever its parameters."""

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> PureProtocol: ...


KINDS: Final[dict[str, type[Any]]] = {
    "grr": GRRSpec,
    "sue": SUESpec,
    "oue": OUESpec,
    "ue": UESpec,
    "blh": BLHSpec,
    "olh": OLHSpec,
    "lh": LHSpec,
    "hst": CoinSpec,
    "the": ThresholdingSpec,
    "she": SummationSpec,
    "ss": SubsetSpec,
    "hr": HadamardSpec,
    "pgr": ProjectiveSpec,
    "cms": CountMeanSpec,
    "hcms": HadamardSketchSpec,
    "dbitflip": BitFlipsSpec,
    "dbitflip-pm": KeptBitFlipsSpec,
    "rappor": RapporSpec,
    "l-sue": LSUESpec,
    "l-osue": LOSUESpec,
    "l-oue": LOUESpec,
    "l-grr": LGRRSpec,
    "loloha": LOLOHASpec,
    "laplace": LaplaceSpec,
    "geometric": GeometricSpec,
    "stability": StabilitySpec,
}
"""Every kind, in the order in which it is shown."""

PROTOCOLS: Final[dict[str, Callable[..., PureSpec]]] = {
    kind: spec for kind, spec in KINDS.items() if is_pure(spec.mechanism)
}
"""The kinds of pure protocol: a privacy budget alone can bind them."""

DIALS: Final[dict[str, Dial]] = {
    kind: spec.dial for kind, spec in KINDS.items() if hasattr(spec, "dial")
}
"""The kinds that are many protocols of one ε: what tells them apart."""

CENTRAL: Final[dict[str, type[Any]]] = {
    kind: spec for kind, spec in KINDS.items() if not sends_reports(spec.mechanism)
}
"""The kinds of trusted curator: users tell it their items."""


def family_of(kind: str) -> str:
    """The family of a kind, one word: "direct", "unary", "hashing", "rappor", "curators"."""
    family: str = KINDS[kind].mechanism.family
    return family
