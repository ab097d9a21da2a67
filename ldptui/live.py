"""The formulas of the current protocol and attack with the current numbers put in.

Every value is the one that `core` computes with; the text beside it says from what.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from core import theory
from core.attacks import (
    Attack,
    Demotion,
    InputPoisoning,
    ItemSupport,
    Maximal,
    MaximalGain,
    Mixture,
    PatternAttack,
    RandomItem,
    RandomReport,
    SubsetGain,
    UnperturbedItem,
)
from core.cell import Cell
from core.central import Curator
from core.protocols import GRR, LocalHashing, Rappor, Unary
from core.protocols.hashing import matched_law
from core.pure import estimate, item_variance

from .format import count, percent, short

W17: Final = "Wang et al. 2017"
CJG: Final = "Cao, Jia, Gong 2021"
RAP: Final = "Erlingsson et al. 2014"
DIGITS: Final = 5
FINE: Final = 8
"""Digits of numbers whose difference is small, so that what is shown can be recomputed."""


@dataclass(frozen=True)
class Live:
    """One formula at work: `formula` = `substituted` = `result`.

    substituted : the right side with its numbers, at most 100 cells. result : the number as text.
    value : the number itself. number : of the equation in the project's list, or None. part : the
    heading it belongs to.
    """

    title: str
    formula: str
    substituted: str
    result: str
    value: float
    source: str
    number: int | None
    part: str = ""


def live_equations(cell: Cell) -> tuple[Live, ...]:
    """The formulas that hold for this cell: its protocol, the estimates, its attack.

    Empty for a protocol of another family.
    """
    if isinstance(cell.protocol, Curator):
        from .live_curator import curator_equations

        return curator_equations(cell, cell.protocol)
    if isinstance(cell.protocol, Rappor):
        from .live_rappor import bloom_equations

        return tuple(bloom_equations(cell, cell.protocol))
    if not isinstance(cell.protocol, GRR | Unary | LocalHashing):
        return ()
    return (*_protocol(cell), *_estimates(cell), *_attack(cell))


# The protocol: p, q, ε, which one to take.


def _protocol(cell: Cell) -> Iterator[Live]:
    part = "Protocol"
    protocol = cell.pure
    epsilon, d, p, q = protocol.epsilon, protocol.domain_size, protocol.p, protocol.q
    e = math.exp(epsilon)

    def live(
        title: str, formula: str, put: str, value: float, source: str, number: int | None = None
    ) -> Live:
        return Live(title, formula, put, _n(value, DIGITS), value, source, number, part)

    own, other = "A report supports the own item", "A report supports any other item"
    if isinstance(protocol, GRR):
        put = f"({_n(e)} + {count(d)} − 1)"
        yield live(own, "p = e^ε / (e^ε + d − 1)", f"{_n(e)} / {put}", p, W17, 9)
        yield live(other, "q = 1 / (e^ε + d − 1)", f"1 / {put}", q, W17, 9)
        yield live(
            "Privacy budget from p and q", "ε = ln(p / q)", f"ln({_n(p)} / {_n(q)})",
            theory.epsilon_of_direct(p, q), W17, 14,
        )  # fmt: skip
    elif isinstance(protocol, Unary):
        half = math.exp(epsilon / 2)
        if cell.noise is not None:
            from .live_rappor import noise_equations

            yield from noise_equations(cell, cell.noise)
        elif _is_oue(protocol):
            yield live(own, "p = 1/2", "1/2", p, W17, 12)
            yield live(other, "q = 1 / (e^ε + 1)", f"1 / ({_n(e)} + 1)", q, W17, 12)
        elif _is_sue(protocol):
            put = f"({_n(half)} + 1)"
            yield live(own, "p = e^(ε/2) / (e^(ε/2) + 1)", f"{_n(half)} / {put}", p, W17)
            yield live(other, "q = 1 / (e^(ε/2) + 1)", f"1 / {put}", q, W17)
        else:
            put = f"{_n(p)} / ({_n(p)} + (1 − {_n(p)}) · {_n(e)})"
            yield live(own, "p", "as given", p, W17)
            yield live(other, "q = p / (p + (1 − p) e^ε)", put, q, W17)
        yield live(
            "Privacy budget from p and q",
            "ε = ln[ p(1 − q) / ((1 − p) q) ]",
            f"ln[ {_n(p)} · (1 − {_n(q)}) / ((1 − {_n(p)}) · {_n(q)}) ]",
            theory.epsilon_of_unary(p, q), W17, 14,
        )  # fmt: skip
    elif isinstance(protocol, LocalHashing):
        g = protocol.hash_range
        other_bucket = (1 - p) / (g - 1)
        put = f"({_n(e)} + {g} − 1)"
        yield from _hash_range(cell, g, e)
        yield live(own, "p = p′ = e^ε / (e^ε + g − 1)", f"{_n(e)} / {put}", p, W17, 16)
        yield live(
            "A given other bucket is sent", "q′ = 1 / (e^ε + g − 1)", f"1 / {put}",
            other_bucket, W17, 15,
        )  # fmt: skip
        yield live(other, "q = 1 / g", f"1 / {g}", q, W17, 16)
        yield live(
            "Privacy budget from p′ and q′", "ε = ln(p′ / q′)",
            f"ln({_n(p)} / {_n(other_bucket)})",
            theory.epsilon_of_direct(p, other_bucket), W17, 14,
        )  # fmt: skip
    threshold = 3 * e + 2
    best = {"grr": "kRR (GRR)", "oue": "OUE, or OLH"}[theory.recommended(d, epsilon)]
    yield Live(
        "Which protocol has the least variance",
        "d < 3 e^ε + 2 ⇒ kRR, else OUE or OLH",
        f"d = {count(d)}, threshold 3 · {_n(e)} + 2 = {_n(threshold)}",
        best, threshold, f"{W17}, section 5", 32, part,
    )  # fmt: skip


def _hash_range(cell: Cell, g: int, e: float) -> Iterator[Live]:
    """Where g comes from."""
    rule = cell.parameters.get("protocol.hash_range")
    ideal = _n(e + 1)
    number: int | None = 17
    if rule == "nearest":
        formula, put, source = "g = integer nearest to e^ε + 1", f"nearest to {ideal}", W17
    elif rule == "ceil":
        formula, put, source = "g = ⌈e^ε + 1⌉", f"⌈{ideal}⌉", CJG
    elif rule == "floor":
        formula, put, source = "g = ⌊e^ε + 1⌋", f"⌊{ideal}⌋", "Li, Li, Wang, Sun 2025"
    elif rule is None:
        formula, put, source = "g", f"2 for every ε; the optimum is e^ε + 1 = {ideal}", W17
        number = None
    else:
        formula, put, source = "g", f"as given; the optimum is e^ε + 1 = {ideal}", W17
    yield Live("Hash range: how many buckets", formula, put, str(g), g, source, number, "Protocol")


# The estimates: unbiased, and how much they spread.


def _estimates(cell: Cell) -> Iterator[Live]:
    protocol, n, d = cell.pure, cell.users, cell.pure.domain_size
    p, q, gap = protocol.p, protocol.q, protocol.p - protocol.q
    truth = cell.population.frequencies
    v = int(cell.targets[0]) if cell.targets.size else int(truth.argmax())
    f = float(truth[v])
    what = "the first target" if cell.targets.size else "the most frequent item"
    part = f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {_n(f)}"
    n_, q_, gap_ = count(n, 9), _n(q), _n(gap)
    left = 1 - p - q if abs(1 - p - q) > 1e-12 else 0.0  # SUE: exactly 0

    def live(
        title: str, formula: str, put: str, value: float, source: str, number: int | None
    ) -> Live:
        return Live(title, formula, put, _n(value, DIGITS), value, source, number, part)

    mean = n * (f * gap + q)
    back = float(estimate(np.array([mean]), n, protocol)[0])
    yield live(
        "Reports that support v, on average", "E[Cᵥ] = n (fᵥ (p − q) + q)",
        f"{n_} · ({_n(f)} · {gap_} + {q_})", mean, CJG, 5,
    )  # fmt: skip
    yield Live(
        "The estimate from that count: unbiased", "f~ᵥ = (Cᵥ/n − q) / (p − q)",
        f"({_n(mean, FINE)} / {n_} − {_n(q, FINE)}) / {_n(gap, FINE)}",
        _n(f, DIGITS), back, W17, 4, part,
    )  # fmt: skip
    unit = theory.count_variance(protocol)
    formula, put, number = _unit_variance(cell)
    yield live(
        "Var* of a count, for one user", f"Var*[c~ᵥ] / n = {formula}", put, unit, W17, number
    )
    yield live(
        "Variance of the estimate of an item that nobody holds",
        "Var*[f~ᵥ] = q(1 − q) / (n (p − q)²)",
        f"{q_} · {_n(1 - q)} / ({n_} · {gap_}²)",
        float(item_variance(protocol, n)), W17, 41,
    )  # fmt: skip
    spread = float(item_variance(protocol, n, f))
    yield live(
        "Variance of the estimate of v",
        "Var[f~ᵥ] = q(1 − q) / (n (p − q)²) + fᵥ (1 − p − q) / (n (p − q))",
        f"{q_} · {_n(1 - q)} / ({n_} · {gap_}²) + {_n(f)} · {_m(left)} / ({n_} · {gap_})",
        spread, W17, 40,
    )  # fmt: skip
    yield live(
        "Standard deviation of the estimate of v", "σᵥ = √Var[f~ᵥ]", f"√{_n(spread)}",
        theory.frequency_std(protocol, n, f), W17, None,
    )  # fmt: skip
    mse = float(np.asarray(item_variance(protocol, n, truth)).mean())
    yield live(
        "Expected mean squared error without attack",
        "MSE = [ d q(1 − q) / (p − q)² + (1 − p − q) / (p − q) ] / (d n)",
        f"[ {count(d)} · {_n(unit)} + {_m(left / gap)} ] / ({count(d)} · {n_})", mse, W17, None,
    )  # fmt: skip


def _unit_variance(cell: Cell) -> tuple[str, str, int | None]:
    """Var*/n of a count in the protocol's own terms."""
    protocol = cell.pure
    e, d = math.exp(protocol.epsilon), protocol.domain_size
    if isinstance(protocol, GRR):
        return "(d − 2 + e^ε) / (e^ε − 1)²", f"({count(d)} − 2 + {_n(e)}) / {_n(e - 1)}²", 11
    if isinstance(protocol, Unary) and _is_oue(protocol):
        return "4 e^ε / (e^ε − 1)²", f"4 · {_n(e)} / {_n(e - 1)}²", 13
    if isinstance(protocol, Unary) and _is_sue(protocol):
        half = math.exp(protocol.epsilon / 2)
        return "e^(ε/2) / (e^(ε/2) − 1)²", f"{_n(half)} / {_n(half - 1)}²", None
    if isinstance(protocol, LocalHashing):
        g = protocol.hash_range
        return (
            "(e^ε − 1 + g)² / ((e^ε − 1)² (g − 1))",
            f"({_n(e - 1)} + {g})² / ({_n(e - 1)}² · {g - 1})",
            18,
        )
    p, q = protocol.p, protocol.q
    return "q(1 − q) / (p − q)²", f"{_n(q)} · {_n(1 - q)} / {_n(p - q)}²", 41


