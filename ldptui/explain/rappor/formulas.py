"""RAPPOR's formulas with the present numbers put in: noise, bits, decoding, what fakes gain.

Its p and q are the reverse of Wang's: q > p, q* > p*.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core import theory
from ldptui.core.attacks import malicious_users
from ldptui.core.cell import Cell
from ldptui.core.protocols import BitNoise, Rappor
from ldptui.core.protocols import rappor as bloom

from ...text.format import count, short
from .. import unary
from ..attack import attacked
from ..closed_forms import choice, estimates
from ..formula import CJG, FINE, RAP, Entry, Formula, numeric
from ..setting import Setting
from .closed import closed_forms
from .report import hashes_here

NOISE: Final = "RAPPOR's noise: its p and q are the reverse of Wang's"

_SUPPORTED: Final = {
    "random": ("S = r/2", "{r} / 2"),
    "crafted": ("S = r: all bits of the targets", "{r}"),
    "honest": ("S = q* + (r − 1)(p* + c (q* − p*))", "{q} + {rest} · ({p} + {c} · {gap})"),
}
"""The number of targets whose bits one fake report has, in symbols and with numbers, by law."""


def formulas(setting: Setting) -> Iterator[Formula]:
    """The formulas of all forms of RAPPOR, then those of the basic forms or of Bloom filters."""
    noise, cell = setting.noise, setting.cell
    assert noise is not None  # or this would be another family's story
    hashes = getattr(setting.protocol, "hashes", 1)
    yield from _noise(noise, hashes)
    if cell is None:
        yield from closed_forms(setting, noise, hashes)
    elif setting.is_pure:
        yield from unary.budget(setting.protocol)
        yield from choice(setting.protocol)
        yield from estimates(setting, unary.unit_variance)
        yield from attacked(setting, unary.SUPPORTED, unary.padding)
    else:
        yield from _bloom(cell, setting.protocol)


def _noise(noise: BitNoise, h: int) -> Iterator[Formula]:
    """The noise of one bit, in all forms, and the privacy of one report and of all."""
    f = noise.f
    f_, p_, q_ = map(short, (f, noise.p, noise.q))
    low, high = short(noise.p_star, FINE), short(noise.q_star, FINE)
    live = partial(numeric, NOISE)

    yield live(
        "A permanent bit is 1 where the true bit is 1",
        "Pr[B′ᵢ = 1 | Bᵢ = 1] = 1 − f/2", f"1 − {f_} / 2", 1 - f / 2, RAP, 36,
    )  # fmt: skip
    yield live(
        "A permanent bit is 1 where the true bit is 0",
        "Pr[B′ᵢ = 1 | Bᵢ = 0] = f/2", f"{f_} / 2", f / 2, RAP, 36,
    )  # fmt: skip
    yield live(
        "A true 1 is sent as 1: Wang's p", "q* = f (p + q)/2 + (1 − f) q",
        f"{f_} · ({p_} + {q_}) / 2 + (1 − {f_}) · {q_}", noise.q_star, RAP, 38,
        Entry("q_star", "q*", "RAP lemma 1"),
    )  # fmt: skip
    yield live(
        "A true 0 is sent as 1: Wang's q", "p* = f (p + q)/2 + (1 − f) p",
        f"{f_} · ({p_} + {q_}) / 2 + (1 − {f_}) · {p_}", noise.p_star, RAP, 38,
        Entry("p_star", "p*", "RAP lemma 1"),
    )  # fmt: skip
    yield live(
        "Privacy of one report", "ε₁ = h ln[ q* (1 − p*) / (p* (1 − q*)) ]",
        f"{h} · ln[ {high} · (1 − {low}) / ({low} · (1 − {high})) ]", noise.epsilon_one(h), RAP, 38,
    )  # fmt: skip
    if noise.memoised:
        yield live(
            "Privacy of all reports of a value", "ε∞ = 2h ln[ (1 − f/2) / (f/2) ]",
            f"2 · {h} · ln[ (1 − {f_} / 2) / ({f_} / 2) ]", noise.epsilon_infinity(h), RAP, 37,
        )  # fmt: skip
    else:
        yield Formula(
            "Privacy of all reports of a value", "ε∞ = 2h ln[ (1 − f/2) / (f/2) ]",
            "f = 0: no noise is kept, averages undo the fresh one", "unbounded",
            noise.epsilon_infinity(h), RAP, 37, NOISE,
        )  # fmt: skip


def _bloom(cell: Cell, protocol: Rappor) -> Iterator[Formula]:
    """The formulas of Bloom filters: one bit, decoding, the attack."""
    if hashes_here(protocol):
        yield from _bit(cell, protocol)
    yield from _decoding(cell, protocol)
    yield from _attack(cell, protocol)


def _bit(cell: Cell, protocol: Rappor) -> Iterator[Formula]:
    """The estimate of one bit: that of cohort 0 that most genuine users have."""
    noise, users = protocol.noise, cell.users / protocol.cohorts
    p, gap = noise.p_star, noise.gap
    held = protocol.design.bits_of(cell.population.frequencies)[0]
    bit = int(np.argmax(held))
    share = float(held[bit])
    part = f"Bit i = {bit} of cohort j = 0, which {short(share)} of the genuine users have"
    n_, p_, gap_ = short(users, FINE), short(p), short(gap)
    sent = users * (p + gap * share)
    live = partial(numeric, part)

    yield live(
        "Reports that have the bit, on average", "E[cᵢⱼ] = Nⱼ (p* + (q* − p*) Fᵢⱼ)",
        f"{n_} · ({p_} + {gap_} · {short(share)})", sent, RAP, None,
    )  # fmt: skip
    yield live(
        "The estimate from that count: unbiased", "tᵢⱼ = (cᵢⱼ − p* Nⱼ) / (q* − p*)",
        f"({short(sent, FINE)} − {short(p, FINE)} · {n_}) / {short(gap, FINE)}",
        users * share, RAP, 39,
    )  # fmt: skip
    rare = bloom.bit_count_std(noise, users) ** 2
    left = 1 - p - noise.q_star
    yield live(
        "Its variance where nobody has the bit", "Var*[tᵢⱼ] = Nⱼ p* (1 − p*) / (q* − p*)²",
        f"{n_} · {p_} · {short(1 - p)} / {gap_}²", rare, RAP, 41,
    )  # fmt: skip
    yield live(
        "Its variance: q* and p* have swapped roles",
        "Var[tᵢⱼ] = Nⱼ p* (1 − p*) / (q* − p*)² + Nⱼ Fᵢⱼ (1 − p* − q*) / (q* − p*)",
        f"{short(rare, FINE)} + {n_} · {short(share)} · ({short(left)}) / {gap_}",
        rare + users * share * left / gap, RAP, 40,
    )  # fmt: skip


def _decoding(cell: Cell, protocol: Rappor) -> Iterator[Formula]:
    """The estimate of a candidate from all bits of all cohorts."""
    noise, h, users = protocol.noise, protocol.hashes, cell.users
    d, part = protocol.domain_size, "Decoding"
    p, gap = noise.p_star, noise.gap
    spread = bloom.count_std(noise, h, users)
    live = partial(numeric, part, source=RAP)

    yield live(
        "Standard deviation of a rare candidate's count",
        "σ ≈ √(N p* (1 − p*) / h) / (q* − p*)",
        f"√({count(users, 9)} · {short(p)} · {short(1 - p)} / {h}) / {short(gap)}", spread,
    )  # fmt: skip
    yield live(
        "Of its frequency", "σ / N", f"{short(spread, FINE)} / {count(users, 9)}", spread / users
    )
    room = 0.8 * protocol.bits * protocol.cohorts
    selected = "a lasso selects first" if d > room else "all at once"
    yield Formula(
        "Candidates that can be estimated together", "M ≤ 0.8 k m",
        f"M = {count(d)}, 0.8 · {protocol.bits} · {protocol.cohorts} = {short(room)}",
        selected, room, RAP, None, part,
    )  # fmt: skip
    level = protocol.alpha / d if protocol.adjust == "bonferroni" else protocol.alpha
    formula = "p-value ≤ α/M" if protocol.adjust == "bonferroni" else "k-th p-value ≤ α k/M"
    put = f"{short(protocol.alpha)} / {count(d)}" if protocol.adjust == "bonferroni" else "k = M"
    yield live("A candidate is detected", f"{formula}: {protocol.adjust}", put, level)
    yield live(
        "Equally frequent strings that N users reveal, at most",
        "√(h N) (q* − p*) / (Q √(p* (1 − p*))), Q = Φ⁻¹(1 − 0.05/M)",
        f"√({h} · {count(users, 9)}) · {short(gap)} / (Q √({short(p)} · {short(1 - p)}))",
        bloom.learnable_items(noise, users, d, h),
    )  # fmt: skip


def _attack(cell: Cell, protocol: Rappor) -> Iterator[Formula]:
    """The gain of the targets' bits, before decoding, for three laws of reports."""
    attack = cell.attack
    law: Any = getattr(attack, "report_law", "")
    if attack is None or law not in _SUPPORTED or getattr(attack, "reacts", True):
        return
    noise, k, h, r = protocol.noise, protocol.bits, protocol.hashes, int(cell.targets.size)
    held = cell.target_frequency
    part = f"Attack: {attack.kind.upper()}, r = {r}, bits before decoding"
    wanted = getattr(attack, "share", cell.share)
    shared = 1 - (1 - 1 / k) ** h
    crowd = bloom.cohort_share(cell.users, cell.malicious, protocol.cohorts, attack.cohort)
    live = partial(numeric, part, source=CJG)

    yield live(
        "Fake users", "m = round(n β / (1 − β))",
        f"round({count(cell.users, 9)} · {short(wanted)} / (1 − {short(wanted)}))",
        malicious_users(cell.users, wanted),
    )  # fmt: skip
    yield live(
        "Their share of a cohort, on average", "β = mean of βⱼ over the cohorts",
        f"{count(cell.malicious)} fakes in {count(protocol.cohorts)} cohorts", crowd,
    )  # fmt: skip
    yield live(
        "Another item's filter has a given bit", "c = 1 − (1 − 1/k)^h",
        f"1 − (1 − 1 / {k})^{h}", shared, source=RAP,
    )  # fmt: skip
    formula, put = _SUPPORTED[law]
    supported = {
        "random": r / 2,
        "crafted": float(r),
        "honest": noise.q_star + (r - 1) * (noise.p_star + shared * noise.gap),
    }[law]
    numbers = {"q": noise.q_star, "p": noise.p_star, "c": shared, "gap": noise.gap}
    written = put.format(r=r, rest=r - 1, **{name: short(value) for name, value in numbers.items()})
    yield live("Targets whose bits one fake report has", formula, written, supported)
    gained = bloom.ideal_bit_support_gain(law, noise, k, h, r, crowd, held)
    yield live(
        "Gain of the targets' bits, over all hash functions",
        "G = β [ (S − r p*) / (q* − p*) − f_T − (r − f_T) c ]",
        f"{short(crowd, FINE)} · [ ({short(supported, FINE)} − {r} · {short(noise.p_star, FINE)}) "
        f"/ {short(noise.gap)} − {short(held)} − {short(r - held)} · {short(shared)} ]",
        gained,
    )  # fmt: skip
    exact = theory.bit_gain(cell) if hashes_here(protocol) else None
    if exact is not None:
        yield live(
            "… for the hash functions of these cohorts",
            "Σ_(t∈T) mean over t's bits of βⱼ [ (sᵢⱼ − p*) / (q* − p*) − Fᵢⱼ ]",
            f"{r} targets, {h} bits in each of {count(protocol.cohorts)} cohorts", exact,
        )  # fmt: skip
