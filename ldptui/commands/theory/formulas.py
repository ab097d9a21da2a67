"""Closed forms at one setting, each with its source: ldptui theory."""

from __future__ import annotations

import json
import math
from argparse import Namespace
from typing import Any, Final

from core import theory as closed
from core.attacks import SHARE, malicious_users
from core.bounds import Range
from core.errors import ScenarioError, got, spelled
from core.population import USERS
from core.protocols import CENTRAL, PROTOCOLS
from core.pure import DOMAIN, EPSILON, PureProtocol, SeedSearch

from ... import exits
from ...terminal.output import write_out
from ...text import format as text
from ...text import table
from . import curator, rappor
from .closed_forms import ATTACKS, CJG, gain_rows, known, missing, setting

W17: Final = "Wang, Blocki, Li, Jha, USENIX Security 2017"


P_AND_Q: Final = {
    "grr": ("e^ε/(e^ε + d − 1)", "1/(e^ε + d − 1)", "W17 4.1"),
    "sue": ("e^(ε/2)/(e^(ε/2) + 1)", "1/(e^(ε/2) + 1)", "W17 4.2"),
    "oue": ("1/2", "1/(e^ε + 1)", "W17 4.2"),
    "blh": ("e^ε/(e^ε + 1)", "1/2", "W17 4.4"),
    "olh": ("e^ε/(e^ε + g − 1)", "1/g", "W17 4.4"),
}

VARIANCE: Final = "Var*/n = q(1 − q)/(p − q)²"


SUPPORTED: Final = {
    "rpa": {"grr": "r/d", "sue": "r/2", "oue": "r/2", "blh": "r/g", "olh": "r/g"},
    "ria": dict.fromkeys(PROTOCOLS, "p + (r − 1)q"),
    "mga": {"grr": "1", "sue": "r", "oue": "r", "blh": "E[M]", "olh": "E[M]"},
}
"""S, the targets that one fake report is expected to support. CJG section 3."""


def theory(options: Namespace) -> int:
    """Print the closed forms of a protocol."""
    _check_options(options)
    if options.protocol == "rappor":
        spec = rappor.spec_of(options)
        values = rappor.closed_forms(spec, options)
        written = rappor.theory_table(spec, options, values)
    elif options.protocol in CENTRAL:
        mechanism = curator.curator_of(options)
        values = curator.closed_forms(mechanism, options)
        written = curator.theory_table(mechanism, options, values)
    else:
        protocol = _protocol(options)
        values = closed_forms(protocol, options)
        written = _theory_table(options, protocol, values)
    if options.format == "json":
        write_out(json.dumps(values, indent=2, allow_nan=False) + "\n", exactly=True)
    else:
        write_out(written)
    return exits.DONE


def _check_options(options: Namespace) -> None:
    """Refuse options that are out of range, or of another protocol; raises ScenarioError."""
    _check("--epsilon", options.epsilon, EPSILON)
    _check("--items", options.items, DOMAIN)
    _check("--users", options.users, USERS)
    _check("--share", options.share, SHARE)
    _check("--targets", options.targets, Range(1, options.items))
    _check("--target-frequency", options.target_frequency, Range(0, 1))
    _check("--seeds", options.seeds, Range(1, 10**6))
    kind = options.protocol
    if options.hash_range is not None and kind != "olh":
        raise ScenarioError(f"is an option of olh, not of {kind}", key="--hash-range")
    for name in rappor.OPTIONS if kind != "rappor" else ():
        if getattr(options, name) is not None:
            raise ScenarioError(f"is an option of rappor, not of {kind}", key=f"--{name}")
    for name in curator.OPTIONS if kind not in CENTRAL else ():
        if getattr(options, name) is not None:
            raise ScenarioError(f"is an option of a curator, not of {kind}", key=f"--{name}")
    if options.epsilon is None and kind != "rappor":
        raise ScenarioError("is required", key="--epsilon")