# The attack.


def _attack(cell: Cell) -> Iterator[Live]:
    attack = cell.attack
    if attack is None:
        return
    protocol, n, m, r = cell.pure, cell.users, cell.malicious, int(cell.targets.size)
    p, q, gap = protocol.p, protocol.q, protocol.p - protocol.q
    beta, held = cell.share, cell.target_frequency
    law = theory.fake_support(cell)
    if law is None:
        return
    s = float(law.rates[cell.targets].sum())
    part = f"Attack: {attack.kind.upper()}, r = {r} {'target' if r == 1 else 'targets'}"
    n_, m_ = count(n, 9), count(m, 9)
    q_, gap_, b_, f_ = map(_n, (q, gap, beta, held))

    def live(
        title: str, formula: str, put: str, value: float, source: str, number: int | None = None
    ) -> Live:
        return Live(title, formula, put, _n(value, DIGITS), value, source, number, part)

    wanted = _n(attack.share)
    yield live(
        "Fake users", "m = round(n β / (1 − β))", f"round({n_} · {wanted} / (1 − {wanted}))", m, CJG
    )
    yield live("Their share, after rounding", "β = m / (n + m)", f"{m_} / ({n_} + {m_})", beta, CJG)
    yield live("What genuine users hold of the targets", "f_T = Σ_(t∈T) fₜ", _sum(cell), held, CJG)
    if isinstance(attack, Maximal):
        if isinstance(protocol, Unary):
            yield live(
                "Padding of a crafted report",
                "l = ⌊p + (d − 1) q − r⌋, at least 0",
                f"⌊{_n(p)} + {count(protocol.domain_size - 1)} · {q_} − {r}⌋",
                min(protocol.padding(r), protocol.domain_size - r), f"{CJG}, section 3.4",
            )  # fmt: skip
        if isinstance(protocol, LocalHashing):
            yield from _matched(attack, protocol, r, part)
    formula, put, number = _supported(cell, attack)
    yield live("Targets that one fake report supports, on average", formula, put, s, CJG, number)
    baseline = beta * (held + r * q / gap)
    yield live(
        "The constant c: what would be there without the attack",
        "c = m (f_T (p − q) + r q) / ((n + m)(p − q))",
        f"{m_} · ({f_} · {gap_} + {r} · {q_}) / (({n_} + {m_}) · {gap_})",
        baseline, CJG, 22,
    )  # fmt: skip
    gained = theory.cell_gain(cell, law)
    yield live(
        "Gain: how much the targets' total rises",
        "G = β [ (S − r q) / (p − q) − f_T ] = β S / (p − q) − c",
        f"{b_} · [ ({_n(s, FINE)} − {r} · {_n(q, FINE)}) / {gap_} − {f_} ]",
        gained, CJG, _gain_number(cell, attack),
    )  # fmt: skip
    if held > 0:
        yield live(
            "Normalised gain: times the true total", "(G + f_T) / f_T",
            f"({_n(gained)} + {f_}) / {f_}", (gained + held) / held, CJG,
        )  # fmt: skip
    clean = protocol.target_sum_variance(r, held) / n
    yield live(
        "Standard deviation of the gain of one run",
        "σ_G = √[ β² Var[Σ_T f~] + m Var(S) / ((n + m)(p − q))² ]",
        f"√[ {b_}² · {_n(clean)} + {m_} · {_n(law.variance)} / (({n_} + {m_}) · {gap_})² ]",
        theory.gain_std(protocol, law, r, n, m, held), f"{CJG}, exact",
    )  # fmt: skip
    yield _attacked_mse(cell, law, part)
    if isinstance(attack, Maximal):
        e, d = math.exp(protocol.epsilon), protocol.domain_size
        limit = theory.safer_domain_size(r, protocol.epsilon)
        verdict = "OUE, OLH safer" if d > limit else "kRR safer"
        yield Live(
            "Which protocol gains less from MGA",
            "d > (2r − 1)(e^ε − 1) + 3r ⇒ OUE and OLH are safer than kRR",
            f"d = {count(d)}, threshold {2 * r - 1} · {_n(e - 1)} + {3 * r} = {_n(limit)}",
            verdict, limit, f"{CJG}, theorem 2", None, part,
        )  # fmt: skip


