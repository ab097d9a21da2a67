"""The answer of a plan for the mean of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..text import format as text
from .plan_lines import MeanPlanLines
from .question_answer import QuestionAnswer, Row

if TYPE_CHECKING:
    from .sheet import Figure

MEAN_WORDS: Final = {
    "users": "genuine users n",
    "epsilon": "budget ε",
    "share": "share of fakes β",
    "within": "error at most, ± x",
}
VERDICTS: Final[Mapping[str, Callable[[Any], str]]] = {
    "users": lambda v: f"It takes {text.count(math.ceil(v.users))} genuine users",
    "epsilon": lambda v: f"It takes ε = {text.short(v.epsilon, 4)}",
    "share": lambda v: f"At most {text.percent(v.share)} of all users may be fake",
    "frequency": lambda v: f"The smallest frequency is {text.short(v.frequency, 4)}",
    "power": lambda v: f"The power is {text.short(v.power, 4)}",
    "within": lambda v: f"The smallest error is ± {text.short(v.within, 4)}",
}
"""The answer, by the quantity that is solved for."""


def solved_text(solved: str | None, value: float) -> str:
    """The need of a protocol, in the digits of a comparison; users are whole."""
    return text.count(math.ceil(value)) if solved == "users" else text.short(value, 4)


def given_rows(values: Any, words: Mapping[str, str]) -> Iterator[Row]:
    """A row for each quantity of a plan, which is given or solved for."""
    for name, quantity in words.items():
        number = getattr(values, name)
        shown = text.count(math.ceil(number)) if name == "users" else text.short(number)
        yield Row(quantity, shown, "solved for" if name == values.solved else "as given")


@dataclass(frozen=True)
class MeanPlanAnswer(MeanPlanLines, QuestionAnswer):
    """The lines of a plan for a mean, in words and charts."""

    @property
    def title(self) -> str:
        span = f"[{text.short(self.low)}, {text.short(self.high)}]"
        alpha = text.short(self.alpha)
        return f"A plan for a mean: {self.protocol.upper()}, numbers in {span}, α = {alpha}"

    @property
    def sentences(self) -> Iterator[str]:
        name, x = self.protocol.upper(), text.short(self.within, 4)
        spite = f" in spite of {text.percent(self.share)} fakes" if self.share else ""
        sure = f", with probability {text.short(1 - self.alpha, 3)}"
        if self.solved is None:
            does = "holds" if self.holds else "does not hold"
            error = text.short(self.reached, 4)
            yield f"The plan {does}: {name} knows the mean within ± {error}{spite}{sure}."
            return
        first = VERDICTS[self.solved](self)
        if self.solved == "within":
            yield f"{first} of the mean that {name} tells{spite}{sure}."
            return
        spite = "" if self.solved == "share" else spite
        yield f"{first} for {name} to tell the mean within ± {x}{spite}{sure}."

    def quantities(self) -> Iterator[Row]:
        for kind, each in self.protocols.items():
            mark = "● " if kind == self.protocol else "  "
            name = f"{mark}{(self.solved or 'within')}, {kind.upper()}"
            shown = text.MISSING if each is None else solved_text(self.solved, each)
            yield Row(name, shown, "", "plan")
        yield from given_rows(self, MEAN_WORDS)
        yield Row("largest report C", self.reach, "what one report can say, in [−1, 1]", "plan")
        yield Row("worst variance V", self.variance, "of what a report says", "plan")
        yield Row("noise", self.noise, "z √(V / (n + m)), z = Φ⁻¹(1 − α/2)", "plan")
        yield Row("attack floor", self.attack_floor, "β (C + 1)", "plan")
        yield Row("error at most", self.reached, "β (C + 1) + z √(V / (n + m))", "plan")
        yield Row("undetectable floor", self.undetectable_floor, "2 β e^ε / (e^ε − 1)", "plan")
        yield Row("verified floor", self.verified_floor, "2 β", "plan")
        yield Row("share for x", min(1.0, self.share_for_within), "x / (C + 1)", "plan")

    @property
    def notes(self) -> Iterator[str]:
        if self.solved is None:
            yield f"the plan {'holds' if self.holds else 'does not hold'}"
        yield "one round, whatever the honest mean is, and whatever the fakes report"
        yield "fakes who all say −C move a mean of 1 most, and those who say C a mean of −1"
        yield "numbers are those of the range, but C and V, which are of [−1, 1]"

    def figures(self) -> Iterator[Figure]:
        from .mean_planning import mean_over_budgets, mean_over_users
        from .sheet import curves

        yield curves(mean_over_users(self), "± x", "n")
        yield curves(mean_over_budgets(self), "± x", "ε")
