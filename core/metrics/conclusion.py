"""The conclusions of the server, whatever the task, and the metrics that belong to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

from ..base.arms import Arm
from ..base.flags import Flags
from ..base.sampling import Floats
from ..law.pure import BoolArray


class Conclusion(ABC):
    """The conclusions of the server in several trials of a cell, by arm, beside what is true.

    A metric belongs to classes of conclusions: what it is measured from. targets : those of the
    fakes by their places in the conclusions; empty where there is no attack.
    """

    targets: Any

    @property
    @abstractmethod
    def trials(self) -> int:
        """The number of trials."""

    @property
    @abstractmethod
    def arms(self) -> Set[Arm]:
        """The arms that something is concluded in."""

    def claims_fakes(self, arm: Arm) -> bool:  # noqa: ARG002
        """True where a defence claims anything about an arm."""
        return False

    def flags(self, arm: Arm) -> Flags:
        """The claims of a defence about one arm; raises LookupError where there are none."""
        raise LookupError(f"no defence claims anything about {arm}")


class Robust(Conclusion):
    """A conclusion with an interval that holds whatever the fakes send, where they are few."""

    @property
    @abstractmethod
    def has_support(self) -> bool:
        """True where it is known what one report can say."""

    @property
    @abstractmethod
    def robust_ends(self) -> tuple[Floats, Floats]:
        """The ends of the intervals of the targets, float64[trials, r] each."""

    @property
    @abstractmethod
    def covers_truth(self) -> BoolArray:
        """bool[trials, k]: whether each interval holds what is true."""


@dataclass(frozen=True)
class Metric:
    """One number of each trial.

    function : float64[trials] of a conclusion that has what the metric needs.
    arms : the arms that it needs. targets : it needs targets. test : it needs a protocol that
    tests which items are held, as `tests` of its conclusion says. flags : it needs a defence that
    looks for fakes, as `claims_fakes` says. supports : it needs a protocol with a support law, as
    `supported` says.
    whole : its values are whole numbers. rises : it rises with the number of fakes.
    most : its largest value for r targets and k; None where there is no such bound.
    of : the classes of conclusions that it is measured from, and those that derive from them.
    """

    name: str
    function: Callable[[Any], Floats]
    arms: tuple[Arm, ...]
    targets: bool = False
    test: bool = False
    flags: bool = False
    supports: bool = False
    whole: bool = False
    rises: bool = False
    most: Callable[[int, int], int] | None = None
    of: tuple[type[Any], ...] = ()

    @classmethod
    def in_arm(
        cls, name: str, function: Callable[[Any, Arm], Floats], arm: Arm, **more: Any
    ) -> Metric:
        """The metric of a number of one arm. more : what else it needs."""
        return cls(name, lambda conclusion: function(conclusion, arm), (arm,), **more)

    def told_by(self, concluded: type[Conclusion]) -> bool:
        """Return whether conclusions of a class can tell the metric."""
        return issubclass(concluded, self.of)

    def is_defined(self, conclusion: Any) -> bool:
        """Return whether a conclusion of its classes in its arms has what it needs besides."""
        arm = self.arms[-1]
        return (
            (conclusion.targets.size > 0 or not self.targets)
            and (not self.test or conclusion.tests(arm))
            and (not self.flags or conclusion.claims_fakes(arm))
            and (not self.supports or conclusion.has_support)
        )
