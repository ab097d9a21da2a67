"""A deployment under attack: every attack on it, as it is, under each defence, and elsewhere.

A gain without a defence is its closed form, where there is one. Corrections are simulated at the
deployment's own size, by drawing counts. Filters read every report, so that they are tried on a
collection of the same frequencies with fewer users, whose reports are at most `BITS` bits in all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Final

from ldptui.core.attacks.strategy import malicious_users
from ldptui.core.base.errors import LdpError, ScenarioError, got
from ldptui.core.base.ranges import DOMAIN, EPSILON, SHARE, USERS, Range, check_bounds
from ldptui.core.defences.defence_kinds import CORRECTIONS, FILTERS
from ldptui.core.experiment import compile as bind
from ldptui.core.running.runner import run
from ldptui.core.scenario import Scenario
from ldptui.core.theory import HIDDEN, gain_lines
from ldptui.core.view.cells import cell_view, closed_forms

from ..text.interval import reach_95

TARGETS: Final = Range(1)
TRIALS: Final = 20
FILTERED: Final = 4
"""Trials with a filter, which take longest."""
BITS: Final = 1_000_000
NONE: Final = "none"
"""The defence that leaves everything as it is."""
PLAIN: Final = tuple(
    kind for kind, made in CORRECTIONS.items()
    if {field.name for field in fields(made)} == {"kind", "muted"} and kind != NONE
)  # fmt: skip
"""The corrections that need to know nothing of an attack, and have nothing to choose."""


@dataclass(frozen=True)
class Deployment:
    """A deployed collection of reports, and the attack on it that its owner fears.

    protocol : its kind.
    share : β.
    targets : r, the rarest items.
    counts : int64[d], how many users hold each item, where that is known; else their frequencies
        are those of Zipf's law.
    """

    protocol: str
    epsilon: Annotated[float, EPSILON]
    items: Annotated[int, DOMAIN]
    users: Annotated[int, USERS]
    share: Annotated[float, SHARE]
    targets: Annotated[int, TARGETS]
    counts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.targets >= self.items:
            rule = f"must be {Range(1, self.items - 1)}, below the number of items"
            raise ScenarioError(f"{rule}, {got(self.targets)}", key="targets")
        if not malicious_users(self.users, self.share):
            rule = f"must make at least one fake beside {self.users} users, {got(self.share)}"
            raise ScenarioError(rule, "share")

    def tables(self, protocol: str, attack: str, defence: str) -> dict[str, Any]:
        """The tables of a scenario that simulates a cell of the matrix."""
        population: dict[str, Any] = {"kind": "counts", "counts": [*self.counts]}
        if not self.counts:
            population = {"kind": "zipf", "items": self.items, "users": self.users, "exponent": 1.0}
        targets = {"pick": "least-frequent", "count": self.targets}
        tables: dict[str, Any] = {
            "population": population,
            "protocol": {"kind": protocol, "epsilon": self.epsilon},
            "attack": {"kind": attack, "share": self.share, "targets": targets},
        }
        return tables if defence == NONE else {**tables, "defence": [{"kind": defence}]}

    def smaller(self) -> Deployment:
        """The deployment with few enough users to simulate every report quickly."""
        users = max(100, min(self.users, BITS // self.items))
        scaled = tuple(round(count * users / self.users) for count in self.counts)
        return replace(self, users=sum(scaled) or users, counts=scaled)


@dataclass(frozen=True)
class Outcome:
    """A cell of the matrix: the gain of an attack on a protocol under a defence.

    gain : the attack's joint gain on its targets, with the defence; None where there is none.
    error : its standard error over these trials; None for a closed form.
    users : of the collection that was simulated.
    why : the reason why there is no gain.
    """

    protocol: str
    attack: str
    defence: str
    users: int
    gain: float | None = None
    error: float | None = None
    trials: int = 0
    why: str = ""

    @property
    def half(self) -> float:
        """The half-width of the 95 % interval of the gain; 0 for a closed form."""
        return reach_95(self.trials) * self.error if self.error else 0.0

    @property
    def least(self) -> float:
        """The lower end of the gain's 95 % interval."""
        return float("-inf") if self.gain is None else self.gain - self.half

    @property
    def most(self) -> float:
        """The upper end of the gain's 95 % interval."""
        return float("-inf") if self.gain is None else self.gain + self.half


