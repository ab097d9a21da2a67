"""the protocol that bears an attack best, of every p, g and w"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import EPSILON, SHARE, USERS

from ..text import format as text
from ..text.interval import mean_words
from .choices import local
from .draft_values import dials, kind_of_draft
from .options import AllowedWords, Argument, Blank
from .parameters import BEST, SEEDS, Items, Targets, Trials, pairs, users_of
from .question import Steps, question
from .question_answer import QuantityRow, QuestionAnswer

if TYPE_CHECKING:
    from ldptui.core.lab.designer import Demand, RatedProtocol

    from .sheet import Figure

MEASURED: Final = {
    "noise": "simulated, no attack",
    "gain": "simulated gain",
    "worst": "simulated worst",
}
POINTS: Final = 65
"""Points of the curve."""


def _name(each: RatedProtocol) -> str:
    """A protocol by its kind and its dial: UE p = 0.96."""
    from ldptui.core.protocols import DIALS

    from ..catalogue import key_words

    kind = str(each.protocol["kind"])
    key = DIALS[kind].name if kind in DIALS else ""
    value = each.protocol.get(key)
    if not isinstance(value, int | float):
        return kind.upper()
    return f"{kind.upper()} {key_words(f'protocol.{key}').short} = {text.short(value, 6)}"


@dataclass(frozen=True)
class DesignAnswer(QuestionAnswer):
    """The answer of `design`: the best protocol, the one to compare with, and the best of each
    kind.

    check : the simulated errors and gains; None without a check.
    """

    items: int
    epsilon: float
    users: float
    share: float
    targets: int
    found: RatedProtocol
    beside: RatedProtocol
    kinds: Mapping[str, RatedProtocol]
    check: Mapping[str, float] | None

    @property
    def title(self) -> str:
        fakes = f"β = {text.chosen_value(self.share)}, r = {self.targets}"
        return (
            f"A design: d = {text.count(self.items)}, ε = {text.short(self.epsilon)}, "
            f"n = {text.count(round(self.users))}, {fakes}"
        )

    @property
    def sentences(self) -> Iterator[str]:
        name, other = _name(self.found), _name(self.beside)
        first = f"{name} has the least worst-case error"
        if name == other:
            yield f"{name} itself has the least worst-case error."
        elif (more := self.beside.worst / self.found.worst - 1) < 5e-4:
            yield f"{first}: {other} is as good."
        else:
            yield f"{first}: that of {other} is {text.percent(more)} larger."

    def quantities(self) -> Iterator[QuantityRow]:
        found, items = self.found, text.plural(self.targets, "target")
        yield QuantityRow("protocol", _name(found), "of all dials")
        yield QuantityRow("p", found.p, "of the own item", "W17")
        yield QuantityRow("q", found.q, "of any other one", "W17")
        yield QuantityRow("gain factor a", found.gain_factor, "(1 − q)/(p − q)", "design")
        yield QuantityRow("noise, Var*", found.variance, "q(1 − q)/(p − q)²", "W17 th. 2")
        yield QuantityRow("error, no attack", found.noise, "√(Var*/n)", "W17 th. 2")
        yield QuantityRow(f"gain of {items}", found.gain, "r β (s − q)/(p − q)", "design")
        yield QuantityRow("worst-case error", found.worst, "√(β²a² + (1−β)²Var*/n)", "design")
        yield QuantityRow("bits of a report", found.bits, "log₂ of all reports")
        for each in (*self.kinds.values(), self.beside):
            what = f"√MSE {text.short(each.noise, 3)}, G {text.short(each.gain, 3)}"
            yield QuantityRow(_name(each), each.worst, what, "design")
        for name, quantity in MEASURED.items() if self.check is not None else ():
            assert self.check is not None
            measured = text.estimate(self.check[name], self.check[f"{name}_standard_error"])
            yield QuantityRow(
                quantity, measured, f"planned {text.short(self.check[f'{name}_planned'])}"
            )

    @property
    def notes(self) -> Iterator[str]:
        from ldptui.core.bounds.hardening import least_gain_factor

        yield "chosen so that an item nobody holds, aimed at by all fakes, is off by the least"
        if self.targets > 1:
            yield "the gain of local hashing is that of the best of 1000 seeds for each fake"
        if self.check is not None:
            yield mean_words([int(self.check["trials"])])
        least = text.short(least_gain_factor(self.epsilon), 4)
        yield f"no pure protocol of this ε has a gain factor below {least}"
        yield "a dense report makes honest items go together: filters of itemsets see less"

    @property
    def edits(self) -> Sequence[tuple[str, Any]]:
        return [(f"protocol.{key}", value) for key, value in self.found.protocol.items()]

    def figures(self) -> Iterator[Figure]:
        """Yields the chart of noise over gain factor: all UE and LH, named protocols, the best one.

        Its cursor goes through the protocols: each beside the noise of a UE or LH with its a.
        """
        import numpy as np

        from ldptui.core.bounds import hardening
        from ldptui.core.lab.designer import Demand

        from ..charts.series import TONES, Axis, Plot, Series
        from .sheet import figure

        demand = Demand(self.items, self.epsilon, self.users, self.share, self.targets)
        marks, least = [*_named_protocols(demand)], hardening.least_gain_factor(self.epsilon)
        rivals = (*self.kinds.values(), *marks, self.beside)
        most = max(each.gain_factor for each in rivals)

        def noise_at(factors: Any) -> Any:
            return np.sqrt(hardening.curve_variance(factors, self.epsilon) / self.users)

        # From where the noise is ten times the least to the last mark.
        factors = least * (1 + np.geomspace(2e-3, max(2.0, most / least - 1), POINTS))
        kinds = [str(each.protocol["kind"]).upper() for each in (*marks, self.beside, self.found)]
        labels = [*kinds[:-2], f"now: {kinds[-2]}", f"found: {kinds[-1]}"]
        tones = [*TONES[: len(marks)], "attacked", "target"]
        shown = (*marks, self.beside, self.found)
        points = [
            Series(label, (each.gain_factor,), (each.noise,), tone, "points")
            for label, each, tone in zip(labels, shown, tones, strict=False)
        ]
        plot = Plot(
            "Noise over what one fake can lift",
            Axis("gain factor a", log=True),
            Axis("error without an attack", log=True),
            (Series("every UE and LH", factors, noise_at(factors), "theory"), *points),
            note=f"ε = {text.short(self.epsilon, 3)}: a ≥ {text.short(least, 4)}",
        )
        rows = [
            (
                name, each.gain_factor, each.noise,
                float(noise_at(each.gain_factor)) if each.gain_factor > least * 1.000001 else None,
                each.bits,
            )
            for name, each in sorted(
                {_name(each): each for each in shown}.items(), key=lambda one: one[1].gain_factor
            )
        ]  # fmt: skip
        yield figure(plot, ("protocol", "a", "error", "UE, LH of this a", "bits"), rows)


def _named_protocols(demand: Demand) -> Iterable[RatedProtocol]:
    """Protocols by name: those of a chart, and those that a dial makes as well."""
    from ldptui.core.lab.designer import rate_protocol
    from ldptui.core.protocols import DIALS, KINDS

    from .mechanisms import DRAWN, LOCAL

    dialled = {KINDS[kind].mechanism for kind in DIALS}
    for kind in LOCAL:
        if kind not in DIALS and (kind in DRAWN or KINDS[kind].mechanism in dialled):
            try:
                yield rate_protocol({"kind": kind, "epsilon": demand.epsilon}, demand)
            except ScenarioError:
                continue  # of some ε there is none


def _list_wanted() -> Sequence[str]:
    return (BEST, *dials())


DesignAmong: TypeAlias = Annotated[
    str, "KIND", AllowedWords(_list_wanted), Blank(BEST, choices=pairs(_list_wanted), bare=True)
]
DesignBeside: TypeAlias = Annotated[
    Any,
    "KIND",
    Argument(role="protocol"),
    AllowedWords(local),
    Blank("oue", kind_of_draft, pairs(local)),
]


@question(
    "Design",
    "Which protocol bears the attack?",
    group="Design",
    live=True,
    offer="enter, where no text is typed, puts it into the scenario.",
)
def design(
    *,
    items: Items,
    users: Annotated[int, USERS, "N", Blank(1_000_000, users_of, steps="1-2-5")],
    epsilon: Annotated[float, EPSILON, "E", Blank(1.0, "protocol.epsilon")],
    among: DesignAmong = BEST,
    beside: DesignBeside = "oue",
    share: Annotated[float, SHARE, "B", Blank(0.01, "attack.share", steps="hundredths")] = 0.01,
    targets: Annotated[Targets, "R"] = 1,
    check: bool = False,
    trials: Annotated[Trials, "N"] = 1000,
    seed: Annotated[int, SEEDS, "N"] = 0,
) -> Steps[DesignAnswer]:
    """Find the unary encoding, local hashing or subset selection with the least worst-case
    error in spite of a share of fakes; print the hardening curve, and the error beside that
    of a protocol of yours.

    Parameters
    ----------
    items : domain size d
    users : genuine users n
    epsilon : privacy budget ε, in nats
    among : ue, lh or ss alone; or best of all
    beside : the pure protocol to compare it with
    share : share β of fake users
    targets : items that fakes lift together
    check : simulate the protocol that is found
    trials : trials of the check
    seed : the seed of the check

    Examples
    --------
    ldptui design --items 128 --users 1000000 --epsilon 1 --share 0.01 --check
    """
    import numpy as np

    from ldptui.core.bounds.rehearsal import rehearse_design
    from ldptui.core.lab.designer import Demand, design_protocols, rate_protocol
    from ldptui.core.protocols import DIALS

    yield f"designing for {text.count(items)} items"
    demand = Demand(items, epsilon, users, share, targets)
    best = design_protocols(demand, tuple(DIALS) if among == BEST else (among,))
    named = beside if isinstance(beside, Mapping) else {"kind": beside}
    other = rate_protocol({**named, "epsilon": epsilon}, demand)
    seen = None
    if check:
        seen = rehearse_design(
            best[0].mechanism, round(users), share, targets, vars(best[0]), trials,
            np.random.default_rng(seed),
        )  # fmt: skip
    return DesignAnswer(
        **vars(demand), found=best[0], beside=other,
        kinds={str(each.protocol["kind"]): each for each in best}, check=seen,
    )  # fmt: skip
