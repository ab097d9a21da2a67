"""The attack on a protocol whose reports support items: what its fakes support, what that gains.

The gain is one formula for all, G = β[(S − r q)/(p − q) − f_T]. S follows from the law of the
fakes' reports; the family has the formula of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

from ldptui.core import theory
from ldptui.core.attacks import ATTACKS, malicious_users
from ldptui.core.base.code import title_of
from ldptui.core.bounds.undetectable import least_gain, unlisted_gain
from ldptui.core.cell import Cell
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.mechanism import LocalMechanism
from ldptui.core.law.support import ItemSupport

from ..catalogue import swept_kinds
from ..text.format import short
from .formula import Formula, KnownNumbers, list_formula
from .formula_inputs import FormulaSetting

SUPPORTED: Final = "Targets that one fake report supports, on average"
"""The title of the formula of S."""


@dataclass(frozen=True)
class TargetSupport:
    """The formula of S, the number of targets that one fake report supports, in a family of
    protocols.

    number, gain : the numbers of its equation and of the equation of its gain in the list of
        equations; 22 is the gain of every attack.
    put : the right side with numbers, if it differs from the text with its symbols replaced.
    """

    text: str
    number: int | None = None
    gain: int = 22
    put: str = ""


Laws: TypeAlias = Mapping[str, TargetSupport]
"""S in a family's words, by the law of the fakes' reports."""

ONE: Final = TargetSupport("S = 1: the report is a target")
HONEST: Final = TargetSupport("S = p + {(r − 1)} q")
"""S of an honest report of a target."""

FOR_ALL: Final[Laws] = {
    "honest": HONEST,
    "unperturbed": ONE,
    "avoided": TargetSupport("S = 0: no target is supported"),
    "mixture": TargetSupport("S = Σᵢ mᵢ Sᵢ / m, over the parts", put="{S:5}"),
    "hidden": TargetSupport("S = r q + {(p − q)} δ_T / β,  δ = f′ − (1 − β) f", put="{S:5}"),
    "solved": TargetSupport("S = Σⱼ j zⱼ, the most of a linear programme", put="{S:5}"),
    "": TargetSupport("S", put="by the attack's own law"),
}
"""S in the words of all families that have none of their own; "" for every other law."""

COMPARED: Final = ("random", "honest", "crafted")
"""The laws of the three attacks of Cao, Jia, Gong, 2021, section 3.2."""

FAKES: Final = Formula("Fake users", "m = round(n β / (1 − β))", "CJG")
BESIDE: Final = (
    Formula("Their share, after rounding", "β = m / (n + m)", "CJG"),
    Formula("What genuine users hold of the targets", "f_T = Σ_(t∈T) fₜ", "CJG",
            put="Σ over {r} targets"),
)  # fmt: skip

GAIN: Final = (
    Formula("The constant c: what would be there without the attack",
            "c = m (f_T {(p − q)} + r q) / ((n + m){(p − q)})", "CJG", number=22),
    Formula("Gain: how much the targets' total rises",
            "G = β [ ({S:8} − r {q:8}) / {(p − q)} − f_T ] = β S / (p − q) − c", "CJG", number=22),
)  # fmt: skip

ADDED: Final = (
    Formula("Gain: the common formula with p = 1, q = 0", "G = {β:5} ({S:5} − {f_T:5})", "CJG"),
)
"""The gain where what fakes send is added up."""

FORETOLD: Final = (
    Formula("Gain: how much the targets' total rises, above what it is estimated as before",
            "G = β [ (S − r q) / (p − q) − E Σ_T f~ₜ ]", "CJG",
            put="{β} · [ ({S:8} − {r} · {q:8}) / {(p − q)} − {before} ]"),
)  # fmt: skip
"""The gain against a mechanism whose estimates have closed forms of their own."""

AFTER: Final = (
    Formula("Normalised gain: times the true total", "(G + f_T) / f_T", "CJG"),
    Formula("Standard deviation of the gain of one run",
            "σ_G = √[ β² Var[Σ_T f~] + m Var(S) / ((n + m){(p − q)})² ]", "CJG exact"),
)  # fmt: skip

ATTACKED: Final = Formula(
    "Expected mean squared error under attack",
    "MSE = (1/d) Σᵥ (biasᵥ² + Varᵥ),  biasᵥ = β [ (sᵥ − q) / (p − q) − fᵥ ]", "CJG exact",
    put="{bias} of squared bias + {spread} of variance",
)  # fmt: skip

SAFER: Final = Formula(
    "Which protocol gains less from MGA",
    "d > (2r − 1)(e^ε − 1) + 3r ⇒ OUE and OLH are safer than GRR", "CJG theorem 2",
    put="d = {d}, threshold {2r − 1} · {e^ε − 1} + {3r} = {(2r − 1)(e^ε − 1) + 3r}",
)  # fmt: skip


def kind_of(law: str) -> str:
    """The first attack whose fake reports have this distribution; first are those swept over."""
    kinds = (*swept_kinds("attack", ""), *ATTACKS)
    return next(kind for kind in kinds if getattr(ATTACKS[kind], "report_law", "") == law)


def list_attack_formulas(
    known: KnownNumbers,
    laws: Laws,
    crafting: Sequence[Formula] = (),
    gain: Sequence[Formula] = GAIN,
    title: str = SUPPORTED,
    beside: str = "",
) -> Iterator[Formula]:
    """Yields the formulas of the gain of the cell's attack; without a cell, of RPA, RIA and MGA.

    crafting : further formulas of crafted reports besides S.
    gain : the formulas of the gain.
    title : the title of S.
    beside : words about the fakes for the heading.
    """
    cell = known.setting.cell
    if cell is None:
        yield from compare_attacks(known.setting, laws)
        return
    law = theory.fake_support(cell) if cell.attack is not None else None
    if cell.attack is None or law is None:
        return
    r, kind = cell.targets.size, getattr(cell.attack, "report_law", "mixture")
    part = f"Attack: {title_of(cell.attack)}, r = {r} {'target' if r == 1 else 'targets'}{beside}"
    known |= {
        "n": cell.users, "m": cell.malicious, "β": theory.sent_share(cell), "r": r,
        "f_T": cell.target_frequency, "S": float(law.rates[cell.targets].sum()),
        "Var(S)": law.variance,
    }  # fmt: skip
    words = words_of(laws, kind)
    own = crafting if kind == "crafted" else ()
    supported = Formula(title, words.text, "CJG", number=words.number, put=words.put)
    yield FAKES.at({**known, "β": cell.attack.share}, part)
    yield from known.fill((*BESIDE, *own, supported), part)
    yield from known.fill(_gains(cell, law, known, gain, words.gain), part)
    if isinstance(cell.protocol, LocalMechanism):
        yield from bounds(cell, part)
    if gain is not GAIN:
        return
    yield _attacked_mse(cell, law, part)
    if kind == "crafted":
        safer = cell.pure.domain_size <= theory.safer_domain_size(r, known["ε"])
        yield replace(SAFER, said="GRR safer" if safer else "OUE, OLH safer").at(known, part)
    yield from list_verifier_formulas(cell)


def _gains(
    cell: Cell, law: ItemSupport, known: KnownNumbers, gain: Sequence[Formula], number: int
) -> Iterator[Formula]:
    """Yields the gain, and its standard deviation for a pure protocol."""
    gained, protocol = theory.expected_metrics(cell)["gain"], cell.protocol
    if gained is None:
        return
    known["G"] = gained
    if gain is ADDED or not isinstance(cell.protocol, LocalMechanism):
        yield from gain
        return
    p, q, n, truth = protocol.p, protocol.q, cell.users, cell.population.frequencies  # type: ignore[attr-defined]
    alone = (known["S"] - known["r"] * q) / (p - q)
    clean = theory.target_sum_variance(protocol, cell.targets, truth, n) / n  # type: ignore[arg-type]
    spread = theory.std_of_gain(protocol, clean * n, law.variance, n, cell.malicious)  # type: ignore[arg-type]
    known |= {"p": p, "q": q, "before": alone - gained / cell.share if cell.share else 0.0}
    known |= {"Var[Σ_T f~]": clean, "σ_G": spread}
    *before, last = gain
    yield from (*before, replace(last, number=number) if gain is GAIN else last)
    yield from AFTER


def words_of(laws: Laws, law: str) -> TargetSupport:
    """The formula of S for a distribution of reports; empty for other distributions."""
    if law in laws or ("" in laws and law != "mixture"):
        return laws.get(law, laws.get("", HONEST))
    return FOR_ALL.get(law, FOR_ALL[""])


def compare_attacks(setting: FormulaSetting, laws: Laws) -> Iterator[Formula]:
    """Yields the gains of RPA, RIA and MGA and their deviations, if r, β and f_T are given."""
    protocol, r, share, held = setting.protocol, setting.r, setting.share, setting.held
    if r is None or share is None or held is None:
        return
    known = KnownNumbers(setting)
    gains, deviations = [], []
    for law in COMPARED:
        kind, support = kind_of(law), protocol.find_support(law, r, setting.search)
        known[f"gain.{kind}"] = theory.gain(protocol, support, r, share, held)
        if setting.users is not None:
            fakes = malicious_users(setting.users, share)
            spread = theory.gain_std(protocol, support, r, setting.users, fakes, held)
            known[f"gain_std.{kind}"] = spread
        text = f"G with S = {Formula('S', words_of(laws, law).text).brief}"
        name = kind.upper()
        gains.append(list_formula(f"gain.{kind}", f"gain of {name}", text, "CJG eq. 7"))
        text = "σ of one run"
        deviations.append(
            list_formula(f"gain_std.{kind}", f"gain std of {name}", text, "CJG eq. 7")
        )
    yield from known.fill((*gains, *deviations))
    yield from listed_bounds(setting)


def _attacked_mse(cell: Cell, law: ItemSupport, part: str) -> Formula:
    protocol, truth, beta = cell.pure, cell.population.frequencies, cell.share
    bias = beta * ((law.rates - protocol.q) / (protocol.p - protocol.q) - truth)
    squared = float((bias**2).mean())
    expected = theory.expected_mse(cell)
    assert expected is not None  # what the fakes support is known
    return ATTACKED.at({"MSE": expected, "bias": squared, "spread": expected - squared}, part)


# The lines of a gain: what is left of it under ever more checks of the fakes (docs/theory.md).

_derived = partial(Formula, source="derived")

UNDETECTABLE: Final = _derived(
    "Gain that no defence can see", "{δ_T:8} − β f_T,  M δ ≥ 0,  δ ≥ −(1 − β) f"
)
LEAST: Final = _derived(
    "Gain that no defence can see, at least", "β (e^ε / (e^ε − 1) − f_T)",
    put="or all that other items hold",
)  # fmt: skip
VERIFIED: Final = _derived("Gain with a verified randomiser", "β (1 − f_T)")

SIFTED: Final = (
    _derived("Share of fakes among the reports that are sent",
         "β′ = E[M / (n + M)],  M ~ Bin(m, p)", put="n = {n}, m = {m}, p = {sent}"),
    _derived("Targets that one verified report supports, on average", "S = p + (r − 1) q",
         put="of the items that fakes choose, r = {r}"),
    _derived("Gain with the verified randomiser of the scenario",
         "G = β′ [ ({S:8} − r {q:8}) / {(p − q)} − f_T ]"),
)  # fmt: skip
"""What fakes gain in spite of it."""


def listed_bounds(setting: FormulaSetting) -> Iterator[Formula]:
    """Yields the bounds on the gain that hold for every population, if r, β and f_T are given."""
    protocol: Any = setting.protocol
    r, share, held = setting.r, setting.share, setting.held
    if r is None or share is None or held is None or not isinstance(protocol, LocalMechanism):
        return
    known = {"bound.verified": share * (1 - held)}
    if not isinstance(protocol, Exchangeable):
        known["bound.least"] = least_gain(setting.protocol.epsilon, share, held)
    elif protocol.report_size is None:  # else it depends on what each item holds
        known["bound.undetectable"] = unlisted_gain(protocol.p, protocol.q, share, held)
    supported = theory.mean_supports(protocol)
    if supported is not None:
        shift = theory.item_shift(setting.protocol, theory.alike(supported, r), share, held / r)
        known["bound.drop_out"] = r * shift
    for name, words, text in (
        ("least", "least hidden gain", "β(e^ε/(e^ε − 1) − f_T)"),
        ("undetectable", "undetectable gain", "β(p(1 − q)/(p − q) − f_T)"),
        ("drop_out", "drop-out gain", f"G with S = {_describe_support(protocol)}"),
        ("verified", "verified gain", "β(1 − f_T)"),
    ):
        if (key := f"bound.{name}") in known:
            yield list_formula(key, words, text, "derived").at(known)


def _describe_support(protocol: Any) -> str:
    """S of a report that supports one target with certainty, in words."""
    if not isinstance(protocol, Exchangeable):
        own, other = theory.mean_supports(protocol) or (0.0, 0.0)
        return short(own) + f" + (r − 1) {short(other)}" * (other > 0)
    return {None: "1 + (r − 1)q", 1: "1"}.get(protocol.report_size, "1 + (r−1)(w−1)/(d−1)")


def bounds(cell: Cell, part: str) -> Iterator[Formula]:
    """Yields the largest gains if reports, randomisers or inputs are checked."""
    protocol: Any = cell.protocol
    beta, held = cell.share, cell.target_frequency
    lines = theory.gain_lines(protocol, cell.population, cell.targets, beta, crafted=False)
    known = {"β": beta, "f_T": held}
    if "undetectable" in lines:
        gained = lines["undetectable"]
        known |= {"δ_T": gained + beta * held, "δ_T − β f_T": gained}
        yield UNDETECTABLE.at(known, part)
    else:
        known |= {LEAST.text: lines["least"]}
        yield LEAST.at(known, part)
    yield VERIFIED.at(known, part)


def list_verifier_formulas(cell: Cell) -> Iterator[Formula]:
    """Yields the formulas of the gain that remains under the scenario's verified randomiser."""
    verifier = next((step for step in cell.defences if step.trust), None)
    if verifier is None or cell.rounds:
        return
    asked, part = cell.sifted_cell, f"Defence: {verifier.kind}"
    p, q = asked.pure.p, asked.pure.q
    known: dict[str, float] = {"p": p, "q": q}
    law = theory.fake_support(asked)
    if law is None:
        return
    sent = asked.fakes[0].sent
    known |= {
        "n": cell.users, "m": cell.malicious, "r": cell.targets.size,
        "β′": theory.sent_share(asked), "S": float(law.rates[cell.targets].sum()),
        "f_T": cell.target_frequency,
    }  # fmt: skip
    share, support, gain = SIFTED
    if sent < 1:
        yield share.at({**known, "sent": sent}, part)
        support = replace(support, text="S = 1 + (r − 1) q")
    yield support.at(known, part)
    yield gain.at(known, part)
