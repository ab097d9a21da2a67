"""The attack on a protocol whose reports support items: what its fakes support, what that gains.

The gain is one formula for all, G = β[(S − r q)/(p − q) − f_T]. S follows from the law of the
fakes' reports; the family has the formula of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from ldptui.core import theory
from ldptui.core.attacks import ATTACKS, malicious_users
from ldptui.core.base.code import title_of
from ldptui.core.cell import Cell
from ldptui.core.law.pure import SeedSearch
from ldptui.core.law.pure import Supporting as Supports
from ldptui.core.law.support import ItemSupport, Support

from ..text.format import short
from .formula import CJG, Crowd, Formula, Numbers, Plain, listed, told
from .formula_inputs import Setting
from .gain_line_formulas import bounds, listed_bounds, verified

SUPPORTED: Final = "Targets that one fake report supports, on average"
"""The title of the formula of S."""


@dataclass(frozen=True)
class Supported:
    """S, the number of targets that one fake report supports, in a family's own terms.

    number, gain : of the equations of its indicator and of its gain in the project's list; 22 is
    the gain of all. put : the right side with its numbers, where these are not those of the text.
    brief : the right side where a table has less room.
    """

    text: str
    number: int | None = None
    gain: int = 22
    put: str = ""
    brief: str = ""


Laws: TypeAlias = Mapping[str, Supported]
"""S in a family's words, by the law of the fakes' reports."""

HONEST: Final = Supported("S = p + {(r − 1)} q")
"""S of an honest report of a target, the same for every family."""

OTHERWISE: Final = Supported("S", put="by the attack's own law")
"""S of a law that a family has no words for."""

OF_PARTS: Final = Supported("S = Σᵢ mᵢ Sᵢ / m, over the parts", put="over the parts")
"""S of a mixture of attacks."""

FEW: Final = 1e-4
"""A class of fewer fakes is not named."""

COMPARED: Final[Mapping[str, Callable[[Supports, int, SeedSearch], Support]]] = {
    "random": lambda protocol, r, _: protocol.find_support("random", r),
    "honest": lambda protocol, r, _: protocol.find_support("honest", r),
    "crafted": lambda protocol, r, search: protocol.find_support("crafted", r, search),
}
"""The support of one fake in the three attacks of Cao, Jia, Gong, 2021, section 3.2, by law."""

FAKES: Final = Formula("Fake users", "m = round(n β / (1 − β))", CJG)

SHARE: Final = Formula("Their share, after rounding", "β = m / (n + m)", CJG)

GAIN: Final = (
    Formula("The constant c: what would be there without the attack",
            "c = m (f_T {(p − q)} + r q) / ((n + m){(p − q)})", CJG, 22),
    Formula("Gain: how much the targets' total rises",
            "G = β [ ({S:8} − r {q:8}) / {(p − q)} − f_T ] = β S / (p − q) − c", CJG),
)  # fmt: skip

NORMALISED: Final = Formula("Normalised gain: times the true total", "(G + f_T) / f_T", CJG)

ADDED: Final = Formula(
    "Gain: the common formula with p = 1, q = 0", "G = {β:5} ({S:5} − {f_T:5})", CJG
)

FORETOLD: Final = Formula(
    "Gain: how much the targets' total rises, above what it is estimated as before",
    "G = β [ (S − r q) / (p − q) − E Σ_T f~ₜ ]", CJG,
    put="{β} · [ ({S:8} − {r} · {q:8}) / {(p − q)} − {before} ]",
)  # fmt: skip
"""The gain against a mechanism whose estimates have closed forms of their own."""

DEVIATION: Final = Formula(
    "Standard deviation of the gain of one run",
    "σ_G = √[ β² Var[Σ_T f~] + m Var(S) / ((n + m){(p − q)})² ]", CJG,
)  # fmt: skip

ATTACKED: Final = Formula(
    "Expected mean squared error under attack",
    "MSE = (1/d) Σᵥ (biasᵥ² + Varᵥ),  biasᵥ = β [ (sᵥ − q) / (p − q) − fᵥ ]", f"{CJG}, exact",
    put="{bias} of squared bias + {spread} of variance",
)  # fmt: skip

SAFER: Final = Formula(
    "Which protocol gains less from MGA",
    "d > (2r − 1)(e^ε − 1) + 3r ⇒ OUE and OLH are safer than GRR", f"{CJG}, theorem 2",
    put="d = {d}, threshold {2r − 1} · {e^ε − 1} + {3r} = {(2r − 1)(e^ε − 1) + 3r}",
)  # fmt: skip


def kind_of(law: str) -> str:
    """The first kind of attack whose reports have this law."""
    return next(kind for kind, spec in ATTACKS.items() if getattr(spec, "report_law", "") == law)


def gain_keys() -> tuple[str, ...]:
    """The fields of the gains and of their deviations, in the order of the table."""
    kinds = [kind_of(law) for law in COMPARED]
    return (*(f"gain.{kind}" for kind in kinds), *(f"gain_std.{kind}" for kind in kinds))


def attacked(
    setting: Setting, known: Numbers, laws: Laws, crafting: Sequence[Formula] = ()
) -> Iterator[Formula]:
    """The gain of the cell's attack; without a cell that of the three that are compared.

    crafting : the formulas of crafted reports besides S.
    """
    if setting.cell is not None:
        return _of_cell(setting.cell, known, laws, crafting)
    return compared(setting, lambda law: f"G with S = {_in_words(laws, law)}")


def _in_words(laws: Laws, law: str) -> str:
    words = words_of(laws, law)
    return words.brief or Formula("", words.text).brief


def words_of(laws: Laws, law: str) -> Supported:
    """S in the family's words, "" for every other law; those of some are the same for all."""
    laws = {"honest": HONEST, "mixture": OF_PARTS, "": OTHERWISE, **laws}
    return laws.get(law, laws[""])