def _protocol(options: Namespace) -> PureProtocol:
    """The protocol that the options describe; raises ScenarioError."""
    kind = options.protocol
    if kind != "olh":
        return PROTOCOLS[kind](kind, options.epsilon).bind(options.items)
    rule = "nearest" if options.hash_range is None else options.hash_range
    chosen: Any = rule
    if rule.isascii() and rule.removeprefix("-").isdigit() and len(rule) < 20:
        chosen = int(rule)
    elif rule not in ("nearest", "ceil", "floor"):
        raise ScenarioError(
            f'must be "nearest", "ceil", "floor" or an integer, {got(rule)}', key="--hash-range"
        )
    try:
        return PROTOCOLS[kind](kind, options.epsilon, chosen).bind(options.items)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="--hash-range") from error


def _check(option: str, value: float | None, allowed: Range) -> None:
    if value is not None and (not math.isfinite(value) or value not in allowed):
        raise ScenarioError(f"must be {allowed}, got {spelled(value)}", key=option)


def closed_forms(protocol: PureProtocol, options: Namespace) -> dict[str, Any]:
    """The closed forms; None where an option that they need is not given."""
    r, share, users = options.targets, options.share, options.users
    held = options.target_frequency
    gains: dict[str, float | None] = dict.fromkeys(ATTACKS)
    spreads = gains.copy()
    if r is not None and share is not None and held is not None:
        laws = {
            "rpa": protocol.random_support(r),
            "ria": protocol.honest_support(r),
            "mga": protocol.crafted_support(r, SeedSearch(options.seeds, options.scoring)),
        }
        for attack, law in laws.items():
            gains[attack] = closed.gain(protocol, law, r, share, held)
            if users is not None:
                fakes = malicious_users(users, share)
                spreads[attack] = closed.gain_std(protocol, law, r, users, fakes, held)
    return {
        "p": protocol.p,
        "q": protocol.q,
        "hash_range": getattr(protocol, "hash_range", None),
        "variance_per_user": closed.count_variance(protocol),
        "frequency_std": None if users is None else closed.frequency_std(protocol, users),
        "gain": gains,
        "gain_std": spreads,
        "recommended": closed.recommended(protocol.domain_size, protocol.epsilon),
    }


def _theory_table(options: Namespace, protocol: PureProtocol, values: dict[str, Any]) -> str:
    kind = options.protocol
    p, q, source = P_AND_Q[kind]
    rows = [
        ("p", values["p"], p, source),
        ("q", values["q"], q, source),
        ("g", values["hash_range"], _hash_rule(options), "W17 4.4"),
        (
            "variance per user",
            values["variance_per_user"],
            "Var*/n = q(1 − q)/(p − q)²",
            "W17 th. 2",
        ),
        ("frequency std", values["frequency_std"], "√(Var*/n / n)", "W17 th. 2"),
    ]
    formulas = {attack: f"G with S = {SUPPORTED[attack][kind]}" for attack in ATTACKS}
    shown = known([*rows, *gain_rows(values, formulas)])
    own = {"ε": protocol.epsilon, "d": protocol.domain_size}
    notes = []
    if values["gain"]["mga"] is not None:
        notes.append("G = β[(S − rq)/(p − q) − f_T], S = targets that a fake report supports")
        if values["hash_range"] is not None:
            search = f"best of K = {options.seeds} seeds, scored by {options.scoring}"
            notes.append(f"E[M] = targets matched by the {search}")
    if values["gain_std"]["mga"] is not None:
        notes.append("σ² = β² Var[Σ_T f~] + m Var[S]/((n + m)(p − q))², same genuine reports")
    notes += [
        f"least variance here: {_recommendation(values['recommended'], protocol)}",
        *missing(options),
        f"W17: {W17}",
        f"CJG: {CJG}",
    ]
    return table.theory_table(f"{kind.upper()}, {setting(options, own)}", shown, notes)


def _hash_rule(options: Namespace) -> str:
    if options.protocol == "blh":
        return "2"
    rule = options.hash_range or "nearest"
    return "as given" if rule.isdecimal() else f"e^ε + 1, {rule} integer"


def _recommendation(recommended: str, protocol: PureProtocol) -> str:
    edge = text.short(3 * math.exp(protocol.epsilon) + 2)
    if recommended == "grr":
        return f"GRR (d < 3e^ε + 2 = {edge}; W17 section 5)"
    return f"OUE or OLH (d ≥ 3e^ε + 2 = {edge}; W17 section 5)"
