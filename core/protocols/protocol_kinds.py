"""The table of kinds: every protocol and curator that a scenario can name.

The folder is the list: the file of a family says in `SPECS` which dataclasses are the `[protocol]`
tables of scenarios, one for each kind. A spec names the `mechanism` it binds, and that class
has the kind's family and the distributions of its reports under each attack.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..base.named import listed_in
from ..law.mechanism import LocalMechanism, is_a
from ..law.numeric_protocol import NumericProtocol
from ..law.pure import PureProtocol
from .budget import Dial, ProtocolSpec
from .exact import ExactSpec
from .python_protocol import PythonSpec

KINDS: Final = listed_in(__package__, "SPECS")
"""Every kind, in the order of the alphabet; lists that people see have the catalogue's order."""

NAMED: Final[dict[str, type[Any]]] = {**KINDS, "plugin": PythonSpec, "exact": ExactSpec}
"""Every kind that a scenario can name: those, somebody's own, by its name, and the users' items as
they are, which promise no ε."""

PROTOCOLS: Final[dict[str, Callable[..., ProtocolSpec]]] = {
    kind: spec for kind, spec in KINDS.items() if is_a(spec.mechanism, PureProtocol)
}
"""The kinds of pure protocol: a privacy budget alone can bind them."""

NUMBERS: Final[dict[str, type[Any]]] = {
    kind: spec for kind, spec in KINDS.items() if is_a(spec.mechanism, NumericProtocol)
}
"""The kinds whose users hold numbers: reports tell the mean, and a privacy budget binds them."""

DIALS: Final[dict[str, Dial]] = {
    kind: spec.dial for kind, spec in KINDS.items() if spec.dial is not None
}
"""The kinds that are many protocols of one ε: what tells them apart."""

CENTRAL: Final[dict[str, type[Any]]] = {
    kind: spec for kind, spec in KINDS.items() if not is_a(spec.mechanism, LocalMechanism)
}
"""The kinds of trusted curator: users tell it their items."""


def family_of(kind: str) -> str:
    """The family of a protocol kind, one word: "direct", "unary", "hashing", "curators"."""
    family: str = NAMED[kind].mechanism.family
    return family