def compared(setting: Setting, formula: Callable[[str], str]) -> Iterator[Formula]:
    """The gains of three attacks and their deviations, as far as the numbers are given.

    formula : the right side for a law.
    """
    protocol, r, share, held = setting.protocol, setting.r, setting.share, setting.held
    if r is None or share is None or held is None:
        return
    for law, support_of in COMPARED.items():
        kind, support = kind_of(law), support_of(protocol, r, setting.search)
        gain, deviation = f"gain.{kind}", f"gain_std.{kind}"
        known = {gain: theory.gain(protocol, support, r, share, held)}
        if setting.users is not None:
            fakes = malicious_users(setting.users, share)
            known[deviation] = theory.gain_std(protocol, support, r, setting.users, fakes, held)
        name = kind.upper()
        rows = (
            listed(gain, f"gain of {name}", formula(law), "CJG eq. 7"),
            listed(deviation, f"gain std of {name}", "σ of one run", "from CJG eq. 7"),
        )
        yield from told(rows, known)
    yield from listed_bounds(setting)


def _of_cell(
    cell: Cell, known: Numbers, laws: Laws, crafting: Sequence[Formula]
) -> Iterator[Formula]:
    attack = cell.attack
    law = theory.fake_support(cell) if attack is not None else None
    if attack is None or law is None:
        return
    part, kind = heading(cell), law_of(cell)
    known = {**known, **of_fakes(cell, law)}
    yield from _fakes(cell, attack.share, known, part)
    if kind == "crafted":
        yield from told(crafting, known, part)
    words = words_of(laws, kind)
    if kind == "hidden":
        words, known["δ_T"] = HIDDEN, _shift(cell)
    elif kind == "solved":
        words = Supported("S = Σⱼ j zⱼ, the most of a linear programme", put=_classes(cell))
    elif kind == "mixture":
        words = replace(OF_PARTS, put=_parts(cell))
    yield supported(words, known, part)
    constant, gain = GAIN
    known |= {"c": _constant(cell), "G": theory.cell_gain(cell, law)}
    yield from told((constant, replace(gain, number=words.gain)), known, part)
    if cell.target_frequency > 0:
        yield NORMALISED.at(known, part)
    yield deviation(cell, cell.pure, law, known, part, f"{CJG}, exact")
    yield from bounds(cell, part)
    yield _attacked_mse(cell, law, part)
    if kind == "crafted":
        safer = cell.pure.domain_size <= theory.safer_domain_size(cell.targets.size, known["ε"])
        yield replace(SAFER, said="GRR safer" if safer else "OUE, OLH safer").at(known, part)
    yield from verified(cell)


def heading(cell: Cell) -> str:
    """The heading of the formulas of a cell's attack."""
    assert cell.attack is not None  # or there would be none
    r = cell.targets.size
    return f"Attack: {title_of(cell.attack)}, r = {r} {'target' if r == 1 else 'targets'}"


def law_of(cell: Cell) -> str:
    """The law of the fakes' reports, "mixture" of several."""
    return getattr(cell.attack, "report_law", "mixture")


def of_fakes(cell: Cell, law: ItemSupport) -> dict[str, float]:
    """The numbers of the fakes of a cell, whose reports support items by this law."""
    return {
        "n": Crowd(cell.users),
        "m": Crowd(cell.malicious),
        "β": theory.sent_share(cell),
        "r": Plain(cell.targets.size),
        "f_T": cell.target_frequency,
        "S": float(law.rates[cell.targets].sum()),
        "Var(S)": law.variance,
    }


def supported(words: Supported, known: Numbers, part: str, title: str = SUPPORTED) -> Formula:
    """The formula of S."""
    return Formula(title, words.text, CJG, words.number, put=words.put).at(known, part)


def _constant(cell: Cell) -> float:
    """c: what would be there without the attack, in the share of the fakes."""
    r, p, q = cell.targets.size, cell.pure.p, cell.pure.q
    return float(cell.share * (cell.target_frequency + r * q / (p - q)))


