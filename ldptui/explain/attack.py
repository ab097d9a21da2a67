"""The attack on a pure protocol: what its fakes support, and what that gains.

The gain is one formula for all, G = β[(S − r q)/(p − q) − f_T]. S follows from the law of the
fakes' reports; the family has the words of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from ldptui.core import theory
from ldptui.core.attacks import ATTACKS, malicious_users
from ldptui.core.cell import Cell
from ldptui.core.law.pure import PureProtocol, SeedSearch
from ldptui.core.law.pure import Supporting as Supports
from ldptui.core.law.support import ItemSupport, Support

from ..text.format import count, short
from .formula import CJG, DIGITS, FINE, Formula, listed, numeric
from .lines import bounds, listed_bounds, verified
from .setting import Setting
from .story import Supported, SupportWords

Laws: TypeAlias = Mapping[str, SupportWords]
"""S in a family's words, by the law of the fakes' reports."""

Crafting: TypeAlias = Callable[[Any, Any, int, str], Iterator[Formula]]
"""Formulas of crafted reports, from the attack, the protocol, r and the heading."""

FEW: Final = 1e-4
"""A class of fewer fakes is not named."""

COMPARED: Final[Mapping[str, Callable[[Supports, int, SeedSearch], Support]]] = {
    "random": lambda protocol, r, _: protocol.random_support(r),
    "honest": lambda protocol, r, _: protocol.honest_support(r),
    "crafted": lambda protocol, r, search: protocol.crafted_support(r, search),
}
"""The support of one fake in the three attacks of Cao, Jia, Gong, 2021, section 3.2, by law."""

SUPPORTED: Final = "Targets that one fake report supports, on average"
"""The title of the formula of S."""

OF_PARTS: Final = "S = Σᵢ mᵢ Sᵢ / m, over the parts"
"""S of a mixture of attacks."""


def kind_of(law: str) -> str:
    """The first kind of attack whose reports have this law."""
    return next(kind for kind, spec in ATTACKS.items() if getattr(spec, "report_law", "") == law)


def gain_keys() -> tuple[str, ...]:
    """The fields of the gains and of their deviations, in the order of the table."""
    kinds = [kind_of(law) for law in COMPARED]
    return (*(f"gain.{kind}" for kind in kinds), *(f"gain_std.{kind}" for kind in kinds))


def attacked(setting: Setting, laws: Laws, crafting: Crafting | None = None) -> Iterator[Formula]:
    """The gain of the cell's attack; without a cell that of the three that are compared."""
    if setting.cell is not None:
        return _of_cell(setting.cell, laws, crafting)
    return compared(setting, lambda law: f"G with S = {_in_words(setting, laws, law)}")


def _in_words(setting: Setting, laws: Laws, law: str) -> str:
    words = supported_by(law, laws, setting.protocol, setting.r or 0, None)
    return words.brief or Formula("", words.formula, "", "", 0.0, "").brief


def compared(setting: Setting, formula: Callable[[str], str]) -> Iterator[Formula]:
    """The gains of three attacks and their deviations, as far as the numbers are given.

    formula : the right side for a law.
    """
    protocol, r, share, held = setting.protocol, setting.r, setting.share, setting.held
    if r is None or share is None or held is None:
        return
    for law, support_of in COMPARED.items():
        kind, support = kind_of(law), support_of(protocol, r, setting.search)
        yield listed(
            f"gain.{kind}", f"gain of {kind.upper()}",
            theory.gain(protocol, support, r, share, held), formula(law), "CJG eq. 7",
        )  # fmt: skip
        if setting.users is not None:
            fakes = malicious_users(setting.users, share)
            spread = theory.gain_std(protocol, support, r, setting.users, fakes, held)
            name = f"gain std of {kind.upper()}"
            yield listed(f"gain_std.{kind}", name, spread, "σ of one run", "from CJG eq. 7")
    yield from listed_bounds(setting)


def supported_by(law: str, laws: Laws, protocol: Supports, r: int, attack: Any) -> Supported:
    """S in the family's words; those of an honest report are the same for every family."""
    words = laws.get(law)
    if words is not None:
        return words(protocol, r, attack)
    if law == "honest":
        return honest(protocol, r)
    return Supported("S", "by the attack's own law")


def honest(protocol: Supports, r: int, number: int | None = None) -> Supported:
    """S of an honest report of a target."""
    put = f"{short(protocol.p)} + {r - 1} · {short(protocol.q)}"
    return Supported("S = p + (r − 1) q", put, number)


