"""the error of a trusted curator's histogram from ε, or ε from it"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import ALPHA, DOMAIN, USERS, Range

from ..text import format as text
from .choices import curators
from .options import Argument, Blank
from .parameters import Budget, Neighbours, Slack
from .question import Curves, question
from .question_answer import HIDDEN, OMITTED, QuestionAnswer, Row, row_of_formula

BESIDE = "laplace"
"""The curator whose error a local protocol has to reach."""


@dataclass(frozen=True)
class CuratorError:
    """A mechanism's ε, and what its counts are off by; threshold : of one that withholds bins."""

    epsilon: float
    delta: float
    scale: float
    accuracy: float
    threshold: float | None = dataclasses.field(default=None, metadata=OMITTED)


@dataclass(frozen=True)
class LocalError:
    """The standard error of a local frequency, and the users who bring it to a curator's."""

    std: float
    users: float
    factor: float


@dataclass(frozen=True)
class Locality:
    """The errors of a frequency of each central mechanism and of each local protocol."""

    items: int
    users: int
    epsilon: float
    central_std: Mapping[str, float]
    local: Mapping[str, LocalError]


@dataclass(frozen=True)
class AccuracyAnswer(QuestionAnswer):
    """The accuracy of each central mechanism, or the budget that an accuracy needs.

    epsilon, accuracy, delta : as they were given.
    """

    neighbours: Literal["change-one", "add-remove"]
    sensitivity: int
    alpha: float
    bins: int
    mechanisms: Mapping[str, CuratorError]
    locality: Locality | None
    epsilon: float | None = dataclasses.field(default=None, metadata=HIDDEN)
    accuracy: float | None = dataclasses.field(default=None, metadata=HIDDEN)
    delta: float = dataclasses.field(default=0.0, metadata=HIDDEN)

    @property
    def _goal(self) -> str:
        if self.accuracy is None:
            return f"ε = {text.chosen_value(self.epsilon)}"
        return f"off by a = {text.chosen_value(self.accuracy)} at most"

    @property
    def title(self) -> str:
        alpha, delta = text.chosen_value(self.alpha), text.chosen_value(self.delta)
        return f"Central histogram, {self._goal}, α = {alpha}, δ = {delta}"

    @property
    def sentences(self) -> Iterator[str]:
        found, sure = self.mechanisms[BESIDE], text.percent(1 - self.alpha)
        where = "A count" if self.bins == 1 else f"Each of {text.count(self.bins)} counts"
        off = text.short(found.accuracy)
        if self.accuracy is None:
            yield f"{where} of a {BESIDE} histogram is within {off} users of the truth in {sure}."
        else:
            needs = text.short(found.epsilon)
            yield f"{where} within {off} users of the truth in {sure} needs ε = {needs} ({BESIDE})."
        if self.locality is not None:
            best = min(self.locality.local.items(), key=lambda item: item[1].users)
            name, factor = best[0].upper(), text.short(best[1].factor, 3)
            yield f"For the same error local privacy needs × {factor} users at least ({name})."

    def quantities(self) -> Iterator[Row]:
        from ldptui.core.protocols import KINDS as CLASSES

        from ..explain.curator_formulas import words_of
        from .mechanisms import curator, formulas

        where, is_forward = self.locality, self.accuracy is None
        known = {}
        for name, found in self.mechanisms.items():
            closed = words_of(CLASSES[name].mechanism)
            what = "off by" if is_forward else "needs ε"
            value = found.accuracy if is_forward else found.epsilon
            formula = closed.formula(self.sensitivity, is_forward)
            yield Row(f"{name}: {what}", value, formula, closed.source, 6)
            bare = curator(name, 2, found.epsilon, found.delta, self.neighbours)
            known[name] = formulas(name, bare, None if where is None else where.users)
        for name, of in known.items():
            if "threshold" in of:
                yield row_of_formula(f"{name}: threshold", of["threshold"])
        if where is None:
            return
        for name in where.central_std:
            yield row_of_formula(f"{name}: frequency error", known[name]["frequency_std"])
        for kind, local in where.local.items():
            yield Row(f"{kind}: frequency error", local.std, "√Var, mean item", "W17 th. 2")
        for kind, local in where.local.items():
            factor = f"{text.short(local.factor, 3)} × n"
            yield Row(f"{kind}: users needed", local.users, factor, "W17 th. 2")

    @property
    def notes(self) -> Iterator[str]:
        yield (
            f"{self.neighbours} neighbours, so that the sensitivity Δ is {self.sensitivity}; "
            "s = Δ/ε"
        )
        if self.bins == 1:
            yield "one bin is off by more than that with probability α at most"
        else:
            yield (
                f"any of {self.bins} bins is off by more with probability α at most: each has "
                f"1 − (1 − α)^(1/{self.bins}) for α"
            )
        spent = max(each.epsilon for each in self.mechanisms.values())
        if spent > 1:
            odds = text.short(math.exp(spent), 3)
            yield f"an ε above 1 promises little: one person may change odds by a factor of {odds}"
        if (where := self.locality) is not None:
            size = f"d = {text.count(where.items)}, n = {text.count(where.users)}"
            yield f"with {size}; users needed: for the error that laplace has with n"


