"""`ldptui theory rappor`: the closed forms of RAPPOR, in all its forms."""

from __future__ import annotations

import textwrap
from argparse import Namespace
from typing import Any, Final

from core import theory as closed
from core.attacks import malicious_users
from core.errors import ScenarioError
from core.protocols import RapporSpec
from core.pure import PureProtocol, SeedSearch

from ...text import table
from .closed_forms import ATTACKS, CJG, gain_rows, known, missing, setting

RAP: Final = "Erlingsson, Pihur, Korolova, RAPPOR, CCS 2014"

OPTIONS: Final = ("form", "f", "p", "q", "bits", "hashes", "cohorts")
"""Options that RAPPOR alone has, named as the keys of a scenario."""


def spec_of(options: Namespace) -> RapporSpec:
    """The protocol that the options describe; raises ScenarioError."""
    given = {name: getattr(options, name) for name in OPTIONS if getattr(options, name) is not None}
    try:
        spec = RapporSpec("rappor", epsilon=options.epsilon, **given)
        _ = spec.noise
    except ScenarioError as error:
        raise ScenarioError(error.rule, key=f"--{error.key}") from error
    return spec


def closed_forms(spec: RapporSpec, options: Namespace) -> dict[str, Any]:
    """The closed forms; None where an option that they need is not given, or without bound."""
    noise, hashes = spec.noise, spec.hashes or 1
    users, held, items = options.users, options.target_frequency, options.items
    spread = closed.count_std(noise, hashes, 1)
    one_item = held is not None and options.targets in (None, 1)
    return {
        "p": None,
        "q": None,
        "hash_range": None,
        "variance_per_user": spread**2,
        "frequency_std": None if users is None else closed.count_std(noise, hashes, users) / users,
        **_gains(spec, options),
        "recommended": closed.recommended(items, spec.epsilon_one),
        "form": spec.form,
        "f": noise.f,
        "p_star": noise.p_star,
        "q_star": noise.q_star,
        "epsilon_one": spec.epsilon_one,
        "epsilon_infinity": noise.epsilon_infinity(hashes) if noise.memoised else None,
        "count_std": None if users is None else closed.count_std(noise, hashes, users),
        "learnable_items": None if users is None else closed.learnable_items(noise, users, items),
        "false_attribution": closed.false_attribution(noise, hashes, held) if one_item else None,
    }


def _gains(spec: RapporSpec, options: Namespace) -> dict[str, dict[str, float | None]]:
    """Gain of each attack: of the estimates of the basic forms, else of the bits, not decoded."""
    gains: dict[str, float | None] = dict.fromkeys(ATTACKS)
    spreads = gains.copy()
    r, share, held = options.targets, options.share, options.target_frequency
    if r is None or share is None or held is None:
        return {"gain": gains, "gain_std": spreads}
    if not spec.basic:
        assert spec.bits is not None
        assert spec.hashes is not None
        for attack in ("rpa", "ria", "mga"):
            gains[attack] = closed.ideal_bit_support_gain(
                attack, spec.noise, spec.bits, spec.hashes, r, share, held
            )
        return {"gain": gains, "gain_std": spreads}
    protocol: Any = spec.bind(options.items)
    for attack, law in _laws(protocol, r).items():
        gains[attack] = closed.gain(protocol, law, r, share, held)
        if options.users is not None:
            fakes = malicious_users(options.users, share)
            spreads[attack] = closed.gain_std(protocol, law, r, options.users, fakes, held)
    return {"gain": gains, "gain_std": spreads}


def _laws(protocol: PureProtocol, r: int) -> dict[str, Any]:
    return {
        "rpa": protocol.random_support(r),
        "ria": protocol.honest_support(r),
        "mga": protocol.crafted_support(r, SeedSearch()),
    }


def theory_table(spec: RapporSpec, options: Namespace, values: dict[str, Any]) -> str:
    """The closed forms as a table of quantities, values, formulas and sources."""
    h = "" if spec.basic else "h "
    over = "" if spec.basic else "/h"
    bounded = values["epsilon_infinity"]
    rows: list[tuple[str, Any, str, str]] = [
        ("f", values["f"], "as given" if spec.epsilon is None else "solved for ε₁", "RAP 3.2"),
        ("q*", values["q_star"], "f(p + q)/2 + (1 − f)q", "RAP lemma 1"),
        ("p*", values["p_star"], "f(p + q)/2 + (1 − f)p", "RAP lemma 1"),
        ("ε₁, one report", values["epsilon_one"], f"{h}ln(q*(1 − p*)/(p*(1 − q*)))", "RAP 3.2"),
        (
            "ε∞, all reports",
            "unbounded" if bounded is None else bounded,
            f"2{h.strip()} ln((1 − f/2)/(f/2))",
            "RAP th. 1",
        ),
        (
            "variance per user",
            values["variance_per_user"],
            f"p*(1 − p*)/(q* − p*)²{over}",
            "RAP 4",
        ),
        ("frequency std", values["frequency_std"], "count std / N", "RAP 4"),
        ("count std", values["count_std"], "√(N · variance per user)", "RAP 4"),
        (
            "learnable items",
            values["learnable_items"],
            "√N (q* − p*)/(Q √(p*(1 − p*)))",
            "RAP 5",
        ),
        (
            "false attribution",
            values["false_attribution"],
            "Pr[not v | bits of v]",
            "RAP 5.3",
        ),
    ]
    what = "gain" if spec.basic else "bit gain"
    rows += gain_rows(values, _S, what)
    own = {
        "k": spec.bits,
        "h": spec.hashes,
        "m": spec.cohorts,
        "p": spec.p,
        "q": spec.q,
        "d": options.items,
    }
    notes = ["p and q are the reverse of Wang's: q = Pr[1 | bit 1] > p = Pr[1 | bit 0]"]
    if options.users is not None:
        notes.append("learnable: so many items of equal frequency at most; Q = Φ⁻¹(1 − 0.05/d)")
    if values["gain"]["mga"] is not None:
        if spec.basic:
            notes.append("G = β[(S − rp*)/(q* − p*) − f_T], S = targets that a report supports")
        else:
            notes += [
                "bit gain: of the share of users that a target's bits show, before decoding",
                "G = β[(S − rp*)/(q* − p*) − f_T − (r − f_T)c], c = 1 − (1 − 1/k)^h",
            ]
    notes += missing(options)
    notes += [f"RAP: {RAP}", f"CJG: {CJG}"]
    head = textwrap.wrap(f"RAPPOR ({spec.form}), {setting(options, own)}", 80)
    return table.theory_table("\n".join(head), known(rows), notes)


_S: Final = {
    "rpa": "G with S = r/2",
    "ria": "G with S of an honest report",
    "mga": "G with S = r",
}
