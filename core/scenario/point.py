"""A scenario at one point of its sweep: the dataclasses of its parts are the schema."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import Discriminator, Tag, TypeAdapter

from ..attacks import ATTACKS, Attack, NoAttack
from ..base.errors import ScenarioError, got
from ..base.named import fields_of
from ..base.ranges import Range, RangeChecked, check_bounds
from ..defences import (
    DEFENCES,
    Alarm,
    Correction,
    Defence,
    Filter,
    VerifiedRandomiser,
)
from ..metrics import PythonMetric
from ..metrics.goal import Goal
from ..population import POPULATIONS, PopulationSpec
from ..protocols import CENTRAL, NAMED, ProtocolSpec
from ..protocols.trust import TRUSTS, Local, Trust, TrustedCurator
from ..task import TASKS, Frequencies, TaskSpec
from .campaign_tables import Campaign, MixtureSpec, PhasesSpec, Ramp
from .dotted_document import flatten

FORMAT: Final = 1
TRIALS: Final = Range(1, limit=10**6)
KINDS: Final[dict[str, Mapping[str, type]]] = {
    "population": POPULATIONS,
    "protocol": NAMED,
    "attack": ATTACKS,
    "defence": DEFENCES,
    "task": TASKS,
    "trust": TRUSTS,
}
"""The tables whose `kind` decides what they hold."""

ONE_KIND: Final = "(one kind)"
MIXTURE: Final = "(mixture)"
PHASES: Final = "(phases)"


def _mode(attack: Any) -> str:
    """The tag of an attack table: it has one kind, a mixture or phases."""
    if isinstance(attack, PhasesSpec) or (isinstance(attack, dict) and "phase" in attack):
        return PHASES
    mixed = "mix" in attack if isinstance(attack, dict) else isinstance(attack, MixtureSpec)
    return MIXTURE if mixed else ONE_KIND


def _either(kinds: Mapping[str, type]) -> Any:
    """The union of all dataclasses of a table of kinds."""
    return functools.reduce(operator.or_, kinds.values())


if TYPE_CHECKING:
    ProtocolTable: TypeAlias = ProtocolSpec
    AttackTable: TypeAlias = Attack | NoAttack | MixtureSpec | PhasesSpec
    DefenceTable: TypeAlias = Defence
    TaskTable: TypeAlias = TaskSpec
    TrustTable: TypeAlias = Trust
else:  # the tables of kinds are the only lists of them
    ProtocolTable = Annotated[_either(NAMED), Discriminator("kind")]
    AttackTable = Annotated[
        Annotated[Annotated[_either(ATTACKS), Discriminator("kind")], Tag(ONE_KIND)]
        | Annotated[MixtureSpec, Tag(MIXTURE)]
        | Annotated[PhasesSpec, Tag(PHASES)],
        Discriminator(_mode),
    ]
    DefenceTable = Annotated[_either(DEFENCES), Discriminator("kind")]
    TaskTable = Annotated[_either(TASKS), Discriminator("kind")]
    TrustTable = Annotated[_either(TRUSTS), Discriminator("kind")]
"""`[attack]`: one kind, a mixture of several, or phases of mixtures."""


@dataclass(frozen=True)
class Simulate(RangeChecked):
    """The `[simulate]` table: the simulation path, and the k of the top k."""

    path: Literal["auto", "counts", "reports"] = "auto"
    top_k: Annotated[int, Range(1)] = 20


@dataclass(frozen=True)
class Point:
    """One point of a scenario: every parameter has one value.

    Raises ScenarioError for parameters that do not fit together.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True}

    format: Literal[1]
    population: Annotated[PopulationSpec, Discriminator("kind")]
    protocol: ProtocolTable
    attack: AttackTable = field(default_factory=NoAttack)
    defence: tuple[DefenceTable, ...] = ()
    task: TaskTable = field(default_factory=Frequencies)
    trust: TrustTable | None = None
    title: str = ""
    about: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    seed: Annotated[int, Range(0, 2**63, "[)")] = 0
    trials: Annotated[int, TRIALS] = 20
    simulate: Simulate = field(default_factory=Simulate)
    campaign: Campaign | None = None
    goal: Goal | None = None
    metric: tuple[PythonMetric, ...] = ()

    def __post_init__(self) -> None:
        check_bounds(self)
        phases = self.attack.rounds if isinstance(self.attack, PhasesSpec) else None
        rounds = None if self.campaign is None else self.campaign.rounds
        if self.campaign is not None and rounds is None and phases is None:
            raise ScenarioError("is required", key="campaign.rounds")
        if rounds is not None and phases is not None and phases > rounds:
            rule = f"must be at least the rounds of all phases, {phases}, got {rounds}"
            raise ScenarioError(rule, key="campaign.rounds")
        self._check_defences()
        names = [metric.name for metric in self.metric]
        for number, name in enumerate(names):
            if name in names[:number]:
                rule = f"must differ from the names of other metrics, {got(name)}"
                raise ScenarioError(rule, key=f"metric.{number}.name")

    def _check_defences(self) -> None:
        """Refuse a filter after a correction, and what compares rounds where there is one alone."""
        corrected, filters = False, [step.kind for step in self.acting if isinstance(step, Filter)]
        verified = next(
            (step.kind for step in self.acting if isinstance(step, VerifiedRandomiser)), None
        )
        if verified and self.trust not in (None, Local()):
            rule = f'must be "local" with the defence "{verified}", which compares it to verified'
            raise ScenarioError(f"{rule}, {got(self.trust_model.kind)}", key="trust.kind")
        if self.trust_model.drop_out and (filters or self.rounds is not None):
            rule = 'must be false with filters or rounds: the defence "verified-randomiser" has it'
            raise ScenarioError(f"{rule}, {got(True)}", key="trust.drop_out")
        for number, step in enumerate(self.defence):
            if step.muted:
                continue
            why = "asks every user twice" if step.asks_twice else "reads what is not verified"
            decides = isinstance(step, VerifiedRandomiser) and step is not self.acting[0]
            kind = f'"{step.kind}"'
            for rule, is_broken in {
                f"stand before all corrections if it is a filter, got {kind}": (
                    isinstance(step, Filter) and corrected
                ),
                f"not be {kind} without rounds: it compares them": (
                    step.compares_rounds and self.rounds is None
                ),
                f"not be {kind} with rounds: it asks every user twice in one": (
                    step.asks_twice and self.rounds is not None
                ),
                f"be the only filter if it is {kind}, which asks every user twice": (
                    step.asks_twice and len(filters) > 1
                ),
                f'not be {kind} beside "{verified}": it {why}': (
                    verified and (isinstance(step, Alarm) or step.asks_twice)
                ),
                f"stand before all others if it is {kind}: it decides what is sent": decides,
            }.items():
                if is_broken:
                    raise ScenarioError(f"must {rule}", key=f"defence.{number}.kind")
            corrected = corrected or (isinstance(step, Correction) and step.kind != "none")

    @property
    def acting(self) -> tuple[Defence, ...]:
        """The unmuted defences, in order."""
        return tuple(step for step in self.defence if not step.muted)

    @property
    def trust_model(self) -> Trust:
        """The trust model: a curator for a curator's protocol, else the `[trust]` table's."""
        if self.trust is not None:
            return self.trust
        return TrustedCurator() if self.protocol.kind in CENTRAL else Local()

    @property
    def sifts(self) -> bool:
        """Whether a defence of the point filters reports."""
        return any(isinstance(step, Filter) for step in self.acting)

    @property
    def rounds(self) -> int | None:
        """The number of rounds of the campaign; None without a campaign."""
        if self.campaign is not None and self.campaign.rounds is not None:
            return self.campaign.rounds
        return self.attack.rounds if isinstance(self.attack, PhasesSpec) else None

    @functools.cached_property
    def parameters(self) -> dict[str, Any]:
        """Every key with its value, dotted and down to scalars and lists; without title,
        description and labels.
        """
        tables = fields_of(self)
        kinds = {
            name: {"kind": tables[name].kind} for name in KINDS if hasattr(tables[name], "kind")
        }
        plain = dataclasses.asdict(self, dict_factory=_scenario_names)
        left_out = (
            "defence" if not self.defence else "",
            "task" if self.task == Frequencies() else "",
            "trust" if self.trust is None else "",
            "metric" if not self.metric else "",
        )
        for name in ("format", "title", "about", "labels", *filter(None, left_out)):
            del plain[name]
        if self.rounds is not None:
            plain["campaign"] = {**(plain["campaign"] or {}), "rounds": self.rounds}
        tables = {name: {**kinds.get(name, {}), **value} for name, value in plain.items()
                  if isinstance(value, dict)}  # fmt: skip
        return dict(flatten({**plain, **tables}))


def _scenario_names(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a dataclass as scenarios call them."""
    ramp = dict(fields).keys() >= Ramp.KEYS.keys()
    return {Ramp.KEYS.get(name, name) if ramp else name: value for name, value in fields}


POINT: Final = TypeAdapter(Point)
