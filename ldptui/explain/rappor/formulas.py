"""RAPPOR's formulas with the present numbers put in: noise, bits, decoding, what fakes gain.

Its p and q are the reverse of Wang's: q > p, q* > p*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core import theory
from ldptui.core.attacks import malicious_users
from ldptui.core.cell import Cell
from ldptui.core.protocols import BitNoise, Rappor
from ldptui.core.protocols import rappor as bloom

from ...text.format import short
from .. import unary
from ..attack import FAKES
from ..expression import Crowd, Numbers, Plain
from ..formula import CJG, RAP, Entry, Formula, told
from ..setting import Setting
from .closed import closed_forms
from .report import hashes_here

_row = partial(Formula, source=RAP)

NOISE: Final = (
    _row("A permanent bit is 1 where the true bit is 1", "Pr[B′ᵢ = 1 | Bᵢ = 1] = 1 − f/2",
         number=36, put="1 − {f} / 2"),
    _row("A permanent bit is 1 where the true bit is 0", "Pr[B′ᵢ = 1 | Bᵢ = 0] = f/2",
         number=36, put="{f} / 2"),
    _row("A true 1 is sent as 1: Wang's p", "q* = f (p + q)/2 + (1 − f) q", number=38,
         put="{f} · ({p} + {q}) / 2 + (1 − {f}) · {q}", entry=Entry("q_star", "q*", "RAP lemma 1")),
    _row("A true 0 is sent as 1: Wang's q", "p* = f (p + q)/2 + (1 − f) p", number=38,
         put="{f} · ({p} + {q}) / 2 + (1 − {f}) · {p}", entry=Entry("p_star", "p*", "RAP lemma 1")),
    _row("Privacy of one report",
         "ε₁ = h ln[ {q*:8} (1 − {p*:8}) / ({p*:8} (1 − {q*:8})) ]", number=38),
)  # fmt: skip
"""The noise of one bit, in all forms, and the privacy of one report."""

KEPT: Final = _row(
    "Privacy of all reports of a value", "ε∞ = 2h ln[ (1 − f/2) / (f/2) ]", number=37,
    put="2 · {h} · ln[ (1 − {f} / 2) / ({f} / 2) ]",
)  # fmt: skip
UNBOUNDED: Final = replace(
    KEPT, put="f = 0: no noise is kept, averages undo the fresh one", said="unbounded"
)

BIT: Final = (
    _row("Reports that have the bit, on average",
         "E[cᵢⱼ] = {Nⱼ:8} (p* + {(q* − p*)} Fᵢⱼ)"),
    _row("The estimate from that count: unbiased",
         "tᵢⱼ = ({cᵢⱼ:8} − {p*:8} {Nⱼ:8}) / {(q* − p*):8}", number=39),
    _row("Its variance where nobody has the bit",
         "Var*[tᵢⱼ] = {Nⱼ:8} p* {(1 − p*)} / {(q* − p*)}²", number=41),
    _row("Its variance: q* and p* have swapped roles",
         "Var[tᵢⱼ] = {Nⱼ p* (1 − p*) / (q* − p*)²:8} "
         "+ {Nⱼ:8} Fᵢⱼ ({1 − p* − q*}) / {(q* − p*)}", number=40),
)  # fmt: skip
"""The estimate of one bit."""

LEARNABLE: Final = "√(h N) (q* − p*) / (Q √(p* (1 − p*)))"
TOGETHER: Final = _row(
    "Candidates that can be estimated together", "M ≤ 0.8 k m",
    put="M = {M}, 0.8 · {k} · {m} = {0.8 k m}",
)  # fmt: skip
DETECTED: Final = {
    "bonferroni": _row("A candidate is detected", "p-value ≤ α/M: bonferroni", put="{α} / {M}"),
    "benjamini-hochberg": _row(
        "A candidate is detected", "k-th p-value ≤ α k/M: benjamini-hochberg", put="k = M"
    ),
}
DECODING: Final = (
    _row("Standard deviation of a rare candidate's count",
         "σ ≈ √(N p* {(1 − p*)} / h) / {(q* − p*)}"),
    _row("Of its frequency", "{σ:8} / N"),
)  # fmt: skip
REVEALED: Final = _row(
    "Equally frequent strings that N users reveal, at most",
    f"{LEARNABLE}, Q = Φ⁻¹(1 − 0.05/M)", put="√({h} · {N}) · {q* − p*} / (Q √({p*} · {1 − p*}))",
)  # fmt: skip
"""The estimate of a candidate from all bits of all cohorts."""

_of_fakes = partial(Formula, source=CJG)

COHORTS: Final = (
    _of_fakes("Their share of a cohort, on average", "β = mean of βⱼ over the cohorts",
              put="{fakes} fakes in {cohorts} cohorts"),
    _row("Another item's filter has a given bit", "c = 1 − (1 − 1/k)^h",
         put="1 − (1 − 1 / {k})^{h}"),
)  # fmt: skip
_SUPPORTED: Final = partial(_of_fakes, "Targets whose bits one fake report has")
SUPPORTED: Final = {
    "random": _SUPPORTED("S = r/2", put="{r} / 2"),
    "crafted": _SUPPORTED("S = r: all bits of the targets"),
    "honest": _SUPPORTED("S = q* + {(r − 1)}(p* + c {(q* − p*)})"),
}
"""The number of targets whose bits one fake report has, by law."""

GAIN: Final = _of_fakes(
    "Gain of the targets' bits, over all hash functions",
    "G = {β:8} [ ({S:8} − r {p*:8}) / {(q* − p*)} − f_T − {(r − f_T)} c ]",
)
EXACT: Final = _of_fakes(
    "… for the hash functions of these cohorts",
    "Σ_(t∈T) mean over t's bits of βⱼ [ (sᵢⱼ − p*) / (q* − p*) − Fᵢⱼ ]",
    put="{r} targets, {h} bits in each of {cohorts} cohorts",
)


def formulas(setting: Setting) -> Iterator[Formula]:
    """The formulas of all forms of RAPPOR, then those of the basic forms or of Bloom filters."""
    noise, cell = setting.protocol.noise, setting.cell
    known = _numbers(noise, setting.protocol.hashes)
    heading = "RAPPOR's noise: its p and q are the reverse of Wang's"
    yield from told((*NOISE, KEPT if noise.memoised else UNBOUNDED), known, heading)
    if cell is None:
        yield from closed_forms(setting)
    elif setting.is_pure:
        yield from unary.told_of(setting, (unary.BUDGET,))
    else:
        if hashes_here(setting.protocol):
            yield from _bit(cell, setting.protocol, known)
        yield from _decoding(cell, setting.protocol, known)
        yield from _attack(cell, setting.protocol, known)


def _numbers(noise: BitNoise, h: int) -> dict[str, float]:
    return {
        "f": noise.f, "p": noise.p, "q": noise.q, "p*": noise.p_star, "q*": noise.q_star,
        "h": Plain(h), "ε₁": noise.epsilon_one(h), "ε∞": noise.epsilon_infinity(h),
    }  # fmt: skip


def _bit(cell: Cell, protocol: Rappor, known: Numbers) -> Iterator[Formula]:
    """The estimate of one bit: that of cohort 0 that most genuine users have."""
    noise, users = protocol.noise, cell.users / protocol.cohorts
    held = protocol.design.bits_of(cell.population.frequencies)[0]
    bit = int(np.argmax(held))
    share = float(held[bit])
    of_bit = {
        "Nⱼ": users,
        "Fᵢⱼ": share,
        "cᵢⱼ": users * (noise.p_star + noise.gap * share),
        "tᵢⱼ": users * share,
        "Var*[tᵢⱼ]": bloom.bit_count_std(noise, users) ** 2,
    }
    part = f"Bit i = {bit} of cohort j = 0, which {short(share)} of the genuine users have"
    yield from told(BIT, {**known, **of_bit}, part)


def _decoding(cell: Cell, protocol: Rappor, known: Numbers) -> Iterator[Formula]:
    """The estimate of a candidate from all bits of all cohorts."""
    noise, h, users, d = protocol.noise, protocol.hashes, cell.users, protocol.domain_size
    of_all = {
        "N": Crowd(users), "M": d, "k": Plain(protocol.bits), "m": Plain(protocol.cohorts),
        "σ": bloom.count_std(noise, h, users), "α": protocol.alpha, "α k/M": protocol.alpha,
        LEARNABLE: bloom.learnable_items(noise, users, d, h),
    }  # fmt: skip
    room = 0.8 * protocol.bits * protocol.cohorts
    together = replace(TOGETHER, said="a lasso selects first" if d > room else "all at once")
    rows = (*DECODING, together, DETECTED[protocol.adjust], REVEALED)
    yield from told(rows, {**known, **of_all}, "Decoding")


def _attack(cell: Cell, protocol: Rappor, known: Numbers) -> Iterator[Formula]:
    """The gain of the targets' bits, before decoding, for three laws of reports."""
    attack = cell.attack
    law: Any = getattr(attack, "report_law", "")
    if attack is None or law not in SUPPORTED or getattr(attack, "reacts", True):
        return
    noise, k, h, r = protocol.noise, protocol.bits, protocol.hashes, int(cell.targets.size)
    held, wanted = cell.target_frequency, getattr(attack, "share", cell.share)
    crowd = bloom.cohort_share(cell.users, cell.malicious, protocol.cohorts, attack.cohort)
    part = f"Attack: {attack.kind.upper()}, r = {r}, bits before decoding"
    fakes = {"n": Crowd(cell.users), "m": malicious_users(cell.users, wanted), "β": wanted}
    yield FAKES.at(fakes, part)
    known = {
        **known, "β": crowd, "fakes": cell.malicious, "cohorts": protocol.cohorts,
        "k": Plain(k), "c": 1 - (1 - 1 / k) ** h, "r": Plain(r), "f_T": held,
        "G": bloom.ideal_bit_support_gain(law, noise, k, h, r, crowd, held),
    }  # fmt: skip
    yield from told(COHORTS, known, part)
    supported = SUPPORTED[law].at(known, part)
    yield supported
    known["S"] = float(supported.value)
    yield GAIN.at(known, part)
    exact = theory.bit_gain(cell) if hashes_here(protocol) else None
    if exact is not None:
        yield EXACT.at({**known, EXACT.text: exact}, part)