def _of_cell(cell: Cell, laws: Laws, crafting: Crafting | None) -> Iterator[Formula]:
    attack = cell.attack
    law = theory.fake_support(cell) if attack is not None else None
    if attack is None or law is None:
        return
    r = int(cell.targets.size)
    part = _heading(attack.kind, r)
    kind = getattr(attack, "report_law", "mixture")
    yield from _fakes(cell, attack.share, part)
    if crafting is not None and kind == "crafted":
        yield from crafting(attack, cell.pure, r, part)
    if kind == "hidden":
        words = _hidden(cell)
    elif kind == "solved":
        words = _solved(cell)
    elif kind == "mixture":
        words = Supported(OF_PARTS, _parts(cell))
    else:
        words = supported_by(kind, laws, cell.pure, r, attack)
    yield from _gain(cell, law, words, part)
    yield from bounds(cell, part)
    yield _attacked_mse(cell, law, part)
    if kind == "crafted":
        yield _safer(cell.pure, r, part)
    yield from verified(cell)


def _heading(kind: str, r: int) -> str:
    return f"Attack: {kind.upper()}, r = {r} {'target' if r == 1 else 'targets'}"


def _hidden(cell: Cell) -> Supported:
    """S of fakes who hide: what their share of an honest population's items is for the targets."""
    hiding: Any = cell.fakes[0].strategy
    shift = hiding.plan(cell.pure, cell.targets).shift
    protocol, r = cell.pure, cell.targets.size
    rq, gap = f"{r} · {short(protocol.q)}", short(protocol.p - protocol.q)
    return Supported(
        "S = r q + (p − q) δ_T / β,  δ = f′ − (1 − β) f",
        f"{rq} + {gap} · {short(float(shift[cell.targets].sum()))} / {short(cell.share)}",
    )


def _solved(cell: Cell) -> Supported:
    """S of the classes of reports that were solved for, those of most fakes first."""
    solving: Any = cell.fakes[0].strategy
    shares = solving.classes(cell.pure, cell.targets)
    terms = [f"{j} · {short(float(shares[j]))}" for j in (-shares).argsort() if shares[j] > FEW]
    return Supported("S = Σⱼ j zⱼ, the most of a linear programme", _sum(terms))


def foretold(cell: Cell, laws: Laws) -> Iterator[Formula]:
    """The gain against a mechanism whose estimates have closed forms of their own."""
    law = theory.fake_support(cell) if cell.attack is not None else None
    gained = theory.expected_metrics(cell)["gain"]
    if cell.attack is None or law is None or gained is None:
        return
    protocol: Any = cell.protocol
    r, q, gap = int(cell.targets.size), protocol.q, protocol.p - protocol.q
    part = _heading(cell.attack.kind, r)
    yield from _fakes(cell, cell.attack.share, part)
    kind = getattr(cell.attack, "report_law", "mixture")
    words = Supported(OF_PARTS, "over the parts")
    if kind != "mixture":
        words = supported_by(kind, laws, protocol, r, cell.attack)
    s = float(law.rates[cell.targets].sum())
    live = partial(numeric, part, source=CJG)
    yield live(SUPPORTED, words.formula, words.substituted, s, number=words.number)
    before = (s - r * q) / gap - gained / cell.share if cell.share else 0.0
    yield live(
        "Gain: how much the targets' total rises, above what it is estimated as before",
        "G = β [ (S − r q) / (p − q) − E Σ_T f~ₜ ]",
        f"{short(cell.share)} · [ ({short(s, FINE)} − {r} · {short(q, FINE)}) / {short(gap)} − "
        f"{short(before)} ]",
        gained,
    )  # fmt: skip
    yield _deviation(cell, protocol, law, part, CJG)
    yield from bounds(cell, part)


def _fakes(cell: Cell, wanted: float, part: str) -> Iterator[Formula]:
    """The number of fakes, and the share of genuine users who hold their targets."""
    n_, m_, share = count(cell.users, 9), count(cell.malicious, 9), short(wanted)
    live = partial(numeric, part, source=CJG)
    yield live(
        "Fake users", "m = round(n β / (1 − β))", f"round({n_} · {share} / (1 − {share}))",
        cell.malicious,
    )  # fmt: skip
    yield live(
        "Their share, after rounding", "β = m / (n + m)", f"{m_} / ({n_} + {m_})", cell.share
    )
    yield live(
        "What genuine users hold of the targets", "f_T = Σ_(t∈T) fₜ", _added_up(cell),
        cell.target_frequency,
    )  # fmt: skip


