"""The attack of a scenario as a script: one kind, a mixture of kinds, or phases of mixtures.

Plain functions of one attack table of a document; nothing is checked here, that is the scenario's
own business. Nothing needs NumPy or core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from ...text.format import percent

Shape = Literal["one", "mixture", "phases"]


def shape_of(attack: Mapping[str, Any]) -> Shape:
    """The shape of an attack table: single, mixture or phases."""
    if "phase" in attack:
        return "phases"
    return "mixture" if "mix" in attack else "one"


def phases_of(attack: Mapping[str, Any]) -> list[Table]:
    """The phases of an attack table; empty if it has none."""
    return tables_in(attack.get("phase"))


def parts_of(table: Mapping[str, Any]) -> list[Table]:
    """The parts of the mixture of an attack or a phase."""
    return tables_in(table.get("mix"))


def add_phase(attack: Mapping[str, Any], after: int = -1) -> Table:
    """An attack table with one more phase, a copy of phase `after` (default: the last) behind it;
    the first time, a quiet phase and then the attack.
    """
    phases = phases_of(attack)
    if phases:
        after %= len(phases)
        return {
            **attack,
            "phase": [*phases[: after + 1], dict(phases[after]), *phases[after + 1 :]],
        }
    kind = "mga" if attack.get("kind", "none") == "none" else attack["kind"]
    own = {key: value for key, value in attack.items() if key not in ("share", "targets", "mix")}
    mix = parts_of(attack) or [{**own, "kind": kind, "weight": 1.0}]
    shares = (0.0, attack.get("share", USUAL_SHARE))
    phases = [{"rounds": ROUNDS, "share": share, "mix": mix} for share in shares]
    kept = {key: attack[key] for key in ("targets",) if key in attack}
    return {**kept, "phase": phases}


def without_phases(attack: Mapping[str, Any]) -> Table:
    """The attack table without phases that acts as the only phase of an attack in every round."""
    phase = phases_of(attack)[0]
    share = phase.get("share")
    mix, targets = parts_of(phase), phase.get("targets", attack.get("targets"))
    one = {key: value for key, value in mix[0].items() if key != "weight"} if len(mix) == 1 else {}
    table = {**(one or {"mix": mix}), "share": USUAL_SHARE if isinstance(share, Mapping) else share}
    return table if targets is None else {"targets": targets, **table}


ROUNDS: Final = 10
"""The rounds of a new phase."""
USUAL_SHARE: Final = 0.05
"""The share of fakes of a new phase, where the attack has none."""

# In words.


def _percent(value: Any) -> str:
    """A share in words; invalid text as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return percent(value, 4)


def described_mix(parts: Sequence[Mapping[str, Any]]) -> str:
    """A mixture in words: `mga 80 % ria 20 %`; a single part is its kind."""
    if len(parts) == 1:
        return str(parts[0].get("kind", "?"))
    shares = shares_of(parts)
    return " ".join(
        f"{part.get('kind', '?')} {percent(share)}"
        for part, share in zip(parts, shares, strict=True)
    )


def shares_of(parts: Sequence[Mapping[str, Any]]) -> list[float]:
    """The share of all fakes in each part; zeros if the weights are invalid."""
    weights = [_weight(part.get("weight", 1.0)) for part in parts]
    total = sum(weights)
    return [weight / total if total else 0.0 for weight in weights]


def _weight(value: Any) -> float:
    """A weight as a number; 0 for what is none above 0."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and value > 0 else 0.0


def describe_attack(attack: Mapping[str, Any]) -> str:
    """An attack in words: `mga 5 %`, `mga 80 % ria 20 %`, `3 phases`."""
    shape = shape_of(attack)
    if shape == "phases":
        phases = len(phases_of(attack))
        return "1 phase" if phases == 1 else f"{phases} phases"
    what = described_mix(parts_of(attack)) if shape == "mixture" else attack.get("kind", "none")
    share = attack.get("share")
    return str(what) if share is None or what == "none" else f"{what} {_percent(share)}"


Table: TypeAlias = dict[str, Any]

MUTED: Final = "muted"
"""The key of a table that stays where it is and does nothing."""


def tables_in(value: Any) -> list[Table]:
    """Copies of the tables in a list; empty if the value is no list."""
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return [dict(table) for table in value if isinstance(table, Mapping)] if listed else []
