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

from ..text.format import short
from .attack_formulas import COMPARED, FAKES, compare_attacks, kind_of
from .family_explanation import FamilyExplanation
from .formula import Formula, KnownNumbers, list_formula
from .formula_inputs import FormulaSetting
from .item_formulas import BUDGET, PADDING, UNARY_LAWS, pad_numbers
from .pure_formulas import pure
from .rappor_report import hashes_here, reports

_row = partial(Formula, source="RAP")
_lemma = partial(Formula, source="RAP lemma 1", number=38)
_of_fakes = partial(Formula, source="CJG")

NOISE: Final = (
    _row("A permanent bit is 1 where the true bit is 1", "Pr[B′ᵢ = 1 | Bᵢ = 1] = 1 − f/2",
         number=36, put="1 − {f} / 2"),
    _row("A permanent bit is 1 where the true bit is 0", "Pr[B′ᵢ = 1 | Bᵢ = 0] = f/2",
         number=36, put="{f} / 2"),
    _lemma("A true 1 is sent as 1: Wang's p", "q* = f (p + q)/2 + (1 − f) q", key="q_star",
           put="{f} · ({p} + {q}) / 2 + (1 − {f}) · {q}"),
    _lemma("A true 0 is sent as 1: Wang's q", "p* = f (p + q)/2 + (1 − f) p", key="p_star",
           put="{f} · ({p} + {q}) / 2 + (1 − {f}) · {p}"),
    _row("Privacy of one report",
         "ε₁ = h ln({q*:8}(1 − {p*:8}) / ({p*:8}(1 − {q*:8})))", source="RAP 3.2",
         key="epsilon_one", number=38, name="ε₁, one report"),
)  # fmt: skip
"""The noise of one bit, in all forms, and the privacy of one report."""

KEPT: Final = _row(
    "Privacy of all reports of a value", "ε∞ = 2h ln[ (1 − f/2) / (f/2) ]", source="RAP th. 1",
    key="epsilon_infinity", number=37, name="ε∞, all reports",
    put="2 · {h} · ln[ (1 − {f} / 2) / ({f} / 2) ]",
)  # fmt: skip
UNBOUNDED: Final = replace(
    KEPT, put="f = 0: no noise is kept, averages undo the fresh one", said="unbounded"
)

ERRORS: Final = (
    list_formula("f", "f", "as given, or solved for ε₁", "RAP 3.2"),
    list_formula("variance_per_user", "variance per user", "p*(1 − p*)/(q* − p*)²/h", "RAP 4"),
    list_formula("frequency_std", "frequency std", "count std / N", "RAP 4"),
    list_formula("count_std", "count std", "√(N · variance per user)", "RAP 4"),
    list_formula("learnable_items", "learnable items", "√(hN)(q* − p*)/(Q√(p*(1 − p*)))", "RAP 5"),
    list_formula("false_attribution", "false attribution", "Pr[not v | bits of v]", "RAP 5.3"),
)
"""The spread of the estimates and what can be learnt, for the table."""

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
DECODING: Final = (
    _row("Standard deviation of a rare candidate's count",
         "σ ≈ √(N p* {(1 − p*)} / h) / {(q* − p*)}"),
    _row("Of its frequency", "{σ:8} / N"),
    _row("Equally frequent strings that N users reveal, at most",
         f"{LEARNABLE}, Q = Φ⁻¹(1 − 0.05/M)",
         put="√({h} · {N}) · {q* − p*} / (Q √({p*} · {1 − p*}))"),
)  # fmt: skip
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
"""The estimate of a candidate from all bits of all cohorts."""

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


def noise_numbers(setting: FormulaSetting) -> KnownNumbers:
    """The numbers of RAPPOR's noise on bits, as far as they are known."""
    protocol, users, held = setting.protocol, setting.users, setting.held
    noise, h, given = protocol.noise, protocol.hashes, setting.given.get("epsilon")
    known = KnownNumbers(
        setting, f=noise.f, p=noise.p, q=noise.q, h=h, q_star=noise.q_star, p_star=noise.p_star,
        epsilon_one=noise.epsilon_one(h) if given is None else given,
        epsilon_infinity=noise.epsilon_infinity(h),
        variance_per_user=bloom.count_std(noise, h, 1) ** 2,
    )  # fmt: skip
    known |= {"p*": noise.p_star, "q*": noise.q_star}
    if users is not None:
        std = bloom.count_std(noise, h, users)
        known |= {"frequency_std": std / users, "count_std": std}
        known["learnable_items"] = bloom.learnable_items(noise, users, protocol.domain_size, h)
    if held is not None and setting.r in (None, 1):
        known["false_attribution"] = bloom.false_attribution(noise, h, held)
    return known


def rows_of_noise(noise: BitNoise, hashes: int) -> dict[str, Formula]:
    """The closed forms of a noise on `hashes` bits, by key."""
    setting = FormulaSetting(Rappor(2, 16, hashes, 1, noise), {"kind": "rappor", "form": ""})
    return {row.key: row for row in formulas(setting) if row.key}


