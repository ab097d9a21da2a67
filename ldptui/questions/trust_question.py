"""whom users trust: privacy, error and poisoning of every trust model"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.ranges import EPSILON, SHARE, Range

from ..text import format as text
from .choices import alike, local
from .draft_values import targets_or_ten
from .options import Blank, Choices, HelpGroup
from .parameters import Items, Targets, users_of
from .question import Curves, Steps, question
from .question_answer import HIDDEN, Quantity, QuestionAnswer, Table

if TYPE_CHECKING:
    from ldptui.core.lab.trust_comparison import TrustCosts, TrustSetting

    from .sheet import Figure

ALL: Final = "all"
"""In place of a protocol: every way to collect, beside each other."""
ANY: Final = "any"
"""In place of a protocol: the worst one of its ε₀."""
SHUFFLED: Final = Range(2, 10**9)
WORDS: Final = {
    "local": ("nobody", "any"),
    "hidden": ("nobody", "unseen"),
    "verified": ("a proof", "1 item"),
    "shuffled": ("shuffler", "any"),
    "aggregated-sumvec": ("servers", "any set"),
    "aggregated-multihot": ("servers", "≤ {}"),
    "aggregated-histogram": ("servers", "1 item"),
    "curator": ("curator", "1 item"),
}
"""Whom the users of each trust model trust, and what a fake can make the server count."""


def _name_model(costs: TrustCosts) -> str:
    """A trust model in a word or two: "shuffled GRR", "servers sumvec"."""
    if costs.trust == "curator":
        return costs.trust
    if costs.trust.startswith("aggregated"):
        return f"servers {costs.protocol}"
    return f"{costs.trust} {costs.protocol.upper()}"


@dataclass(frozen=True)
class TrustComparisonAnswer(QuestionAnswer):
    """The answer of `trust`: trust models at one central budget and under one attack."""

    trust_models: Sequence[TrustCosts]
    setting: TrustSetting = dataclasses.field(metadata=HIDDEN)
    sources = ("BBGN", "CGB", "CJG", "trust")

    @property
    def title(self) -> str:
        at = self.setting
        return (
            f"Trust models compared: central ε = {text.short(at.epsilon)}, "
            f"δ = {text.short(at.delta)}, {text.count(at.users)} users, "
            f"{text.count(at.items)} items, {text.percent(at.share)} fakes"
        )

    @property
    def sentences(self) -> Iterator[str]:
        at = self.setting
        ranked = sorted(self.trust_models, key=lambda costs: costs.gain)
        worst = next(costs for costs in reversed(ranked) if costs.trust == "local")
        calm = next(costs for costs in ranked if costs.trust == "shuffled")
        yield (
            f"{text.percent(at.share)} fakes lift {at.targets} items by "
            f"{text.short(worst.gain, 3)} with local {worst.protocol.upper()}, by "
            f"{text.short(calm.gain, 3)} with shuffled {calm.protocol.upper()}."
        )
        sums = [costs for costs in self.trust_models if costs.trust.startswith("aggregated")]
        gains = ", ".join(f"{text.short(costs.gain, 3)} with {costs.protocol}" for costs in sums)
        yield f"Where servers add up in secret, the proof decides: {gains}."

    def table(self, is_brief: bool = False) -> Table:
        del is_brief
        rows = []
        for costs in self.trust_models:
            trusts, sends = WORDS[costs.trust]
            numbers = (
                text.short(costs.epsilon, 4),
                text.short(costs.sd, 3),
                text.short(costs.gain, 3),
            )
            gap = text.percent(costs.overturning_share)
            rows.append(
                (_name_model(costs), trusts, sends.format(self.setting.weight), *numbers, gap)
            )
        return ("trust model", "trusts", "a fake", "ε", "sd", "gain", "gap"), rows

    @property
    def notes(self) -> Iterator[str]:
        at = self.setting
        yield "a fake: the items that its report can be made to count for"
        yield (
            f"gain: what the fakes add to the {at.targets} rarest items together; gap: the share "
            f"of fakes that overturns a gap of {text.percent(at.gap)}"
        )
        yield "ε is that of one report where reports are local or shuffled, else the central one"
        if at.delta > 1 / at.users:
            yield f"δ is above 1/n = {text.short(1 / at.users, 3)}, a weak promise"

    def figures(self) -> Iterator[Figure]:
        """Yields the chart of the share of fakes that overturns a claim, by trust model.

        Each trust model is drawn with the protocol that has the least gain.
        """
        from ..charts.series import Bar, Bars
        from .sheet import figure

        best: dict[str, TrustCosts] = {}
        for costs in sorted(self.trust_models, key=lambda costs: costs.gain):
            best.setdefault(costs.trust, costs)
        shown = [costs for costs in self.trust_models if costs is best[costs.trust]]
        bars = tuple(Bar(_name_model(costs), 100 * costs.overturning_share) for costs in shown)
        chart = Bars(
            f"Fakes that overturn a gap of {text.short(self.setting.gap)}", bars,
            unit="% of all users", note="more is better", item="trust model", value="fakes",
        )  # fmt: skip
        rows = [
            ("", _name_model(costs), costs.overturning_share, costs.gain_one, costs.gain, costs.sd)
            for costs in shown
        ]
        gain = f"gain, r = {self.setting.targets}"
        yield figure(chart, ("", "trust model", "overturns", "gain, r = 1", gain, "sd"), rows)


@dataclass(frozen=True)
class ShuffledAnswer(QuestionAnswer):
    """The answer of `trust` for one shuffled protocol: bounds on the central ε.

    users : n.
    blending : the users whose reports hide others.
    closed_2021, closed_2023 : bounds of papers for any protocol; None if their conditions fail.
    variation : the bound from the variation ratio; None if unknown.
    solved : the quantity that was asked for.
    """

    protocol: str
    solved: str
    epsilon: Annotated[float, Quantity("ε₀ of a report", "what the server could learn alone")]
    users: int
    blending: Annotated[int, Quantity("users who blend in", "n(1 − silent)", "trust", 9)]
    delta: Annotated[float, Quantity("δ", "the chance that the promise fails")]
    central_epsilon: Annotated[
        float, Quantity("central ε, at most", "E[(X₁ + … + Xₙ)⁺] ≤ γnδ", "BBGN")
    ]
    at_least: Annotated[
        float, Quantity("central ε, at least", "two data sets, one statistic", "trust")
    ]
    closed_2021: Annotated[
        float | None,
        Quantity("any protocol, 2021", "ln(1 + (e−1)/(e+1) (8√(e ln(4/δ)/n) + 8e/n))", "FMT21"),
    ]
    closed_2023: Annotated[
        float | None,
        Quantity("any protocol, 2023", "ln(1 + (e−1)(4√(2 ln(4/δ)/((e+1)n)) + 4/n))", "FMT23"),
    ]
    variation: Annotated[
        float | None, Quantity("variation ratio", "not a bound at small n", "VR24")
    ]

    @property
    def title(self) -> str:
        name = "Any protocol" if self.protocol == ANY else self.protocol.upper()
        return f"{name}, shuffled among {text.count(self.users)} users"

    @property
    def sentences(self) -> Iterator[str]:
        yield (
            f"Shuffled among {text.count(self.users)} users, reports of ε₀ = "
            f"{text.short(self.epsilon, 4)} are worth ε = {text.short(self.central_epsilon, 4)} "
            "at most."
        )

    @property
    def notes(self) -> Iterator[str]:
        if self.delta > 1 / self.users:
            yield f"δ is above 1/n = {text.short(1 / self.users, 3)}, a weak promise"
        yield (
            "fakes hide nobody: n is the number of honest users; several collections, shuffled "
            "apart, add up in ldptui ledger, and of groups of different users the largest ε counts"
        )


def _list_trusted() -> Choices:
    return ((ALL, "all trust models"), (ANY, "any, shuffled"), *alike(*local()))


def _is_alone(form: Mapping[str, Any]) -> bool:
    """Return whether one shuffled protocol is asked about."""
    return form.get("protocol") != ALL


def _is_all(form: Mapping[str, Any]) -> bool:
    return form.get("protocol") == ALL


OF_ALL: Final = HelpGroup("all trust models")


@question(
    "Trust",
    "Whom do I trust?",
    group="Trust",
    curves=[
        Curves(
            "What shuffling makes of a report's ε₀",
            "epsilon",
            (0.1, 0.3, 1, 3, 8),
            {
                "closed bound, any": ("closed_2023", "theory"),
                "at most": ("central_epsilon", "attacked"),
                "at least": ("at_least", "clean"),
            },
            "ε₀ of a report",
            "central ε",
            without=("central",),
            held={"users": "users"},
            is_log_y=True,
            marked="here",
        )
    ],
)
def trust(
    *,
    protocol: Annotated[str, "KIND", Blank(ALL, choices=_list_trusted)] = ALL,
    central: Annotated[float | None, EPSILON, "E", Blank(1.0, steps="hundredths")] = None,
    epsilon: Annotated[float | None, EPSILON, "E", Blank(only=_is_alone)] = None,
    delta: Annotated[float, Range(0, 1, "()"), "D", Blank(steps="decades")] = 1e-8,
    users: Annotated[float | None, SHUFFLED, "N", Blank(1_000_000, users_of, steps="1-2-5")] = None,
    items: Items,
    silent: Annotated[float, SHARE, "X", Blank(0.0, steps="hundredths", only=_is_alone)] = 0.0,
    share: Annotated[
        float,
        SHARE,
        "B",
        OF_ALL,
        Blank(0.01, "attack.share", steps="hundredths", only=_is_all),
    ] = 0.01,
    targets: Annotated[Targets, "R", OF_ALL, Blank(10, targets_or_ten, only=_is_all)] = 10,
    gap: Annotated[
        float, Range(0, 1, "()"), "G", OF_ALL, Blank(0.03, steps="hundredths", only=_is_all)
    ] = 0.03,
    weight: Annotated[int, Range(2, 2**20), "W", OF_ALL, Blank(3, only=_is_all)] = 3,
    aggregators: Annotated[int, Range(1, 16), "K", OF_ALL] = 2,
    exponent: Annotated[float, Range(0, 20), "S", OF_ALL] = 1.0,
) -> Steps[TrustComparisonAnswer | ShuffledAnswer]:
    """Compare ways to collect at one central budget and under one attack: local reports, proved,
    shuffled, added up in secret by servers that check a proof, or told to a curator. With a
    protocol: what its reports of ε₀ are worth behind a shuffler, from both sides; one of the
    central ε, ε₀ and the users from the other two.

    Parameters
    ----------
    protocol : a local protocol behind a shuffler, or any; else all trust models
    central : central budget ε, in nats
    epsilon : budget ε₀ of one report, with a protocol
    delta : δ of the central budget
    users : honest users n, from 2 to 10^9
    items : domain size d
    silent : the share of users whose reports hide nobody, with a protocol
    share : share β of fake users
    targets : items r that the fakes lift together
    gap : a gap between two frequencies, to be overturned
    weight : items that a multihot proof admits
    aggregators : servers that add noise
    exponent : the exponent of the population, a Zipf law

    Examples
    --------
    ldptui trust --central 1 --users 1e6 --items 1024 --share 0.01 --targets 10
    ldptui trust --protocol oue --epsilon 4 --users 1e6 --items 1024
    """
    from .mechanisms import DRAWN, LOCAL

    if protocol != ALL:
        check_among(protocol, (ANY, *LOCAL), "protocol")
        yield f"accounting for {protocol} behind a shuffler"
        return _shuffle(protocol, items, central, epsilon, users, delta, silent)
    import numpy as np

    from ldptui.core.lab.trust_comparison import TrustSetting, compare_trust_models

    if epsilon is not None:
        rule = "must be left out without a protocol: each trust model has a budget of its own"
        raise ScenarioError(f"{rule}, {got(epsilon)}", key="epsilon")
    if central is None or users is None:
        raise ScenarioError("is required", key="users" if users is None else "central")
    if targets >= items:
        rule = f"must be {Range(1, items - 1)}, below the number of items"
        raise ScenarioError(f"{rule}, {got(targets)}", key="targets")
    if share <= 0:
        raise ScenarioError(f"must be above 0: somebody attacks, {got(share)}", key="share")
    law = np.arange(1, items + 1, dtype=np.float64) ** -exponent
    setting = TrustSetting(
        central, delta, _whole(users), items, share, targets, law / law.sum(), gap, weight,
        aggregators,
    )  # fmt: skip
    yield f"computing {len(WORDS)} trust models"
    return TrustComparisonAnswer(tuple(compare_trust_models(setting, DRAWN)), setting)


def _whole(users: float | None) -> int:
    if users is None or users % 1:
        raise ScenarioError(f"must be a whole number, {got(users)}", key="users")
    return int(users)


def _shuffle(
    kind: str,
    items: int,
    central: float | None,
    epsilon: float | None,
    users: float | None,
    delta: float,
    silent: float,
) -> ShuffledAnswer:
    """The one of the central ε, ε₀ and the users that is not given; raises ScenarioError."""
    from ldptui.core.bounds.shuffle import central as budgets
    from ldptui.core.law.blanket import why_unshuffled

    from .mechanisms import bound

    def bind(budget: float) -> Any:
        """The protocol of an ε₀; None for any."""
        if kind == ANY:
            return None
        protocol = bound(kind, items, budget)
        if (why := why_unshuffled(protocol)) is not None:
            raise ScenarioError(f"must not be {why}", key="protocol")
        return protocol

    given = {"central": central, "epsilon": epsilon, "users": users}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        rule = "must be given, and the third is computed"
        raise ScenarioError(f"two of central, epsilon and users {rule}, got {3 - len(missing)}")
    bind(epsilon or 1.0)  # which says why none is shuffled
    count = blending = 0
    if users is not None:
        count = _whole(users)
        blending = math.floor(count * (1 - silent))
        if blending < 1:
            rule = "must leave a user whose report hides others"
            raise ScenarioError(f"{rule}, {got(silent)}", key="silent")
    if epsilon is None:
        assert central is not None
        epsilon = budgets.local_for(bind, blending, delta, central)
    protocol = bind(epsilon)
    if users is None:
        assert central is not None
        blending = budgets.least_users(protocol, epsilon, delta, central)
        count = math.ceil(blending / (1 - silent))
    real: float = getattr(protocol, "epsilon", epsilon)
    most = budgets.central_at_most(protocol, real, blending, delta)
    return ShuffledAnswer(
        kind, missing[0], real, count, blending, delta, most,
        budgets.central_at_least(protocol, real, blending, delta, most),
        budgets.closed_2021(real, blending, delta),
        budgets.closed_2023(real, blending, delta),
        budgets.variation_epsilon(protocol, real, blending, delta),
    )  # fmt: skip
