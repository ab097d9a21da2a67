"""The table of kinds: every protocol and curator that a scenario can name.

The folder is the list: the file of a family says in `SPECS` which dataclasses hold the `[protocol]`
table of a scenario, one for each kind. A spec says which `mechanism` it binds, and that class
answers for the kind: its family, its law, what an attack can do with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, Protocol

from ..base.named import listed_in
from ..law.numbers import tells_numbers
from ..law.pure import is_pure, sends_reports
from .budget import Dial, Named
from .python import PythonSpec


class ProtocolSpec(Protocol):
    """The `[protocol]` table of a scenario, before the domain is known: a frozen dataclass."""

    mechanism: ClassVar[type[Any]]
    """The class of what it binds; where there are several, the one that gives the kind its name."""

    @property
    def kind(self) -> str: ...

    @property
    def epsilon(self) -> float | None: ...

    def __hash__(self) -> int: ...

    def bind(self, domain_size: int) -> Any:
        """The mechanism with its parameters bound."""
        ...

    def over(self, domain: Named) -> Any:
        """The mechanism over items that may have labels."""
        ...


KINDS: Final = listed_in(__package__, "SPECS")
"""Every kind, in the order of the alphabet; lists that people see have the catalogue's order."""

NAMED: Final[dict[str, type[Any]]] = {**KINDS, "plugin": PythonSpec}
"""Every kind that a scenario can name: those, and somebody's own, by its name."""

PROTOCOLS: Final[dict[str, Callable[..., ProtocolSpec]]] = {
    kind: spec for kind, spec in KINDS.items() if is_pure(spec.mechanism)
}
"""The kinds of pure protocol: a privacy budget alone can bind them."""

NUMBERS: Final[dict[str, type[Any]]] = {
    kind: spec for kind, spec in KINDS.items() if tells_numbers(spec.mechanism)
}
"""The kinds whose users hold numbers: reports tell the mean, and a privacy budget binds them."""

DIALS: Final[dict[str, Dial]] = {
    kind: spec.dial for kind, spec in KINDS.items() if spec.dial is not None
}
"""The kinds that are many protocols of one ε: what tells them apart."""

CENTRAL: Final[dict[str, type[Any]]] = {
    kind: spec for kind, spec in KINDS.items() if not sends_reports(spec.mechanism)
}
"""The kinds of trusted curator: users tell it their items."""


def family_of(kind: str) -> str:
    """The family of a kind, one word: "direct", "unary", "hashing", "curators"."""
    family: str = NAMED[kind].mechanism.family
    return family
