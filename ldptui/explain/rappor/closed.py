"""RAPPOR's rows in the table of closed forms: what its numbers give, without a population."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from ldptui.core import theory
from ldptui.core.protocols import rappor as bloom

from ..attack import COMPARED, compared, gain_keys, kind_of
from ..formula import Formula, cited, listed
from ..lines import bound_keys
from ..setting import Setting
from ..table import has_gains, missing

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
    known = _numbers(setting)
    rows = _rows(setting, known["epsilon_one"])
    yield from (row.at(known) for row in rows if row.key in known)
    gains = compared(setting, _WITH.__getitem__)
    yield from gains if setting.is_pure else _bit_gains(setting)


def _numbers(setting: Setting) -> dict[str, float]:
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