def formulas(setting: FormulaSetting) -> Iterator[Formula]:
    """Yields the formulas of all forms of RAPPOR, then those of basic RAPPOR or of
    Bloom filters.
    """
    protocol, noise, cell = setting.protocol, setting.protocol.noise, setting.cell
    known = noise_numbers(setting)
    heading = "RAPPOR's noise: its p and q are the reverse of Wang's"
    yield from known.fill((*NOISE, KEPT if noise.is_memoised else UNBOUNDED), heading)
    if cell is None:
        best = theory.least_error(protocol.domain_size, known["epsilon_one"])
        words = {"form": str(setting.given["form"]), "recommended": best}
        yield from known.fill(
            replace(list_formula(key, "", "", ""), said=words[key]) for key in words
        )
        yield from known.fill(ERRORS)
        yield from compare_attacks(setting, UNARY_LAWS) if setting.is_pure else _bit_gains(known)
    elif setting.is_pure:
        yield from pure((BUDGET,), UNARY_LAWS, crafting=(PADDING,), own=pad_numbers)(setting)
    else:
        if hashes_here(protocol):
            yield from _bit(cell, protocol, known)
        yield from _decoding(cell, protocol, known)
        yield from _attack(cell, protocol, known)


def _bit_gains(known: KnownNumbers) -> Iterator[Formula]:
    """Yields the gains of the targets' bits, before decoding."""
    setting = known.setting
    r, share, held, protocol = setting.r, setting.share, setting.held, setting.protocol
    if r is None or share is None or held is None:
        return
    for law in COMPARED:
        key, kind = f"gain.{kind_of(law)}", kind_of(law).upper()
        known[key] = bloom.ideal_bit_support_gain(
            law, protocol.noise, protocol.bits, protocol.hashes, r, share, held
        )
        text = f"G with S = {SUPPORTED[law].brief}"
        yield from known.fill((list_formula(key, f"bit gain of {kind}", text, "CJG eq. 7"),))


def _bit(cell: Cell, protocol: Rappor, known: KnownNumbers) -> Iterator[Formula]:
    """Yields the estimate of one bit of cohort 0: the one that most genuine users have."""
    noise, users = protocol.noise, cell.users / protocol.cohorts
    held = protocol.design.bits_of(cell.population.frequencies)[0]
    bit = int(np.argmax(held))
    share = float(held[bit])
    known |= {
        "Nⱼ": users,
        "Fᵢⱼ": share,
        "cᵢⱼ": users * (noise.p_star + noise.gap * share),
        "tᵢⱼ": users * share,
        "Var*[tᵢⱼ]": bloom.bit_count_std(noise, users) ** 2,
    }
    part = f"Bit i = {bit} of cohort j = 0, which {short(share)} of the genuine users have"
    yield from known.fill(BIT, part)


def _decoding(cell: Cell, protocol: Rappor, known: KnownNumbers) -> Iterator[Formula]:
    """Yields the estimate of a candidate from all bits of all cohorts."""
    noise, h, users, d = protocol.noise, protocol.hashes, cell.users, protocol.domain_size
    known |= {
        "N": users, "M": d, "k": protocol.bits, "m": protocol.cohorts,
        "σ": bloom.count_std(noise, h, users), "α": protocol.alpha, "α k/M": protocol.alpha,
        LEARNABLE: bloom.learnable_items(noise, users, d, h),
    }  # fmt: skip
    room = 0.8 * protocol.bits * protocol.cohorts
    together = replace(TOGETHER, said="a lasso selects first" if d > room else "all at once")
    rows = (*DECODING, together, DETECTED[protocol.adjust])
    yield from known.fill(rows, "Decoding")


def _attack(cell: Cell, protocol: Rappor, known: KnownNumbers) -> Iterator[Formula]:
    """Yields the gain of the targets' bits, before decoding, for three distributions of fake
    reports.
    """
    attack = cell.attack
    law: Any = getattr(attack, "report_law", "")
    if attack is None or law not in SUPPORTED or getattr(attack, "reacts", True):
        return
    noise, k, h, r = protocol.noise, protocol.bits, protocol.hashes, int(cell.targets.size)
    held, wanted = cell.target_frequency, getattr(attack, "share", cell.share)
    crowd = bloom.cohort_share(cell.users, cell.malicious, protocol.cohorts, attack.cohort)
    part = f"Attack: {attack.kind.upper()}, r = {r}, bits before decoding"
    fakes = {"n": cell.users, "m": malicious_users(cell.users, wanted), "β": wanted}
    yield FAKES.at(fakes, part)
    known |= {
        "β": crowd, "fakes": cell.malicious, "cohorts": protocol.cohorts,
        "k": k, "c": 1 - (1 - 1 / k) ** h, "r": r, "f_T": held,
        "G": bloom.ideal_bit_support_gain(law, noise, k, h, r, crowd, held),
    }  # fmt: skip
    yield from known.fill((*COHORTS, SUPPORTED[law], GAIN), part)
    exact = theory.bit_gain(cell) if hashes_here(protocol) else None
    if exact is not None:
        yield EXACT.at({**known, EXACT.text: exact}, part)


def _notes(setting: FormulaSetting) -> Iterator[str]:
    """Yields notes on p and q, and on how many items can be learnt."""
    yield "p and q are the reverse of Wang's: q = Pr[1 | bit 1] > p = Pr[1 | bit 0]"
    if setting.users is not None:
        yield "learnable: number of items of equal frequency at most; Q = Φ⁻¹(1 − 0.05/d)"


def _note_bit_gain(setting: FormulaSetting) -> Iterator[str]:
    """Notes on the formula of the gain of bits."""
    if not setting.is_pure:
        yield "bit gain: of the share of users that a target's bits show, before decoding,"
        yield "which is (r − f_T)c less: c = 1 − (1 − 1/k)^h"


EXPLANATIONS: Final = {
    "rappor": FamilyExplanation(
        formulas,
        reports,
        remark=lambda _: "reverse of Wang's p, q",
        symbols={"k": "bits", "h": "hashes", "m": "cohorts", "p": "p", "q": "q"},
        notes=_notes,
        attacked=_note_bit_gain,
        gain="G = β[(S − rp*)/(q* − p*) − f_T], S = targets that a report supports",
    )
}
