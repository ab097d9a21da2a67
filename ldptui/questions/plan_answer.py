"""The answer of a plan: for an item, and for the mean of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from ..text import format as text
from ..text.interval import share_words
from .question_answer import Quantity, QuantityRow, QuestionAnswer, hidden, omit_field

LOCALLY: Final = "local"
"""The trust model of users who trust nobody."""
WORDS: Final = {
    "users": ("genuine users n", "It takes {} genuine users"),
    "epsilon": ("budget ε", "It takes ε = {}"),
    "share": ("share of fakes β", "At most {} of all users may be fake"),
    "frequency": ("frequency f", ""),
    "power": ("power", ""),
    "within": ("error at most, ± x", "The smallest error is ± {}"),
}
"""Each quantity in words, and how the answer begins where it is solved for."""
MEASURED: Final = {
    "power": "simulated power",
    "item": "item's estimate",
    "target": "target's estimate",
    "alarms": "alarms, no attack",
}


def _format_quantity(name: str, value: float) -> str:
    """A quantity in the digits of a comparison; users are whole."""
    return text.count(math.ceil(value)) if name == "users" else text.short(value, 4)


@dataclass(frozen=True, kw_only=True)
class PlannedAnswer(QuestionAnswer):
    """The base of the plans for an item and for a mean.

    solved : the quantity that was left out; None if all are given, and the plan is judged.
    assumed : the quantities that have their default.
    protocols : the solved quantity with each protocol, None if it has no solution.
    refusals : the reasons.
    """

    protocol: str
    solved: str | None
    alpha: float
    users: float
    epsilon: float
    share: float
    protocols: Mapping[str, float | None]
    refusals: Mapping[str, str]
    assumed: Sequence[str] = hidden(())

    @property
    def _collection(self) -> str:
        return self.protocol.upper()

    @property
    def _does(self) -> str:
        return "holds" if getattr(self, "holds", False) else "does not hold"

    @property
    def _spite(self) -> str:
        fakes = self.share and self.solved != "share"
        return f" in spite of {text.percent(self.share)} fakes" if fakes else ""

    def _begin_sentence(self) -> str:
        assert self.solved is not None
        value = getattr(self, self.solved)
        shown = (
            text.percent(value) if self.solved == "share" else _format_quantity(self.solved, value)
        )
        return WORDS[self.solved][1].format(shown)

    def quantities(self) -> Iterator[QuantityRow]:
        """Yields the rows of the table: each protocol, the best first, then given and derived
        values.
        """
        name = self.solved or ("power" if hasattr(self, "power") else "within")
        sign = -1 if name in ("share", "power") else 1
        best = None
        for kind, value in sorted(
            self.protocols.items(), key=lambda each: (each[1] is None, sign * (each[1] or 0))
        ):
            if value is None:
                continue
            label = f"{'● ' if kind == self.protocol else '  '}{kind.upper()}: {name}"
            best = best or value
            times = f"× {text.short(value / best, 3)}" if best else ""
            yield QuantityRow(label, _format_quantity(name, value), times, "plan")
        for each, (words, _) in WORDS.items():
            if (number := getattr(self, each, None)) is not None:
                shown = _format_quantity(each, number) if each == "users" else text.short(number)
                how = "assumed" if each in self.assumed else "as given"
                yield QuantityRow(words, shown, "solved for" if each == self.solved else how)
        yield from super().quantities()

    @property
    def notes(self) -> Iterator[str]:
        if self.refusals:
            (kind, why), names = next(iter(self.refusals.items())), map(str.upper, self.refusals)
            why = why.split(",")[0].replace("must be ", "")
            yield f"no answer by {', '.join(names)}; {kind.upper()}: {why}"


def _line(name: str, formula: str = "", source: str = "plan") -> Quantity:
    return Quantity(name, formula, source)


@dataclass(frozen=True, kw_only=True)
class PlanAnswer(PlannedAnswer):
    """The answer of `plan` for finding an item of small frequency.

    power_reached, holds, users_needed : the values of a plan that is judged.
    lowered : the frequency that fakes take from an item by leaving it out.
    check : the simulated values; None without a check.
    noise : the standard deviation of the noise that servers add to a count once.
    """

    frequency: float
    power: float
    items: int
    targets: int
    trust: str
    lowered: float
    reports: float
    power_lowered: float
    holds: bool | None = omit_field()
    check: Mapping[str, float] | None = omit_field()
    power_reached: Annotated[float | None, _line("power reached", "of the frequency f")] = (
        omit_field()
    )
    users_needed: Annotated[int | None, _line("users needed", "n of this power")] = omit_field()
    local_epsilon: Annotated[
        float | None, Quantity("ε₀ of a report", "the largest that n users hide", "BBGN")
    ] = omit_field()
    variance: Annotated[float | None, Quantity("noise, Var*", "q(1 − q)/(p − q)²", "W17 th. 2")] = (
        omit_field()
    )
    noise: Annotated[
        float | None, Quantity("noise of a count", "standard deviation; added once", "CGB")
    ] = omit_field()
    gain_factor: Annotated[float, _line("gain factor a", "(s − q)/(p − q)")]
    quantile: Annotated[float, _line("quantile z", "of the noise, at 1 − α/d")]
    noise_threshold: Annotated[float, _line("noise threshold", "zσ₀")]
    false_alarms: Annotated[
        float | None, _line("alarms by noise", "1 − Pr[Bin(n, q) ≤ n(q + t(p−q))]^d")
    ] = omit_field()
    f_min: Annotated[float, _line("f_min, no attack", "zσ₀ + z_b sd(f)")]
    attack_floor: Annotated[float, _line("attack floor", "β a")]
    robust_f_min: Annotated[float, _line("robust f_min", "(βa + zσ₀ + z_b sd)/(1−β)")]
    floor_and_f_min: Annotated[float, _line("  the simpler sum", "βa + f_min")]
    saturation_users: Annotated[float | None, _line("saturation n*", "n + m with zσ₀ = βa")]
    undetectable_floor: Annotated[float, _line("undetectable floor", "β e^ε / (e^ε − 1)")]
    verified_floor: Annotated[float, _line("verified floor", "β")]

    @property
    def _collection(self) -> str:
        """The way to collect, in a word or two: "OUE", "shuffled OUE", "curator"."""
        if self.trust == LOCALLY:
            return self.protocol.upper()
        return self.trust if self.noise is not None else f"{self.trust} {self.protocol.upper()}"

    @property
    def title(self) -> str:
        solved = "all is given"
        if self.solved is not None:
            solved = f"{WORDS[self.solved][0]} is solved for"
        return (
            f"A plan: {self._collection}, d = {text.count(self.items)}, "
            f"α = {text.short(self.alpha)}; {solved}"
        )

    @property
    def sentences(self) -> Iterator[str]:
        if self.solved is None:
            reached, needed = text.short(self.power_reached, 4), text.count(self.users_needed)
            yield f"The plan {self._does}: its power is {reached}; {needed} users are enough."
            return
        frequency, power = text.short(self.frequency, 4), text.short(self.power, 4)
        how, finds = self._collection, f"an item of frequency {frequency}{self._spite}"
        if self.solved == "frequency":
            yield (
                f"The smallest frequency that {how} finds{self._spite}, with probability {power}, "
                f"is {frequency}."
            )
        elif self.solved == "power":
            yield f"{how} finds {finds} with probability {power}."
        else:
            yield f"{self._begin_sentence()} for {how} to find {finds}, with probability {power}."

    def quantities(self) -> Iterator[QuantityRow]:
        yield from super().quantities()
        for name, words in MEASURED.items() if self.check is not None else ():
            assert self.check is not None
            measured = text.estimate(self.check[name], self.check[f"{name}_standard_error"])
            yield QuantityRow(
                words, measured, f"planned {text.short(self.check[f'{name}_planned'])}"
            )

    @property
    def notes(self) -> Iterator[str]:
        yield from super().notes
        if self.power - self.power_lowered > 0.01:
            yield (
                "fakes whose reports leave genuine items out lower these by "
                f"β·{text.short(self.lowered, 3)}: the power against them is "
                f"{text.short(self.power_lowered, 3)}"
            )
        if self.saturation_users is not None and self.reports > self.saturation_users:
            yield "there are more users than n*: the attack is the limit, not the noise"
        if (check := self.check) is not None:
            yield from share_words([check["power"], check["alarms"]], int(check["trials"]))
        yield "one round, exchangeable reports, a server without a prior"
        yield (
            "whatever is proved, each fake lifts one item as a user does"
            if self.noise is not None
            else "any protocol has at least the undetectable floor, a verified one the last"
        )
        yield (
            "σ₀ = √(Var*/(n + m)), or σ/(n + m) of a count's noise σ; z_b = Φ⁻¹(power), "
            "sd(f) = √((Var* + (1 − β) f (1 − p − q)/(p − q))/(n + m))"
        )


@dataclass(frozen=True, kw_only=True)
class MeanPlanAnswer(PlannedAnswer):
    """The answer of `plan` for a mean of numbers; holds : whether the error is at most `within`."""

    within: float
    low: float
    high: float
    holds: bool
    reach: Annotated[float, _line("largest report C", "what one report can say, in [−1, 1]")]
    variance: Annotated[float, _line("worst variance V", "of what a report says")]
    noise: Annotated[float, _line("noise", "z √(V / (n + m)), z = Φ⁻¹(1 − α/2)")]
    attack_floor: Annotated[float, _line("attack floor", "β (C + 1)")]
    reached: Annotated[float, _line("error at most", "β (C + 1) + z √(V / (n + m))")]
    undetectable_floor: Annotated[float, _line("undetectable floor", "2 β e^ε / (e^ε − 1)")]
    verified_floor: Annotated[float, _line("verified floor", "2 β")]
    share_for_within: Annotated[float, _line("share for x", "x / (C + 1)")]

    @property
    def title(self) -> str:
        span = f"[{text.short(self.low)}, {text.short(self.high)}]"
        alpha = text.short(self.alpha)
        return f"A plan for a mean: {self._collection}, numbers in {span}, α = {alpha}"

    @property
    def sentences(self) -> Iterator[str]:
        sure = f"{self._spite}, with probability {text.short(1 - self.alpha, 3)}."
        if self.solved is None:
            error = text.short(self.reached, 4)
            yield f"The plan {self._does}: {self._collection} knows the mean within ± {error}{sure}"
        elif self.solved == "within":
            yield f"{self._begin_sentence()} of the mean that {self._collection} tells{sure}"
        else:
            aim = f"for {self._collection} to tell the mean within ± {text.short(self.within, 4)}"
            yield f"{self._begin_sentence()} {aim}{sure}"

    @property
    def notes(self) -> Iterator[str]:
        yield from super().notes
        yield "one round, whatever the honest mean is, and whatever the fakes report"
        yield "numbers are those of the range, but C and V, which are of [−1, 1]"
