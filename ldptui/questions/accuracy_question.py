"""the error of a trusted curator's histogram from ε, or ε from it"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from ldptui.core.base.ranges import ALPHA, Range

from ..text import format as text
from .options import Argument, Blank
from .parameters import Budget, Neighbours, Slack
from .question import Curves, question, space_points
from .question_answer import QuantityRow, QuestionAnswer, hidden, omit_field, row_of_formula

BESIDE = "laplace"
"""The curator whose error a local protocol has to reach."""


@dataclass(frozen=True)
class CuratorError:
    """A central mechanism's ε and the error of its counts.

    threshold : bins with a smaller noisy count are withheld; None if the mechanism has no
        threshold.
    """

    epsilon: float
    delta: float
    scale: float
    accuracy: float
    threshold: float | None = omit_field()


@dataclass(frozen=True)
class AccuracyAnswer(QuestionAnswer):
    """The accuracy of each central mechanism, or the budget that an accuracy needs.

    epsilon, accuracy, delta : the given values; None if not given.
    """

    neighbours: Literal["change-one", "add-remove"]
    sensitivity: int
    alpha: float
    bins: int
    mechanisms: Mapping[str, CuratorError]
    epsilon: float | None = hidden()
    accuracy: float | None = hidden()
    delta: float = hidden(0.0)

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

    def quantities(self) -> Iterator[QuantityRow]:
        from ldptui.core.protocols import KINDS as CLASSES

        from ..explain.curator_formulas import words_of
        from .mechanisms import curator, formulas

        is_forward = self.accuracy is None
        for name, found in self.mechanisms.items():
            closed = words_of(CLASSES[name].mechanism)
            value = found.accuracy if is_forward else found.epsilon
            formula = closed.formula(self.sensitivity, is_forward)
            what = "off by" if is_forward else "needs ε"
            yield QuantityRow(f"{name}: {what}", value, formula, closed.source, 6)
        for name, found in self.mechanisms.items():
            bare = curator(name, 2, found.epsilon, found.delta, self.neighbours)
            if (threshold := formulas(name, bare).get("threshold")) is not None:
                yield row_of_formula(f"{name}: threshold", threshold)

    @property
    def notes(self) -> Iterator[str]:
        yield (
            f"{self.neighbours} neighbours, so that the sensitivity Δ is {self.sensitivity}; "
            "s = Δ/ε"
        )
        each = f": each has 1 − (1 − α)^(1/{self.bins})" if self.bins > 1 else ""
        yield f"any of {self.bins} bins is off by more with probability α at most{each}"
        spent = max(each.epsilon for each in self.mechanisms.values())
        if spent > 1:
            odds = text.short(math.exp(spent), 3)
            yield f"an ε above 1 promises little: one person may change odds by a factor of {odds}"


@question(
    "Accuracy",
    "How exact is a trusted curator?",
    group="Curator",
    place=1,
    curves=[
        Curves(
            "Users that a count is off by at most",
            "epsilon",
            space_points("epsilon", 10, 40),
            {"": ("mechanisms.*.accuracy", "theory")},
            "privacy budget ε",
            "users",
        ),
        Curves(
            "ε that an accuracy needs",
            "accuracy",
            space_points("accuracy", 10, 40),
            {"": ("mechanisms.*.epsilon", "theory")},
            "off by at most, users",
            "ε",
        ),
    ],
)
def accuracy(
    *,
    epsilon: Annotated[
        Budget | None,
        Argument(either=True, needed=True),
        Blank(1.0, "protocol.epsilon"),
    ] = None,
    accuracy: Annotated[
        float | None,
        Range(0, ends="()"),
        "A",
        Argument(either=True, needed=True),
        Blank(steps="1-2-5"),
    ] = None,
    alpha: Annotated[float, ALPHA, "A", Blank(steps="hundredths")] = 0.05,
    bins: Annotated[int, Range(1), "B", Blank(steps="1-2-5")] = 1,
    delta: Slack = 1e-6,
    neighbours: Neighbours = "change-one",
) -> AccuracyAnswer:
    """Compute the error of a trusted curator's histogram from its budget, or the budget that
    an error needs.

    Parameters
    ----------
    epsilon : privacy budget ε, in nats
    accuracy : the largest error of a bin, in users
    alpha : the chance that the error is larger
    bins : bins that all have to keep to it
    delta : δ of the stability mechanism
    neighbours : tables that must look alike: one row changed, or one more

    Examples
    --------
    ldptui accuracy --epsilon 0.5 --bins 50
    """
    from ldptui.core.protocols import KINDS as CLASSES
    from ldptui.core.protocols.curators import SENSITIVITY

    from .mechanisms import CURATORS, curator, formulas

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
    return AccuracyAnswer(
        neighbours, SENSITIVITY[neighbours], alpha, bins, mechanisms,
        epsilon, accuracy, delta,
    )  # fmt: skip
