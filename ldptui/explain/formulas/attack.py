"""The attack: what fakes support, and what that gains."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

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
from core.protocols import GRR, LocalHashing, Unary
from core.protocols.hashing import matched_law

from ...text.format import count, percent, short
from .formula import CJG, DIGITS, FINE, Live, numeric


def attack_equations(cell: Cell) -> Iterator[Live]:
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
    q_, gap_, b_, f_ = map(short, (q, gap, beta, held))
    live = partial(numeric, part)

    wanted = short(attack.share)
    yield live(
        "Fake users", "m = round(n β / (1 − β))", f"round({n_} · {wanted} / (1 − {wanted}))", m, CJG
    )
    yield live("Their share, after rounding", "β = m / (n + m)", f"{m_} / ({n_} + {m_})", beta, CJG)
    yield live(
        "What genuine users hold of the targets", "f_T = Σ_(t∈T) fₜ", added_up(cell), held, CJG
    )
    if isinstance(attack, Maximal):
        if isinstance(protocol, Unary):
            yield live(
                "Padding of a crafted report",
                "l = ⌊p + (d − 1) q − r⌋, at least 0",
                f"⌊{short(p)} + {count(protocol.domain_size - 1)} · {q_} − {r}⌋",
                min(protocol.padding(r), protocol.domain_size - r), f"{CJG}, section 3.4",
            )  # fmt: skip
        if isinstance(protocol, LocalHashing):
            yield from matched_equations(attack, protocol, r, part)
    formula, put, number = supported(cell, attack)
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
        f"{b_} · [ ({short(s, FINE)} − {r} · {short(q, FINE)}) / {gap_} − {f_} ]",
        gained, CJG, gain_number(cell, attack),
    )  # fmt: skip
    if held > 0:
        yield live(
            "Normalised gain: times the true total", "(G + f_T) / f_T",
            f"({short(gained)} + {f_}) / {f_}", (gained + held) / held, CJG,
        )  # fmt: skip
    clean = protocol.target_sum_variance(r, held) / n
    yield live(
        "Standard deviation of the gain of one run",
        "σ_G = √[ β² Var[Σ_T f~] + m Var(S) / ((n + m)(p − q))² ]",
        f"√[ {b_}² · {short(clean)} + {m_} · {short(law.variance)} / (({n_} + {m_}) · {gap_})² ]",
        theory.gain_std(protocol, law, r, n, m, held), f"{CJG}, exact",
    )  # fmt: skip
    yield attacked_mse(cell, law, part)
    if isinstance(attack, Maximal):
        e, d = math.exp(protocol.epsilon), protocol.domain_size
        limit = theory.safer_domain_size(r, protocol.epsilon)
        verdict = "OUE, OLH safer" if d > limit else "kRR safer"
        yield Live(
            "Which protocol gains less from MGA",
            "d > (2r − 1)(e^ε − 1) + 3r ⇒ OUE and OLH are safer than kRR",
            f"d = {count(d)}, threshold {2 * r - 1} · {short(e - 1)} + {3 * r} = {short(limit)}",
            verdict, limit, f"{CJG}, theorem 2", None, part,
        )  # fmt: skip


def attacked_mse(cell: Cell, law: ItemSupport, part: str) -> Live:
    protocol, truth, beta = cell.pure, cell.population.frequencies, cell.share
    bias = beta * ((law.rates - protocol.q) / (protocol.p - protocol.q) - truth)
    squared = float((bias**2).mean())
    expected = theory.expected_mse(cell)
    assert expected is not None  # what the fakes support is known
    return Live(
        "Expected mean squared error under attack",
        "MSE = (1/d) Σᵥ (biasᵥ² + Varᵥ),  biasᵥ = β [ (sᵥ − q) / (p − q) − fᵥ ]",
        f"{short(squared)} of squared bias + {short(expected - squared)} of variance",
        short(expected, DIGITS), expected, f"{CJG}, exact", None, part,
    )  # fmt: skip


def matched_equations(attack: Maximal, protocol: LocalHashing, r: int, part: str) -> Iterator[Live]:
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
        short(mean, DIGITS), mean, f"{CJG}, section 3.5", 30, part,
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


def supported(cell: Cell, attack: Attack | Mixture) -> tuple[str, str, int | None]:
    """S in the protocol's own terms, and the equation of its indicator."""
    if isinstance(attack, Mixture):
        return "S = Σᵢ mᵢ Sᵢ / m, over the parts", parts(cell), None
    protocol, r = cell.pure, int(cell.targets.size)
    p_, q_ = short(protocol.p), short(protocol.q)
    number = 24 if isinstance(protocol, GRR) else None
    if isinstance(attack, UnperturbedItem | SubsetGain | PatternAttack | Demotion):
        return *published(cell, attack), None
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
        return "S = E[M]", short(mean, DIGITS), 30
    return "S", "by the attack's own law", None


def published(
    cell: Cell, attack: UnperturbedItem | SubsetGain | PatternAttack | Demotion
) -> tuple[str, str]:
    """S of the kinds that are not in the list of equations."""
    protocol, r, d = cell.pure, int(cell.targets.size), cell.pure.domain_size
    mean = short(r * attack.support(protocol, r).target, DIGITS)
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


def parts(cell: Cell) -> str:
    """The share of each part of a mixture, and how many targets one of its fakes supports."""
    terms = []
    for part in cell.fakes:
        law = part.strategy.item_support(cell.pure, part.targets, cell.targets)
        assert law is not None  # or there would be no S to show
        weight = part.count / max(cell.malicious, 1)
        terms.append(f"{short(weight)} · {short(float(law.rates[cell.targets].sum()))}")
    return " + ".join(terms) if len(terms) <= 5 else " + ".join([*terms[:4], "…", terms[-1]])


def gain_number(cell: Cell, attack: Attack | Mixture) -> int:
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


def added_up(cell: Cell) -> str:
    """The first true frequencies of the targets, added up."""
    each = [short(float(f)) for f in cell.population.frequencies[cell.targets]]
    return " + ".join(each) if len(each) <= 5 else " + ".join([*each[:4], "…", each[-1]])
