"""The conclusions of the server, for every task, and the metrics that are computed from them."""

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
    """The base of conclusions: the estimates of a cell in several trials, by arm, with the true
    values.

    A metric belongs to the classes of conclusions from which it is computed.

    targets : the targets' places in the estimates; empty without an attack.
    """

    targets: Any

    @property
    @abstractmethod
    def trials(self) -> int:
        """The number of trials."""

    @property
    @abstractmethod
    def arms(self) -> Set[Arm]:
        """The arms that have estimates: clean and attacked, and both of them defended if there is a
        defence.
        """

    def claims_fakes(self, arm: Arm) -> bool:  # noqa: ARG002
        """Whether a defence flags reports or raises an alarm in this arm."""
        return False

    def flags(self, arm: Arm) -> Flags:
        """The detections of a defence in one arm.

        Raises LookupError if there are none.
        """
        raise LookupError(f"no defence claims anything about {arm}")


class Robust(Conclusion):
    """The base of conclusions with an interval that holds whatever a small share of fakes sends."""

    @property
    @abstractmethod
    def has_support(self) -> bool:
        """Whether the possible contributions of one report are known."""

    @property
    @abstractmethod
    def robust_ends(self) -> tuple[Floats, Floats]:
        """The lower and upper ends of the targets' intervals, float64[trials, r] each."""

    @property
    @abstractmethod
    def covers_truth(self) -> BoolArray:
        """bool[trials, k]: whether each interval covers the true value."""


@dataclass(frozen=True)
class Metric:
    """A metric: one number for each trial, computed from a conclusion.

    function : float64[trials] of a conclusion.
    arms : the arms that the metric needs.
    targets : whether it needs targets.
    test : whether it needs a protocol with a significance test of items, see `tests`.
    flags : whether it needs a defence that detects fakes, see `claims_fakes`.
    supports : whether it needs a protocol with known support probabilities, see `has_support`.
    whole : whether its values are integers.
    rises : whether it increases with the number of fakes.
    most : the largest value, from the number r of targets and k; None if there is no bound.
    of : the classes of conclusions, subclasses included, from which it is computed.
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
        """The metric that a function computes in one arm.

        more : the other fields of the metric.
        """
        return cls(name, lambda conclusion: function(conclusion, arm), (arm,), **more)

    def told_by(self, concluded: type[Conclusion]) -> bool:
        """Whether the metric is computed from conclusions of a class."""
        return issubclass(concluded, self.of)

    def is_defined(self, conclusion: Any) -> bool:
        """Whether a conclusion has the targets, the test, the flags or the support that the metric
        needs.
        """
        arm = self.arms[-1]
        return (
            (conclusion.targets.size > 0 or not self.targets)
            and (not self.test or conclusion.tests(arm))
            and (not self.flags or conclusion.claims_fakes(arm))
            and (not self.supports or conclusion.has_support)
        )
