"""What the tables of `ldptui theory` have in common, whatever the protocol."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from ...text import format as text
from ...text import table

ATTACKS: Final = ("rpa", "ria", "mga")
CJG: Final = "Cao, Jia, Gong, USENIX Security 2021"

Row: TypeAlias = tuple[str, Any, str, str]
"""A quantity, its value (None: not known), its formula, its source."""


def gain_rows(
    values: Mapping[str, Any], formulas: Mapping[str, str], what: str = "gain"
) -> list[Row]:
    """The gain of each attack by its formula, and the deviation of one run."""
    gains: list[Row] = [
        (f"{what} of {attack.upper()}", values["gain"][attack], formulas[attack], "CJG eq. 7")
        for attack in ATTACKS
    ]
    spreads: list[Row] = [
        (f"gain std of {one.upper()}", values["gain_std"][one], "σ of one run", "from CJG eq. 7")
        for one in ATTACKS
    ]
    return gains + spreads


def known(rows: Iterable[Row]) -> list[tuple[str, str, str, str]]:
    """The rows whose value is known, as text."""
    return [
        (name, value if isinstance(value, str) else text.short(value, 5), formula, source)
        for name, value, formula, source in rows
        if value is not None
    ]


def setting(options: Namespace, own: Mapping[str, Any]) -> str:
    """At which numbers: `ε = 1, d = 1024, n = 1 000 000`; those not given are left out."""
    given = {
        **own,
        "n": options.users,
        "β": options.share,
        "r": options.targets,
        "f_T": options.target_frequency,
    }
    words = (f"{name} = {table.value_text(one)}" for name, one in given.items() if one is not None)
    return ", ".join(words)


def missing(options: Namespace) -> list[str]:
    """Which options would say more."""
    needed = [
        f"--{name.replace('_', '-')}"
        for name in ("users", "share", "targets", "target_frequency")
        if getattr(options, name) is None
    ]
    return [f"for the rest give {', '.join(needed)}"] if needed else []
