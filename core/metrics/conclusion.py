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
    """The base of conclusions: the estimates of a cell in several trials, by stage, with the true
    values.

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
        """The stages of the estimates: clean, attacked, and each of them defended if there is a
        defence.
        """

    def claims_fakes(self, arm: Arm) -> bool:  # noqa: ARG002
        """True if a defence flags reports or raises an alarm in this stage of the estimates."""
        return False

    def flags(self, arm: Arm) -> Flags:
        """The detections of a defence in one stage of the estimates; raises LookupError if there
        are none.
        """
        raise LookupError(f"no defence claims anything about {arm}")


class Robust(Conclusion):
    """The base of conclusions with an interval that holds whatever a small share of fakes sends."""

    @property
    @abstractmethod
    def has_support(self) -> bool:
        """True if the possible contributions of one report are known."""

    @property
    @abstractmethod
    def robust_ends(self) -> tuple[Floats, Floats]:
        """The ends of the intervals of the targets, float64[trials, r] each."""

    @property
    @abstractmethod
    def covers_truth(self) -> BoolArray:
        """bool[trials, k]: whether each interval covers the true value."""


@dataclass(frozen=True)
class Metric:
    """A metric: one number for each trial.

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
        """The metric that a function computes in one stage of the estimates. more : what else the
        metric needs.
        """
        return cls(name, lambda conclusion: function(conclusion, arm), (arm,), **more)

    def told_by(self, concluded: type[Conclusion]) -> bool:
        """True if conclusions of a class have the data that the metric needs."""
        return issubclass(concluded, self.of)

    def is_defined(self, conclusion: Any) -> bool:
        """True if a conclusion has the stages and data that the metric needs."""
        arm = self.arms[-1]
        return (
            (conclusion.targets.size > 0 or not self.targets)
            and (not self.test or conclusion.tests(arm))
            and (not self.flags or conclusion.claims_fakes(arm))
            and (not self.supports or conclusion.has_support)
        )
