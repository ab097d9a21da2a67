"""RAPPOR's formulas with the present numbers put in: noise, bits, decoding, what fakes gain.

Its p and q are the reverse of Wang's: q > p, q* > p*.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.attacks import malicious_users
from ldptui.core.cell import Cell
from ldptui.core.protocols import BitNoise, Rappor
from ldptui.core.protocols import rappor as bloom

from ..text.format import short
from . import unary_formulas
from .attack_formulas import COMPARED, FAKES, compared, gain_keys, kind_of
from .citations import cited
from .family_explanation import Story
from .formula import CJG, RAP, Crowd, Entry, Formula, Numbers, Plain, listed, told
from .formula_inputs import Setting
from .formula_table import has_gains, missing
from .gain_line_formulas import bound_keys
from .rappor_report import hashes_here, reports

_WITH: Final = {
    "random": "G with S = r/2",
    "honest": "G with S of an honest report",
    "crafted": "G with S = r",
}
"""The gain by the law of the fakes' reports."""

TABLE: Final = (
    "f", "q_star", "p_star", "epsilon_one", "epsilon_infinity", "variance_per_user",
    "frequency_std", "count_std", "learnable_items", "false_attribution",
    *gain_keys(), *bound_keys(),
)  # fmt: skip

FIELDS: Final = (
    "form", "f", "p_star", "q_star", "epsilon_one", "epsilon_infinity", "count_std",
    "learnable_items", "false_attribution",
)  # fmt: skip

BRIEF: Final = ("form", "epsilon_one", "epsilon_infinity", "p_star", "q_star")

SYMBOLS: Final = {"k": "bits", "h": "hashes", "m": "cohorts", "p": "p", "q": "q"}


def closed_forms(setting: Setting) -> Iterator[Formula]:
    """The closed forms, as far as the numbers that they need are given."""
    known = _known_of(setting)
    rows = _rows(setting, known["epsilon_one"])
    yield from (row.at(known) for row in rows if row.key in known)
    gains = compared(setting, _WITH.__getitem__)
    yield from gains if setting.is_pure else _bit_gains(setting)


def rows_of_noise(noise: BitNoise, hashes: int) -> dict[str, Formula]:
    """The closed forms of a noise on `hashes` bits, by their fields."""
    setting = Setting(Rappor(2, 16, hashes, 1, noise), {"kind": "rappor", "form": ""})
    return {row.key: row for row in closed_forms(setting)}


def _known_of(setting: Setting) -> dict[str, float]:
    noise, hashes = setting.protocol.noise, setting.protocol.hashes
    users, held, given = setting.users, setting.held, setting.given.get("epsilon")
    known = {
        "form": math.nan, "recommended": math.nan, "f": noise.f,
        "epsilon_one": noise.epsilon_one(hashes) if given is None else given,
        "epsilon_infinity": noise.epsilon_infinity(hashes),
        "variance_per_user": bloom.count_std(noise, hashes, 1) ** 2,
    }  # fmt: skip
    if users is not None:
        most = bloom.learnable_items(noise, users, setting.protocol.domain_size, hashes)
        std = bloom.count_std(noise, hashes, users)
        known |= {"frequency_std": std / users, "count_std": std, "learnable_items": most}
    if held is not None and setting.r in (None, 1):
        known["false_attribution"] = bloom.false_attribution(noise, hashes, held)
    return known


def _rows(setting: Setting, epsilon: float) -> tuple[Formula, ...]:
    """The rows of a setting: what one report and all reports give away, and the spread."""
    h, over = ("", "") if setting.is_pure else ("h", "/h")
    one, ever = f"{h} ln(q*(1 − p*)/(p*(1 − q*)))".lstrip(), f"2{h} ln((1 − f/2)/(f/2))"
    best = theory.least_error(setting.protocol.domain_size, epsilon)
    how = "as given" if setting.given.get("epsilon") is None else "solved for ε₁"
    all_reports = listed("epsilon_infinity", "ε∞, all reports", ever, "RAP th. 1")
    return (
        listed("form", "", "", "", str(setting.given["form"])),
        listed("f", "f", how, "RAP 3.2"),
        listed("epsilon_one", "ε₁, one report", one, "RAP 3.2"),
        all_reports if setting.protocol.noise.memoised else replace(all_reports, said="unbounded"),
        listed("recommended", "", "", "", best),
        listed("variance_per_user", "variance per user", f"p*(1 − p*)/(q* − p*)²{over}", "RAP 4"),
        listed("frequency_std", "frequency std", "count std / N", "RAP 4"),
        listed("count_std", "count std", "√(N · variance per user)", "RAP 4"),
        listed("learnable_items", "learnable items", "√(hN)(q* − p*)/(Q√(p*(1 − p*)))", "RAP 5"),
        listed("false_attribution", "false attribution", "Pr[not v | bits of v]", "RAP 5.3"),
    )


def _bit_gains(setting: Setting) -> Iterator[Formula]:
    """The gains of the targets' bits, before decoding."""
    r, share, held, protocol = setting.r, setting.share, setting.held, setting.protocol
    if r is None or share is None or held is None:
        return
    for law in COMPARED:
        kind, known = kind_of(law), cast("Any", law)
        gained = bloom.ideal_bit_support_gain(
            known, protocol.noise, protocol.bits, protocol.hashes, r, share, held
        )
        key, name = f"gain.{kind}", f"bit gain of {kind.upper()}"
        yield listed(key, name, _WITH[law], "CJG eq. 7").at({key: gained})


def notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    """Notes on p and q, on what can be learnt, and on the formula of the gain."""
    yield "p and q are the reverse of Wang's: q = Pr[1 | bit 1] > p = Pr[1 | bit 0]"
    if setting.users is not None:
        yield "learnable: number of items of equal frequency at most; Q = Φ⁻¹(1 − 0.05/d)"
    if has_gains(rows) and setting.is_pure:
        yield "G = β[(S − rp*)/(q* − p*) − f_T], S = targets that a report supports"
    elif has_gains(rows):
        yield "bit gain: of the share of users that a target's bits show, before decoding"
        yield "G = β[(S − rp*)/(q* − p*) − f_T − (r − f_T)c], c = 1 − (1 − 1/k)^h"
    yield from missing(setting)
    yield from cited({"RAP", "CJG"})


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
        yield from unary_formulas.told_of(setting, (unary_formulas.BUDGET,))
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


STORY: Final = Story(
    formulas,
    reports,
    table=TABLE,
    fields=FIELDS,
    brief=BRIEF,
    remark=lambda _: "reverse of Wang's p, q",
    symbols=SYMBOLS,
    notes=notes,
)