HIDDEN: Final = Supported("S = r q + {(p − q)} δ_T / β,  δ = f′ − (1 − β) f")
"""S of fakes who hide: what their share of an honest population's items is for the targets."""


def _shift(cell: Cell) -> float:
    """δ_T of fakes who hide."""
    hiding: Any = cell.fakes[0].strategy
    return float(hiding.plan(cell.pure, cell.targets).shift[cell.targets].sum())


def _classes(cell: Cell) -> str:
    """The classes of reports that were solved for, those of most fakes first."""
    solving: Any = cell.fakes[0].strategy
    shares = solving.classes(cell.pure, cell.targets)
    return _sum(
        [f"{j} · {short(float(shares[j]))}" for j in (-shares).argsort() if shares[j] > FEW]
    )


def foretold(cell: Cell, known: Numbers, laws: Laws) -> Iterator[Formula]:
    """The gain against a mechanism whose estimates have closed forms of their own."""
    law = theory.fake_support(cell) if cell.attack is not None else None
    gained = theory.expected_metrics(cell)["gain"]
    if cell.attack is None or law is None or gained is None:
        return
    protocol: Any = cell.protocol
    part, known = heading(cell), {**known, **of_fakes(cell, law), "G": gained}
    yield from _fakes(cell, cell.attack.share, known, part)
    yield supported(words_of(laws, law_of(cell)), known, part)
    p, q = protocol.p, protocol.q
    alone = (known["S"] - known["r"] * q) / (p - q)
    before = alone - gained / cell.share if cell.share else 0.0
    known |= {"p": p, "q": q, "before": before}
    yield FORETOLD.at(known, part)
    yield deviation(cell, protocol, law, known, part, CJG)
    yield from bounds(cell, part)


def summed(
    cell: Cell, known: Numbers, laws: Laws, title: str, beside: str = "", gain: Formula = ADDED
) -> Iterator[Formula]:
    """The gain where what fakes send is added up, with p = 1 and q = 0.

    title : of S. beside : what the heading says of the fakes.
    """
    law = theory.fake_support(cell) if cell.attack is not None else None
    if cell.attack is None or law is None:
        return
    part, known = f"Attack: {title_of(cell.attack)}{beside}", {**known, **of_fakes(cell, law)}
    yield replace(SHARE, title="Share of fake users").at(known, part)
    yield supported(words_of(laws, law_of(cell)), known, part, title)
    gained = theory.expected_metrics(cell)["gain"]
    if gained is not None:
        yield gain.at({**known, "G": gained}, part)


def _fakes(cell: Cell, wanted: float, known: Numbers, part: str) -> Iterator[Formula]:
    """The number of fakes, and the share of genuine users who hold their targets."""
    yield FAKES.at({**known, "β": wanted}, part)
    yield SHARE.at(known, part)
    held = "What genuine users hold of the targets"
    yield Formula(held, "f_T = Σ_(t∈T) fₜ", CJG, put=_added_up(cell)).at(known, part)


def deviation(
    cell: Cell, protocol: Supports, law: ItemSupport, known: Numbers, part: str, source: str
) -> Formula:
    """The standard deviation of the gain of one run."""
    truth, n = cell.population.frequencies, cell.users
    clean = theory.target_sum_variance(protocol, cell.targets, truth, n) / n
    spread = theory.std_of_gain(protocol, clean * n, law.variance, n, cell.malicious)
    known = {**known, "Var[Σ_T f~]": clean, "σ_G": spread}
    return replace(DEVIATION, source=source).at(known, part)


def _attacked_mse(cell: Cell, law: ItemSupport, part: str) -> Formula:
    protocol, truth, beta = cell.pure, cell.population.frequencies, cell.share
    bias = beta * ((law.rates - protocol.q) / (protocol.p - protocol.q) - truth)
    squared = float((bias**2).mean())
    expected = theory.expected_mse(cell)
    assert expected is not None  # what the fakes support is known
    return ATTACKED.at({"MSE": expected, "bias": squared, "spread": expected - squared}, part)


def _parts(cell: Cell) -> str:
    """The share of each part of a mixture, times the targets that one of its fakes supports."""
    terms = []
    for part in cell.fakes:
        law = part.strategy.item_support(cell.pure, part.targets, cell.targets)
        assert law is not None  # or there would be no S to show
        weight = part.count / max(cell.malicious, 1)
        terms.append(f"{short(weight)} · {short(float(law.rates[cell.targets].sum()))}")
    return _sum(terms)


def _added_up(cell: Cell) -> str:
    """The first true frequencies of the targets, added up."""
    return _sum([short(float(f)) for f in cell.population.frequencies[cell.targets]])


def _sum(terms: list[str]) -> str:
    """At most five terms, the last one among them."""
    return " + ".join(terms if len(terms) <= 5 else [*terms[:4], "…", terms[-1]])
