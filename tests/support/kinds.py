"""The kinds that several tests go over: each list is read from a table of kinds or a scenario."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from ldptui import scenarios
from ldptui.catalogue import start_of
from ldptui.core.attacks import ATTACKS
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.protocols import KINDS, family_of
from ldptui.core.scenario import load


def report_law(kind: str) -> str:
    """The law of a fake's report; "unknown" where there is none to know."""
    law: str = getattr(ATTACKS[kind], "report_law", "unknown")
    return law


def real_epsilon(kind: str, items: int, epsilon: float) -> float:
    """The largest loss of a kind with this budget: less than ε for bits that say less."""
    return float(
        getattr(KINDS[kind](kind=kind, epsilon=epsilon).bind(items), "real_epsilon", epsilon)
    )


KNOWN_ATTACKS = tuple(kind for kind in ATTACKS if report_law(kind) != "unknown")
"""The attacks whose fake reports follow a law: all but no attack and Python code."""

OF_NUMBERS = ("steered", "widest", "pointed")
"""The laws that only protocols of numbers have."""

UNCONDITIONAL = tuple(
    kind
    for kind in KNOWN_ATTACKS
    if report_law(kind) not in ("subset", "disguised", "hidden", "solved", *OF_NUMBERS)
)
"""Those of them that ask for nothing that only some protocols have."""


def takes_cohort(kind: str) -> bool:
    """Return whether the fakes of an attack may all claim one of RAPPOR's cohorts."""
    return "cohort" in {field.name for field in fields(ATTACKS[kind])}


def estimates_items(kind: str) -> bool:
    """Return whether a protocol or curator estimates the frequencies of items."""
    return "estimates" not in KINDS[kind].mechanism.lacks


ITEM_KINDS = tuple(filter(estimates_items, KINDS))
"""The protocols and curators that estimate items; the others tell the mean of numbers."""

ONE_OF_EACH = tuple({family_of(kind): kind for kind in reversed(ITEM_KINDS)}.values())[::-1]
"""The first kind of each family of those."""

_CAO = load(scenarios.path("cao-gain-beta")).sweep

CAO_PROTOCOLS: tuple[str, ...] = tuple(_CAO["protocol.kind"])
CAO_ATTACKS: tuple[str, ...] = tuple(_CAO["attack.kind"])
"""The three protocols and the three attacks that Cao, Jia, Gong, 2021, compare."""


def task_of(kind: str) -> dict[str, Any]:
    """The table of the task that a protocol takes, as a scenario has it; none for frequencies."""
    return {} if estimates_items(kind) else {"task": {"kind": "mean"}}


NEEDED: dict[str, Any] = {"targets": {"items": [1, 2]}, "mean": 0.0, "number": 0.0, "name": "x"}
"""Values of the keys that an attack needs, where it is not the one that a form begins with."""


def attack_table(kind: str, share: float = 0.1, **keys: Any) -> dict[str, Any]:
    """The table of an attack, with those of the keys that it has, and the keys that it needs."""
    known = {key.name: key for key in fields(ATTACKS[kind])}
    needed = {
        name: NEEDED.get(name, start_of(f"attack.{name}", {"items": 8, "targets": 2}))
        for name, key in known.items()
        if key.default is key.default_factory is MISSING
    }
    own = {name: value for name, value in keys.items() if name in known}
    return {"kind": kind, **needed, "share": share, **own}


SEVERAL_ITEMS = tuple(
    kind
    for kind, spec in KINDS.items()
    if isinstance(spec.mechanism, type)
    and issubclass(spec.mechanism, Exchangeable)
    and spec.mechanism.lists_items
)
"""The kinds whose report may support several items, with one law for all of them."""

SENDING = tuple(
    kind
    for kind, spec in KINDS.items()
    if is_a(spec.mechanism, LocalMechanism) and not spec.mechanism.simulated_only
)
"""The kinds whose reports real users send."""
