"""A mean over trials beside its closed form; without NumPy, so that the app knows it as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Doubt: TypeAlias = Literal["rounding", "rare"]
"""The reason for which trials say nothing of a closed form.

They differ by rounding alone, or they have missed the rare events that carry it.
"""


@dataclass(frozen=True)
class Estimate:
    """A mean over trials: its standard error (None for one trial), and the closed form.

    doubt : the reason why the standard error is not that of the mean; None where it is.
    """

    mean: float | None
    standard_error: float | None
    theory: float | None
    doubt: Doubt | None = None

    @property
    def z(self) -> float | None:
        """(mean - theory) / standard error; None where one is missing, 0 or in doubt."""
        if self.doubt or self.mean is None or self.theory is None or not self.standard_error:
            return None
        return (self.mean - self.theory) / self.standard_error
