"""`ldptui theory laplace`, `geometric` and `stability`: a trusted curator's closed forms."""

from __future__ import annotations

import math
from argparse import Namespace
from typing import Any, Final

import numpy as np

from core import theory as closed
from core.attacks import malicious_users
from core.errors import ScenarioError
from core.protocols import CENTRAL
from core.protocols.curators import SENSITIVITY, Curator, Geometric, Stability
from core.pure import SeedSearch

from ...text import table
from .closed_forms import ATTACKS, CJG, gain_rows, known, setting

OPTIONS: Final = ("delta", "neighbours")
"""Options that a curator alone has."""

SOURCES: Final = {
    "DR": "Dwork, Roth, The Algorithmic Foundations of Differential Privacy, 2014",
    "GRS": "Ghosh, Roughgarden, Sundararajan, STOC 2009",
    "V": "Vadhan, The Complexity of Differential Privacy, 2017",
    "PSI": "PSI library, histogram statistic",
    "CJG": CJG,
}

_SURE: Final = np.full(1, 2**53)
"""The count of an item that is never withheld."""


def curator_of(options: Namespace) -> Curator:
    """The mechanism that the options describe; raises ScenarioError."""
    given = {name: getattr(options, name) for name in OPTIONS if getattr(options, name) is not None}
    if "delta" in given and options.protocol != "stability":
        rule = f"is an option of stability, not of {options.protocol}"
        raise ScenarioError(rule, key="--delta")
    try:
        spec: Any = CENTRAL[options.protocol]
        made: Curator = spec(options.protocol, options.epsilon, **given).bind(options.items)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key=f"--{error.key}") from error
    return made


def closed_forms(curator: Curator, options: Namespace) -> dict[str, Any]:
    """The closed forms; None where there is none, or an option that it needs is not given.

    Of the stability mechanism those of an item that is far above the threshold: what it withholds
    depends on how many users hold each item, and so does the gain.
    """
    users, share, r = options.users, options.share, options.targets
    held = options.target_frequency
    std = math.sqrt(float(curator.squared_error(_SURE)[0]))
    gains: dict[str, float | None] = dict.fromkeys(ATTACKS)
    spreads = gains.copy()
    withholds = isinstance(curator, Stability)
    if r is not None and share is not None and held is not None and not withholds:
        laws = {
            "rpa": curator.random_support(r),
            "ria": curator.honest_support(r),
            "mga": curator.crafted_support(r, SeedSearch()),
        }
        for attack, law in laws.items():
            gains[attack] = closed.gain(curator, law, r, share, held)
            if users is not None:
                fakes = malicious_users(users, share)
                spreads[attack] = closed.gain_std(curator, law, r, users, fakes, held)
    return {
        "p": None,
        "q": None,
        "hash_range": None,
        "variance_per_user": None,
        "frequency_std": None if users is None else std / users,
        "gain": gains,
        "gain_std": spreads,
        "recommended": closed.recommended(curator.domain_size, curator.epsilon),
        "neighbours": curator.neighbours,
        "sensitivity": SENSITIVITY[curator.neighbours],
        "delta": curator.delta,
        "scale": curator.scale,
        "count_std": std,
        "threshold": curator.threshold if isinstance(curator, Stability) else None,
        "accuracy": curator.accuracy(0.05),
    }


def theory_table(curator: Curator, options: Namespace, values: dict[str, Any]) -> str:
    """The same as a table."""
    source = {"laplace": "DR 3.3", "geometric": "GRS", "stability": "V th. 3.5"}[options.protocol]
    spread = "√(2ρ)/(1 − ρ), ρ = e^(−1/s)" if isinstance(curator, Geometric) else "√2 s"
    accuracy = {
        "laplace": "s ln(1/0.05)",
        "geometric": "least whole a: 2ρ^(a+1)/(1 + ρ) ≤ 0.05",
        "stability": "s ln(1/0.05) + threshold",
    }[options.protocol]
    rows = [
        ("Δ", values["sensitivity"], f"{curator.neighbours} neighbours", "DR 3.3"),
        ("s", values["scale"], "Δ/ε", "DR 3.3"),
        ("threshold", values["threshold"], "s ln(2/δ) + 1", "V th. 3.5"),
        ("count std", values["count_std"], spread, source),
        ("frequency std", values["frequency_std"], "count std / n", source),
        ("off by at most", values["accuracy"], accuracy, "PSI"),
    ]
    formulas = {
        attack: f"β(S − f_T), S = {'r/d' if attack == 'rpa' else '1'}" for attack in ATTACKS
    }
    shown = known([*rows, *gain_rows(values, formulas)])
    own = {"ε": curator.epsilon, "δ": curator.delta or None, "d": curator.domain_size}
    notes = ["a trusted curator, no local protocol: there are no p and q"]
    if values["gain"]["mga"] is not None:
        notes.append("a fake user adds one count to one item, whatever the attack")
    if isinstance(curator, Stability):
        notes.append("of an item far above the threshold; what is withheld depends on the counts,")
        notes.append("and so does the gain: ldptui run has them on a population")
    notes.append("off by at most: a count, with probability 95 %; ldptui accuracy has more")
    cited = " ".join(source for *_, source in shown)
    notes += [f"{short}: {name}" for short, name in SOURCES.items() if f"{short} " in f"{cited} "]
    return table.theory_table(f"{options.protocol.upper()}, {setting(options, own)}", shown, notes)
