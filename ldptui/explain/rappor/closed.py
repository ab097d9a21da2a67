"""RAPPOR's rows in the table of closed forms: what its numbers give, without a population."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from ldptui.core import theory
from ldptui.core.protocols import BitNoise
from ldptui.core.protocols import rappor as bloom

from ..attack import COMPARED, compared, gain_keys, kind_of
from ..formula import Entry, Formula, listed
from ..lines import bound_keys
from ..setting import Setting
from ..table import cited, has_gains, missing

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


def closed_forms(setting: Setting, noise: BitNoise, hashes: int) -> Iterator[Formula]:
    """The closed forms, as far as the numbers that they need are given."""
    users, items = setting.users, setting.protocol.domain_size
    basic, held = setting.is_pure, setting.held
    spread = bloom.count_std(noise, hashes, 1)
    yield listed("form", "", math.nan, "", "", field=str(setting.given["form"]))
    yield from _privacy(setting, noise, hashes)
    over = "" if basic else "/h"
    unit = f"p*(1 − p*)/(q* − p*)²{over}"
    yield listed("variance_per_user", "variance per user", spread**2, unit, "RAP 4")
    if users is not None:
        std = bloom.count_std(noise, hashes, users)
        yield listed("frequency_std", "frequency std", std / users, "count std / N", "RAP 4")
        yield listed("count_std", "count std", std, "√(N · variance per user)", "RAP 4")
        most = bloom.learnable_items(noise, users, items, hashes)
        limit = "√(hN)(q* − p*)/(Q√(p*(1 − p*)))"
        yield listed("learnable_items", "learnable items", most, limit, "RAP 5")
    if held is not None and setting.r in (None, 1):
        wrong = bloom.false_attribution(noise, hashes, held)
        chance = "Pr[not v | bits of v]"
        yield listed("false_attribution", "false attribution", wrong, chance, "RAP 5.3")
    yield from compared(setting, _WITH.__getitem__) if basic else _bit_gains(setting, noise, hashes)


def _privacy(setting: Setting, noise: BitNoise, hashes: int) -> Iterator[Formula]:
    """f, and what one report and all reports of a value give away."""
    epsilon_given = setting.given.get("epsilon")
    epsilon = noise.epsilon_one(hashes) if epsilon_given is None else epsilon_given
    h = "" if setting.is_pure else "h"
    how = "as given" if epsilon_given is None else "solved for ε₁"
    yield listed("f", "f", noise.f, how, "RAP 3.2")
    one_report = f"{h} ln(q*(1 − p*)/(p*(1 − q*)))".lstrip()
    yield listed("epsilon_one", "ε₁, one report", epsilon, one_report, "RAP 3.2")
    all_reports = f"2{h} ln((1 − f/2)/(f/2))"
    if noise.memoised:
        bound = noise.epsilon_infinity(hashes)
        yield listed("epsilon_infinity", "ε∞, all reports", bound, all_reports, "RAP th. 1")
    else:
        yield Formula(
            "", all_reports, "", "unbounded", math.inf, "",
            entry=Entry("epsilon_infinity", "ε∞, all reports", "RAP th. 1", all_reports),
        )  # fmt: skip
    best = theory.least_error(setting.protocol.domain_size, epsilon)
    yield listed("recommended", "", math.nan, "", "", field=best)


def _bit_gains(setting: Setting, noise: BitNoise, hashes: int) -> Iterator[Formula]:
    """The gains of the targets' bits, before decoding."""
    r, share, held = setting.r, setting.share, setting.held
    if r is None or share is None or held is None:
        return
    for law in COMPARED:
        bits = setting.protocol.bits
        kind, known = kind_of(law), cast("Any", law)
        gained = bloom.ideal_bit_support_gain(known, noise, bits, hashes, r, share, held)
        name = f"bit gain of {kind.upper()}"
        yield listed(f"gain.{kind}", name, gained, _WITH[law], "CJG eq. 7")


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
    yield from cited("RAP", "CJG")
