"""The runs of a session, and what differs between them, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .snapshot import Snapshot

SHORT = {
    "protocol.kind": "",
    "protocol.epsilon": "ε",
    "protocol.hash_range": "g",
    "protocol.delta": "δ",
    "protocol.neighbours": "neighbours",
    "attack.kind": "",
    "attack.share": "β",
    "attack.targets.count": "r",
    "attack.targets.pick": "targets",
    "attack.targets.items": "targets",
    "attack.seeds": "K",
    "attack.scoring": "scoring",
    "population.kind": "",
    "population.items": "d",
    "population.users": "n",
    "population.exponent": "exponent",
    "simulate.path": "path",
    "simulate.top_k": "k",
}


@dataclass(frozen=True)
class Run:
    """One run of the session: its scenario's document, what it measured, when it started."""

    key: int
    document: Mapping[str, Any]
    snapshot: Snapshot
    started: float
    title: str


def flat(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and values; the sweep's keys stand as `sweep.…`."""
    for key, value in document.items():
        if isinstance(value, Mapping) and not {"from", "points"} <= value.keys():
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def described(document: Mapping[str, Any]) -> str:
    """A scenario in a few words: "OUE ε=1, MGA β=0.05 r=5, zipf d=128 n=100000"."""
    values = dict(flat(document))
    parts = []
    for table in ("protocol", "attack", "population"):
        kind = values.get(f"{table}.kind", "none" if table == "attack" else "?")
        words = [str(kind) if table == "population" else str(kind).upper()]
        for key, short in SHORT.items():
            if key.startswith(f"{table}.") and short and key in values and len(short) == 1:
                words.append(f"{short}={shown(values[key])}")
        parts.append(" ".join(words) if kind != "none" else "no attack")
    return ", ".join(parts)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What changed from one scenario to another: "ε 1 → 2, mga → ria"; "" if nothing did."""
    old, new = dict(flat(before)), dict(flat(after))
    words = []
    for key in dict.fromkeys([*old, *new]):
        if key in ("title", "about") or old.get(key) == new.get(key):
            continue
        name = SHORT.get(key, key.removeprefix("population.").removeprefix("simulate."))
        change = f"{shown(old.get(key))} → {shown(new.get(key))}"
        words.append(f"{name} {change}" if name else change)
    return ", ".join(words)


def shown(value: Any) -> str:
    """A TOML value, short."""
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        scale = " log" if value.get("scale") == "log" else ""
        return f"{shown(value.get('from'))}…{shown(value.get('to'))}{scale}"
    if isinstance(value, list | tuple):
        return "[" + " ".join(shown(one) for one in value[:6]) + (" …]" if len(value) > 6 else "]")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10_000:
        return (
            f"{value:.4g}"
            if value % 1000
            else f"{value:.6g}".replace("e+0", "e").replace("e+", "e")
        )
    return str(value)
