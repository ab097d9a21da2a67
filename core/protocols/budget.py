"""The base of `[protocol]` tables, and of those whose only parameter is the privacy budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, cast

from ..base.named import fields_of
from ..base.ranges import EPSILON, Range, RangeChecked


@dataclass(frozen=True)
class Domain:
    """The items of a domain, and their labels if they have any."""

    domain_size: int
    labels: tuple[str, ...] | None = None


class ProtocolSpec:
    """The base of `[protocol]` tables, before the domain is known; each kind is a subclass.

    kind : the name in a scenario. mechanism : the class of the bound protocol. make : the function
    of the domain size and the parameters that makes the protocol, `mechanism` if None. dial : the
    parameter that trades noise against robustness at the same ε, None if there is none.
    """

    kind: Any
    epsilon: Any
    mechanism: ClassVar[type[Any]]
    make: ClassVar[Callable[..., Any] | None] = None
    dial: ClassVar[Dial | None] = None

    def __init_subclass__(cls, kind: str = "", **row: Any) -> None:
        if kind:
            cls.__annotations__ = {"kind": cast("Any", Literal)[kind], **cls.__annotations__}
        for name, value in row.items():
            setattr(cls, name, staticmethod(value) if name == "make" else value)

    def over(self, domain: Any) -> Any:
        """The protocol bound to the items of a domain or population; few protocols use the
        labels.
        """
        return self.bind(domain.domain_size)

    def bind(self, domain_size: int) -> Any:
        """The protocol bound to this number of items; raises ScenarioError if it has none
        for them.
        """
        keys = (value for key, value in fields_of(self).items() if key != "kind")
        return (self.make or self.mechanism)(domain_size, *keys)


@dataclass(frozen=True)
class Budget(ProtocolSpec, RangeChecked):
    """The base of `[protocol]` tables whose only parameter is the privacy budget ε."""

    kind: str
    epsilon: Annotated[float, EPSILON]


@dataclass(frozen=True)
class Dial:
    """A parameter of a protocol that trades noise against robustness to fakes, at the same ε.

    name : the key in a scenario. whole : whether it is an integer. below_items : whether it must be
    smaller than the domain.
    """

    name: str
    allowed: Range
    whole: bool = False
    below_items: bool = False
