"""The table of attacks: every kind that a scenario can name, a row each."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Protocol

from ..population.targets import RandomSet, Targets
from .crafted import Demotion, MaximalGain, PatternAttack, Reactive, SubsetGain, Untargeted
from .drawn import InputPoisoning, RandomItem, RandomReport, UnperturbedItem
from .hidden import HiddenGain
from .numbers import OnePoint, OutputPoisoning, WidestReport
from .python import PythonAttack
from .solved import SolvedGain


class Attack(Protocol):
    """The `[attack]` table of a scenario, a frozen dataclass; most are a strategy themselves."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    @property
    def kind(self) -> str: ...

    @property
    def share(self) -> float:
        """β, the share of fakes among all users."""
        ...

    @property
    def targets(self) -> Targets | RandomSet: ...

    @property
    def cohort(self) -> float | None: ...

    def bind(self) -> Attack:
        """The attack as a cell holds it: itself."""
        ...


@dataclass(frozen=True)
class NoAttack:
    """No fake users."""

    kind: Literal["none"] = "none"

    def bind(self) -> None:
        return None


ATTACKS: Final[dict[str, type[Any]]] = {
    "none": NoAttack,
    "rpa": RandomReport,
    "ria": RandomItem,
    "ria-unperturbed": UnperturbedItem,
    "input": InputPoisoning,
    "mga": MaximalGain,
    "mga-a": SubsetGain,
    "apa": PatternAttack,
    "untargeted": Untargeted,
    "demote": Demotion,
    "reactive": Reactive,
    "hidden": HiddenGain,
    "solved": SolvedGain,
    "opa": OutputPoisoning,
    "top": WidestReport,
    "point": OnePoint,
    "plugin": PythonAttack,
}
"""Every kind, in the order in which it is shown."""