def _gain(cell: Cell, law: ItemSupport, words: Supported, part: str) -> Iterator[Formula]:
    protocol, n, m, r = cell.pure, cell.users, cell.malicious, int(cell.targets.size)
    q, gap, beta, held = protocol.q, protocol.p - protocol.q, cell.share, cell.target_frequency
    n_, m_ = count(n, 9), count(m, 9)
    q_, gap_, b_, f_ = map(short, (q, gap, beta, held))
    s = float(law.rates[cell.targets].sum())
    live = partial(numeric, part)
    yield live(
        SUPPORTED, words.formula, words.substituted, s,
        CJG, words.number,
    )  # fmt: skip
    yield live(
        "The constant c: what would be there without the attack",
        "c = m (f_T (p − q) + r q) / ((n + m)(p − q))",
        f"{m_} · ({f_} · {gap_} + {r} · {q_}) / (({n_} + {m_}) · {gap_})",
        beta * (held + r * q / gap), CJG, 22,
    )  # fmt: skip
    gained = theory.cell_gain(cell, law)
    yield live(
        "Gain: how much the targets' total rises",
        "G = β [ (S − r q) / (p − q) − f_T ] = β S / (p − q) − c",
        f"{b_} · [ ({short(s, FINE)} − {r} · {short(q, FINE)}) / {gap_} − {f_} ]",
        gained, CJG, words.gain,
    )  # fmt: skip
    if held > 0:
        yield live(
            "Normalised gain: times the true total", "(G + f_T) / f_T",
            f"({short(gained)} + {f_}) / {f_}", (gained + held) / held, CJG,
        )  # fmt: skip
    yield _deviation(cell, protocol, law, part, f"{CJG}, exact")


def _deviation(cell: Cell, protocol: Supports, law: ItemSupport, part: str, source: str) -> Formula:
    """The standard deviation of the gain of one run."""
    truth, n, m = cell.population.frequencies, cell.users, cell.malicious
    n_, m_, b_, gap_ = count(n, 9), count(m, 9), short(cell.share), short(protocol.p - protocol.q)
    clean = theory.target_sum_variance(protocol, cell.targets, truth, n) / n
    return numeric(
        part, "Standard deviation of the gain of one run",
        "σ_G = √[ β² Var[Σ_T f~] + m Var(S) / ((n + m)(p − q))² ]",
        f"√[ {b_}² · {short(clean)} + {m_} · {short(law.variance)} / (({n_} + {m_}) · {gap_})² ]",
        theory.std_of_gain(protocol, clean * n, law.variance, n, m), source,
    )  # fmt: skip


def _attacked_mse(cell: Cell, law: ItemSupport, part: str) -> Formula:
    protocol, truth, beta = cell.pure, cell.population.frequencies, cell.share
    bias = beta * ((law.rates - protocol.q) / (protocol.p - protocol.q) - truth)
    squared = float((bias**2).mean())
    expected = theory.expected_mse(cell)
    assert expected is not None  # what the fakes support is known
    return Formula(
        "Expected mean squared error under attack",
        "MSE = (1/d) Σᵥ (biasᵥ² + Varᵥ),  biasᵥ = β [ (sᵥ − q) / (p − q) − fᵥ ]",
        f"{short(squared)} of squared bias + {short(expected - squared)} of variance",
        short(expected, DIGITS), expected, f"{CJG}, exact", None, part,
    )  # fmt: skip


def _safer(protocol: PureProtocol, r: int, part: str) -> Formula:
    """The protocol that gains less from crafted reports."""
    e, d = math.exp(protocol.epsilon), protocol.domain_size
    limit = theory.safer_domain_size(r, protocol.epsilon)
    verdict = "OUE, OLH safer" if d > limit else "GRR safer"
    return Formula(
        "Which protocol gains less from MGA",
        "d > (2r − 1)(e^ε − 1) + 3r ⇒ OUE and OLH are safer than GRR",
        f"d = {count(d)}, threshold {2 * r - 1} · {short(e - 1)} + {3 * r} = {short(limit)}",
        verdict, limit, f"{CJG}, theorem 2", None, part,
    )  # fmt: skip


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