def _attacked_mse(cell: Cell, law: ItemSupport, part: str) -> Live:
    protocol, truth, beta = cell.pure, cell.population.frequencies, cell.share
    bias = beta * ((law.rates - protocol.q) / (protocol.p - protocol.q) - truth)
    squared = float((bias**2).mean())
    expected = theory.expected_mse(cell)
    assert expected is not None  # what the fakes support is known
    return Live(
        "Expected mean squared error under attack",
        "MSE = (1/d) Σᵥ (biasᵥ² + Varᵥ),  biasᵥ = β [ (sᵥ − q) / (p − q) − fᵥ ]",
        f"{_n(squared)} of squared bias + {_n(expected - squared)} of variance",
        _n(expected, DIGITS), expected, f"{CJG}, exact", None, part,
    )  # fmt: skip


def _matched(attack: Maximal, protocol: LocalHashing, r: int, part: str) -> Iterator[Live]:
    """E[M], and where the law of M has its weight."""
    g, seeds = protocol.hash_range, attack.seeds
    law = matched_law(r, g, attack.search)
    mean = float(law @ np.arange(r + 1))
    if attack.scoring == "anchor":
        one = "1 + Bin(r − 1, 1/g) ≤ x"
    else:
        one = "fullest of g buckets ≤ x"
    yield Live(
        "Targets in one bucket under the best of K seeds",
        f"E[M] = Σⱼ (1 − F(j − 1)^K), j = 1 … r,  F(x) = Pr[{one}]",
        f"Σⱼ (r = {r}, K = {count(seeds)}, g = {g})",
        _n(mean, DIGITS), mean, f"{CJG}, section 3.5", 30, part,
    )  # fmt: skip
    likely = int(law.argmax())
    shown = [j for j in range(r + 1) if law[j] >= 0.0005]
    most = sorted(sorted(shown, key=lambda j: -law[j])[:6])
    yield Live(
        "How likely each number of matched targets is",
        "Pr[M = j] = F(j)^K − F(j − 1)^K",
        ",  ".join(f"{j}: {percent(float(law[j]))}" for j in most),
        f"most often {likely}", float(law[likely]), f"{CJG}, section 3.5", 30, part,
    )  # fmt: skip


