"""A mean over trials beside its closed form; without NumPy, so that the app can import it
quickly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Doubt: TypeAlias = Literal["rounding", "rare", "skewed"]
"""The reason for which trials say nothing of a closed form, or little.

They differ by rounding alone; or they have missed the rare events that carry it; or their law is
skewed, so that z is approximate.
"""


@dataclass(frozen=True)
class Estimate:
    """A mean over trials: its standard error (None for one trial), and the closed form.

    doubt : the reason to doubt z; None if z has Student's t distribution of trials - 1 degrees of
    freedom.
    """

    mean: float | None
    standard_error: float | None
    theory: float | None
    doubt: Doubt | None = None

    @property
    def z(self) -> float | None:
        """The z-score (mean - theory) / standard error; None if one of these is missing, or the
        error is 0.

        For normal measures it has Student's t distribution of trials - 1 degrees of freedom. None
        also for the doubts "rounding" and "rare".
        """
        if self.doubt in ("rounding", "rare") or not self.standard_error:
            return None
        if self.mean is None or self.theory is None:
            return None
        return (self.mean - self.theory) / self.standard_error