def _tenfold(middle: str) -> Any:
    """Values from a tenth to ten times what was given, 20 a decade."""

    def points(given: Mapping[str, Any]) -> Sequence[float]:
        return [given[middle] * 10 ** (step / 20 - 1) for step in range(41)]

    return points


def _lines_of(field: str) -> Any:
    """A line for each curator."""

    def lines() -> Mapping[str, Any]:
        from ..charts.series import TONES

        return {
            kind: (f"mechanisms.{kind}.{field}", tone)
            for kind, tone in zip(curators(), TONES, strict=False)
        }

    return lines


@question(
    "Accuracy",
    "How exact is a trusted curator?",
    group="Curator",
    place=1,
    curves=[
        Curves(
            "Users that a count is off by at most",
            "epsilon",
            _tenfold("epsilon"),
            _lines_of("accuracy"),
            "privacy budget ε",
            "users",
            without=("items", "users"),
        ),
        Curves(
            "ε that an accuracy needs",
            "accuracy",
            _tenfold("accuracy"),
            _lines_of("epsilon"),
            "off by at most, users",
            "ε",
            without=("items", "users"),
        ),
    ],
)
def accuracy(
    *,
    epsilon: Annotated[
        Budget | None,
        Argument(either=True, needed=True),
        Blank(1.0, "protocol.epsilon", optional=True),
    ] = None,
    accuracy: Annotated[
        float | None,
        Range(0, ends="()"),
        "A",
        Argument(either=True, needed=True),
        Blank(optional=True, steps="ladder"),
    ] = None,
    alpha: Annotated[float, ALPHA, "A", Blank(steps="hundredths")] = 0.05,
    bins: Annotated[int, Range(1), "B", Blank(steps="ladder")] = 1,
    delta: Slack = 1e-6,
    neighbours: Neighbours = "change-one",
    items: Annotated[int | None, DOMAIN, "D", Argument(renames=("domain_size",))] = None,
    users: Annotated[int | None, USERS, "N"] = None,
) -> AccuracyAnswer:
    """Compute the error of a trusted curator's histogram from its budget, or the budget that
    an error needs. With --items and --users also the price of locality: the number of
    users that a local protocol needs for the same error.

    Parameters
    ----------
    epsilon : privacy budget ε, in nats
    accuracy : the largest error of a bin, in users
    alpha : the chance that the error is larger
    bins : bins that all have to keep to it
    delta : δ of the stability mechanism
    neighbours : tables that must look alike: one row changed, or one more
    items : domain size d
    users : users n

    Examples
    --------
    ldptui accuracy --epsilon 0.5 --bins 50 --items 50 --users 10000
    """
    from ldptui.core.protocols import KINDS as CLASSES
    from ldptui.core.protocols.curators import SENSITIVITY

    from .mechanisms import CURATORS, curator, formulas

    if (items is None) != (users is None):
        missing = "items" if items is None else "users"
        raise ScenarioError("is required too, for the price of locality", key=missing)
    mechanisms = {}
    for kind in CURATORS:
        spent = epsilon
        if spent is None:
            known = CLASSES[kind].mechanism
            spent = known.epsilon_within(accuracy, alpha, delta, bins, neighbours)
        made = curator(kind, 2, spent, delta, neighbours)
        threshold = formulas(kind, made).get("threshold")
        mechanisms[kind] = CuratorError(
            spent,
            made.delta,
            made.scale,
            made.accuracy(alpha, bins),
            None if threshold is None else threshold.value,
        )
    locality = None
    if items is not None and users is not None:
        locality = _compare(items, users, mechanisms, neighbours)
    return AccuracyAnswer(
        neighbours, SENSITIVITY[neighbours], alpha, bins, mechanisms, locality,
        epsilon, accuracy, delta,
    )  # fmt: skip


def _compare(d: int, n: int, mechanisms: Mapping[str, CuratorError], near: Any) -> Locality:
    """The errors of a frequency, and how many users a local protocol needs for BESIDE's.

    No population is needed: a local variance is affine in the frequency, and frequencies are 1/d
    in the mean; that of noise that withholds nothing is the same in every bin.
    """
    from ldptui.core.law.pure import item_variance

    from .mechanisms import LOCAL, bound, curator, formulas, has

    spreads = {
        name: formulas(name, curator(name, d, found.epsilon, 0.0, near), n)["frequency_std"].value
        for name, found in mechanisms.items()
        if not has(name, "delta")
    }
    local = {}
    epsilon = mechanisms[BESIDE].epsilon
    for kind in LOCAL:
        error = float(item_variance(bound(kind, d, epsilon), n, 1 / d))
        factor = error / spreads[BESIDE] ** 2
        local[kind] = LocalError(math.sqrt(error), n * factor, factor)
    return Locality(d, n, epsilon, spreads, local)