def _supported(cell: Cell, attack: Attack | Mixture) -> tuple[str, str, int | None]:
    """S in the protocol's own terms, and the equation of its indicator."""
    if isinstance(attack, Mixture):
        return "S = Σᵢ mᵢ Sᵢ / m, over the parts", _parts(cell), None
    protocol, r = cell.pure, int(cell.targets.size)
    p_, q_ = _n(protocol.p), _n(protocol.q)
    number = 24 if isinstance(protocol, GRR) else None
    if isinstance(attack, UnperturbedItem | SubsetGain | PatternAttack | Demotion):
        return *_published(cell, attack), None
    if isinstance(attack, RandomItem | InputPoisoning):
        if isinstance(protocol, Unary):
            number = 27
        elif isinstance(protocol, LocalHashing):
            number = 29
        return "S = p + (r − 1) q", f"{p_} + {r - 1} · {q_}", number
    if isinstance(protocol, Unary):
        number = 26
    random = isinstance(attack, RandomReport)
    if isinstance(protocol, GRR):
        return ("S = r / d", f"{r} / {count(protocol.domain_size)}", number) if random else (
            "S = 1: the report is a target", "1", number)  # fmt: skip
    if isinstance(protocol, Unary):
        return ("S = r / 2", f"{r} / 2", number) if random else ("S = r", str(r), number)
    if isinstance(protocol, LocalHashing):
        g = protocol.hash_range
        if random:
            return "S = r / g", f"{r} / {g}", number
        mean = r * attack.support(protocol, r).target
        return "S = E[M]", _n(mean, DIGITS), 30
    return "S", "by the attack's own law", None


