"""The conclusions of the server, whatever the task, and the metrics that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any, Protocol

from ..base.arms import Arm
from ..base.sampling import Floats
from ..law.pure import Items


class Conclusion(Protocol):
    """The conclusions of the server in several trials of a cell, by arm, beside what is true.

    A metric belongs to classes of conclusions: what it is measured from.
    """

    @property
    def trials(self) -> int:
        """The number of trials."""
        ...

    @property
    def arms(self) -> Set[Arm]:
        """The arms that something is concluded in."""
        ...

    @property
    def targets(self) -> Items:
        """The targets by their places in the conclusions; empty where there is no attack."""
        ...


@dataclass(frozen=True)
class Metric:
    """One number of each trial.

    function : float64[trials] of a conclusion that has what the metric needs.
    arms : the arms that it needs. targets : it needs targets. test : it needs a protocol that
    tests which items are held, as `tests` of its conclusion says. flags : it needs a defence that
    looks for fakes, as `claims_fakes` says. supports : it needs a protocol with a support law, as
    `supported` says.
    whole : its values are whole numbers.
    most : its largest value for r targets and k; None where there is no such bound.
    of : the classes of conclusions that it is measured from.
    """

    name: str
    function: Callable[[Any], Floats]
    arms: tuple[Arm, ...]
    targets: bool = False
    test: bool = False
    flags: bool = False
    supports: bool = False
    whole: bool = False
    most: Callable[[int, int], int] | None = None
    of: tuple[type[Conclusion], ...] = ()

    @classmethod
    def in_arm(
        cls, name: str, function: Callable[[Any, Arm], Floats], arm: Arm, **more: Any
    ) -> Metric:
        """The metric of a number of one arm. more : what else it needs."""
        return cls(name, lambda conclusion: function(conclusion, arm), (arm,), **more)

    def defined(self, conclusion: Any) -> bool:
        """Return whether a conclusion has what the metric needs."""
        arm = self.arms[-1]
        return (
            type(conclusion) in self.of
            and conclusion.arms >= set(self.arms)
            and (conclusion.targets.size > 0 or not self.targets)
            and (not self.test or conclusion.tests(arm))
            and (not self.flags or conclusion.claims_fakes(arm))
            and (not self.supports or conclusion.supported)
        )
