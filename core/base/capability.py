"""What some values can do that others of their kind cannot, asked by the method that does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeGuard, TypeVar

Able = TypeVar("Able", covariant=True)


@dataclass(frozen=True)
class Capability(Generic[Able]):
    """A question to a value: called with one that has the method, it tells its type.

    method : the method, or the attribute, that only those have that are able to.
    """

    method: str

    def __call__(self, value: object) -> TypeGuard[Able]:
        return hasattr(value, self.method)