def _published(
    cell: Cell, attack: UnperturbedItem | SubsetGain | PatternAttack | Demotion
) -> tuple[str, str]:
    """S of the kinds that are not in the list of equations."""
    protocol, r, d = cell.pure, int(cell.targets.size), cell.pure.domain_size
    mean = _n(r * attack.support(protocol, r).target, DIGITS)
    g = protocol.hash_range if isinstance(protocol, LocalHashing) else 0
    if isinstance(attack, UnperturbedItem):
        if g:
            return "S = 1 + (r − 1) / g", f"1 + {r - 1} / {g}"
        return "S = 1: the report is a target", "1"
    if isinstance(attack, SubsetGain):
        some = attack.subset
        if isinstance(protocol, Unary):
            pad = min(protocol.padding(some), d - some)
            put = f"{some} + {r - some} · {pad} / ({count(d)} − {some})"
            return "S = r′ + (r − r′) l′ / (d − r′)", put
        return "S = E[M] of r′ targets + (r − r′) / g", mean
    if isinstance(attack, PatternAttack):
        return "S = E[min(k, r)],  k ~ Bern(p) + Bin(d − 1, q)", mean
    if g:
        return "S = E[fewest targets in a bucket of K hashes]", mean
    return "S = 0: no target is supported", "0"


def _parts(cell: Cell) -> str:
    """The share of each part of a mixture, and how many targets one of its fakes supports."""
    terms = []
    for part in cell.fakes:
        law = part.strategy.item_support(cell.pure, part.targets, cell.targets)
        assert law is not None  # or there would be no S to show
        weight = part.count / max(cell.malicious, 1)
        terms.append(f"{_n(weight)} · {_n(float(law.rates[cell.targets].sum()))}")
    return " + ".join(terms) if len(terms) <= 5 else " + ".join([*terms[:4], "…", terms[-1]])


def _gain_number(cell: Cell, attack: Attack | Mixture) -> int:
    """The equation of the list that is the gain of this pair; 22 is that of all."""
    protocol = cell.pure
    if isinstance(protocol, GRR) and isinstance(attack, RandomReport):
        return 23
    if isinstance(attack, MaximalGain):
        if isinstance(protocol, GRR):
            return 25
        if isinstance(protocol, Unary):
            return 28
        if isinstance(protocol, LocalHashing):
            return 30
    return 22


def _sum(cell: Cell) -> str:
    """The first true frequencies of the targets, added up."""
    each = [_n(float(f)) for f in cell.population.frequencies[cell.targets]]
    return " + ".join(each) if len(each) <= 5 else " + ".join([*each[:4], "…", each[-1]])


def _is_oue(protocol: Unary) -> bool:
    return protocol.p == 0.5


def _is_sue(protocol: Unary) -> bool:
    return math.isclose(protocol.p + protocol.q, 1)


def _n(value: float, digits: int = 4) -> str:
    return short(value, digits)


def _m(value: float) -> str:
    """A number as a factor: in brackets where it is negative."""
    return f"({_n(value)})" if value < 0 else _n(value)