def floor(deployment: Deployment, attack: str) -> float | None:
    """The gain of fakes whose reports no server can tell from honest reports; None if unknown.

    attack : one that has targets.
    """
    cell = _cell(deployment.tables(deployment.protocol, attack, NONE), 1)
    targets = cell.first.targets
    lines = gain_lines(cell.protocol, cell.population, targets, cell.share, crafted=False)
    known = [value for name, value in lines.items() if name in HIDDEN]
    return max(known, default=None)


def outcomes(
    deployment: Deployment,
    attacks: Sequence[str],
    others: Sequence[str],
) -> Iterator[Outcome]:
    """Yields the cells of the matrix, closed forms first.

    The deployment as it is, other protocols, its protocol under each defence, and the others under
    the one that helps it most.
    """
    own, worst = deployment.protocol, list[Outcome]()
    for protocol in (own, *others):
        yield from (_measure_cell(deployment, protocol, attack, NONE) for attack in attacks)
    for defence in (*PLAIN, *FILTERS):
        row = list[Outcome]()
        for attack in attacks:
            row.append(_measure_cell(deployment, own, attack, defence))
            yield row[-1]
        if all(each.gain is not None for each in row):
            worst.append(max(row, key=lambda each: each.most))
    if (helps := pick_best(worst)) is not None:
        for protocol in others:
            for attack in attacks:
                yield _measure_cell(deployment, protocol, attack, helps.defence)


def count_rows(others: Sequence[str]) -> int:
    """The rows of the matrix with these other protocols: each alone and with the best defence."""
    return 1 + len(PLAIN) + len(FILTERS) + 2 * len(others)


def has_tried_defences(found: Iterable[Outcome], attacks: Sequence[str]) -> bool:
    """True if there is a cell for every defence and attack of a protocol."""
    tried = {(each.defence, each.attack) for each in found}
    return tried >= {(kind, attack) for kind in (*PLAIN, *FILTERS) for attack in attacks}


def pick_best(worst: Sequence[Outcome]) -> Outcome | None:
    """The best of the worst cells of some defences; None if there are none.

    Of those that cannot be told from the one with the least upper end, it is the most exact one.
    """
    least = min((each.most for each in worst), default=0.0)
    equal = [each for each in worst if each.least <= least]
    return min(equal, key=lambda each: (each.half, each.most), default=None)


def _measure_cell(deployment: Deployment, protocol: str, attack: str, defence: str) -> Outcome:
    """A cell of the matrix: its closed form, else what some trials measure."""
    sifts, none = defence in FILTERS, Outcome(protocol, attack, defence, deployment.users)
    try:
        held = deployment.smaller() if sifts else deployment
        none = replace(none, users=held.users)
        cell = _cell(held.tables(protocol, attack, defence), FILTERED if sifts else TRIALS)
        expected = closed_forms(cell)
        if defence == NONE and expected.get("gain") is not None:
            return replace(none, gain=expected["gain"])
        *_, last = run(bind(_scenario(held.tables(protocol, attack, defence), cell.trials)),
                       frequencies=False)  # fmt: skip
    except LdpError as error:
        return replace(none, why=getattr(error, "rule", "") or str(error))
    metrics = cell_view(cell, last.results.cells[0], expected).metrics
    measured = metrics.get("gain" if defence == NONE else "gain_after")
    if measured is None or measured.mean is None:
        return replace(none, why="has no gain here")
    return replace(none, gain=measured.mean, error=measured.standard_error, trials=cell.trials)


def _scenario(tables: Mapping[str, Any], trials: int) -> Scenario:
    return Scenario({"format": 1, "trials": trials, **tables})


def _cell(tables: Mapping[str, Any], trials: int) -> Any:
    return bind(_scenario(tables, trials)).cells[0]
