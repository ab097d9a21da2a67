"""The attack of a scenario as a script: one kind, a mixture of kinds, or phases of mixtures.

Plain functions from one attack table of a document to the next; nothing is checked here, that is
the scenario's own business. Nothing needs NumPy or core.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from ...catalogue import swept_kinds
from ...text.format import percent

Shape = Literal["one", "mixture", "phases"]

FIRST_SHARE: Final = 0.05
FIRST_ROUNDS: Final = 10
_TARGETS: Final[Table] = {"pick": "random", "count": 10}


def shape_of(attack: Mapping[str, Any]) -> Shape:
    """The shape of an attack table, by which of `kind`, `mix` and `phase` it has."""
    if "phase" in attack:
        return "phases"
    return "mixture" if "mix" in attack else "one"


def phases_of(attack: Mapping[str, Any]) -> list[Table]:
    """The phases of an attack table; none where it has no list of them."""
    return tables_in(attack.get("phase"))


def parts_of(table: Mapping[str, Any]) -> list[Table]:
    """The parts of the mixture of an attack or of a phase."""
    return tables_in(table.get("mix"))


def reshaped(attack: Mapping[str, Any], shape: Shape) -> Table:
    """The attack in another shape: what the new shape can say is kept.

    One kind becomes a mixture of one part, a mixture a phase of its own; the other way the first
    phase, and the first part, remain.
    """
    now = shape_of(attack)
    if now == shape:
        return dict(attack)
    if now == "one":
        mixture = _mixed(attack)
        return mixture if shape == "mixture" else _phased(mixture)
    if now == "mixture":
        return _phased(attack) if shape == "phases" else _single(attack)
    mixture = _unphased(attack)
    return mixture if shape == "mixture" else _single(mixture)


def _mixed(attack: Mapping[str, Any]) -> Table:
    part = {key: value for key, value in attack.items() if key not in ("share", "targets")}
    if part.get("kind") in (None, "none"):
        part = {"kind": _first_kinds()[0]}
    return {
        "share": attack.get("share", FIRST_SHARE),
        "targets": attack.get("targets", dict(_TARGETS)),
        "mix": [{"kind": part.pop("kind"), "weight": 1.0, **part}],
    }


def _single(mixture: Mapping[str, Any]) -> Table:
    first = next(iter(parts_of(mixture)), {})
    first.pop("weight", None)
    return {
        "kind": first.pop("kind", _first_kinds()[0]),
        "share": mixture.get("share", FIRST_SHARE),
        "targets": first.pop("targets", mixture.get("targets", dict(_TARGETS))),
        **first,
    }


def _phased(mixture: Mapping[str, Any]) -> Table:
    phase = {"rounds": FIRST_ROUNDS, "share": mixture.get("share", FIRST_SHARE)}
    shared = {key: mixture[key] for key in ("targets", "mix") if key in mixture}
    return {"phase": [{**phase, **shared}]}


def _unphased(attack: Mapping[str, Any]) -> Table:
    first = next(iter(phases_of(attack)), {})
    share = first.get("share", FIRST_SHARE)
    if isinstance(share, Mapping):
        share = share.get("to", FIRST_SHARE)
    targets = first.get("targets", attack.get("targets", dict(_TARGETS)))
    mix = parts_of(first) or [new_part(())]
    return {"share": share, "targets": targets, "mix": mix}


def moved(key: str, shape: Shape) -> str | None:
    """The new place of a swept key of the attack after `reshaped`; None for what is left out."""
    matched = re.fullmatch(r"attack\.(?:phase\.(\d+)\.)?(?:mix\.(\d+)\.)?(.+)", key)
    if matched is None:
        return key
    phase, part, rest = matched.groups()
    if phase is not None and shape == "phases":
        return key
    if phase is not None and (phase != "0" or re.match(r"rounds$|muted$|share\.", rest)):
        return None
    shared = part is None and rest.partition(".")[0] in ("share", "targets")
    if shape == "one":
        return f"attack.{rest}" if part in (None, "0") and rest != "weight" else None
    within = "attack.phase.0." if shape == "phases" else "attack."
    return f"{within}{rest}" if shared else f"{within}mix.{part or 0}.{rest}"


def lost(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The parts or phases that an attack loses in its new shape, in words; "" for none."""
    phases, parts = phases_of(before), parts_of(before)
    if len(phases) > 1 and shape_of(after) != "phases":
        return "all phases but the first"
    parts = parts or (parts_of(phases[0]) if phases else [])
    if len(parts) > 1 and shape_of(after) == "one":
        return "all parts but the first"
    return ""


def ramped(share: Any, shape: str, rounds: int) -> Any:
    """A phase's share in another form: one number, or a ramp over the number of its rounds."""
    before = share if isinstance(share, Mapping) else {"from": 0.0, "to": share}
    if (to := before.get("to")) is None:
        to = FIRST_SHARE
    if shape == "constant":
        return to
    start = before.get("from", 0.0)
    if shape == "exponential" and start == 0:
        start = to / 100 if isinstance(to, int | float) and to else 0.001
    table = {"from": start, "to": to, "shape": shape}
    return {**table, "at": before.get("at", max(1, rounds // 2))} if shape == "step" else table


def span(phases: Sequence[Mapping[str, Any]], at: int) -> tuple[int, int]:
    """The first and the last round of a phase, from 0; what is no length counts for nothing."""
    lengths = [
        length if isinstance(length := phase.get("rounds"), int) and length > 0 else 0
        for phase in phases
    ]
    before = sum(lengths[:at])
    return before, before + lengths[at] - 1


# Lists of parts and of phases.


def _first_kinds() -> list[str]:
    """The kinds of attack to begin with, the strongest first."""
    return swept_kinds("attack", "")[::-1]


def new_part(parts: Sequence[Mapping[str, Any]]) -> Table:
    """A part to add: a kind that is not there yet, with the mean of the weights."""
    present = {part.get("kind") for part in parts}
    first = _first_kinds()
    kind = next((kind for kind in first if kind not in present), first[0])
    weights = [weight for part in parts if isinstance(weight := part.get("weight"), int | float)]
    mean = sum(weights) / len(weights) if weights else 1.0
    return {"kind": kind, "weight": float(f"{mean:.3g}")}


def new_phase(phases: Sequence[Mapping[str, Any]]) -> Table:
    """A phase to add: it goes on as the last one ended."""
    last = dict(phases[-1]) if phases else {}
    last.pop("muted", None)
    share = last.get("share", FIRST_SHARE)
    ended = share.get("to", FIRST_SHARE) if isinstance(share, Mapping) else share
    mix = parts_of(last) or [new_part(())]
    return {**last, "rounds": last.get("rounds", FIRST_ROUNDS), "share": ended, "mix": mix}


def changed(items: Sequence[Table], what: str, at: int, phased: bool) -> tuple[list[Table], int]:
    """The list after an item was added, duplicated, removed, moved or muted; the one to choose."""
    kept = list(items)
    match what:
        case "add":
            kept.insert(at, new_phase(kept) if phased else new_part(kept))
        case "remove" if len(kept) == 1:
            pass  # an attack has one at least
        case _:
            return rearranged(kept, what, at)
    return kept, at


# In words.


def described_share(share: Any) -> str:
    """`5 %`, `0 → 5 % linear`; what is no number as it is written."""
    if isinstance(share, Mapping):
        start, stop = _percent(share.get("from")), _percent(share.get("to"))
        return f"{start.removesuffix(' %')} → {stop} {share.get('shape', 'linear')}"
    return _percent(share)


def _percent(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return percent(value, 4)


def described_mix(parts: Sequence[Mapping[str, Any]]) -> str:
    """`mga 80 % ria 20 %`; one part is its kind alone."""
    if len(parts) == 1:
        return str(parts[0].get("kind", "?"))
    shares = shares_of(parts)
    return " ".join(
        f"{part.get('kind', '?')} {percent(share)}"
        for part, share in zip(parts, shares, strict=True)
    )


def shares_of(parts: Sequence[Mapping[str, Any]]) -> list[float]:
    """The share of each part in all fakes; zeros where the weights say nothing."""
    weights = [_weight(part.get("weight", 1.0)) for part in parts]
    total = sum(weights)
    return [weight / total if total else 0.0 for weight in weights]


def _weight(value: Any) -> float:
    """A weight as a number; 0 for what is none above 0."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and value > 0 else 0.0


def described(attack: Mapping[str, Any]) -> str:
    """`mga 5 %`, `mga 80 % ria 20 %`, `3 phases`; an attack without a share is its kind alone."""
    shape = shape_of(attack)
    if shape == "phases":
        phases = len(phases_of(attack))
        return "1 phase" if phases == 1 else f"{phases} phases"
    what = described_mix(parts_of(attack)) if shape == "mixture" else attack.get("kind", "none")
    share = attack.get("share")
    return str(what) if share is None or what == "none" else f"{what} {described_share(share)}"


def described_phase(phases: Sequence[Table], at: int) -> str:
    """`0–19  0 → 5 % linear  mga 80 % ria 20 %`."""
    phase = phases[at]
    first, last = span(phases, at)
    share = described_share(phase.get("share"))
    off = "off: " if phase.get("muted") is True else ""
    return f"{off}{first}–{last}  {share}  {described_mix(parts_of(phase))}"


def described_parts(parts: Sequence[Table]) -> Iterator[str]:
    """A row for each part: a bar, its share, its kind."""
    for part, share in zip(parts, shares_of(parts), strict=True):
        bar = "█" * round(8 * share)
        note = "  own targets" if "targets" in part else ""
        yield f"{bar or '▏':<8} {100 * share:>4.0f} %  {part.get('kind', '?')}{note}"


Table: TypeAlias = dict[str, Any]

MUTED: Final = "muted"
"""The key of a table that stays where it is and does nothing."""


def tables_in(value: Any) -> list[Table]:
    """Copies of the tables of a list; none where the value is no list."""
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return [dict(table) for table in value if isinstance(table, Mapping)] if listed else []


def rearranged(rows: Sequence[Table], what: str, at: int) -> tuple[list[Table], int]:
    """The rows after `what` was done with the one at `at`, and the one to choose then.

    what : "duplicate", "remove", "mute", "up" or "down"; anything else changes nothing.
    """
    kept = list(rows)
    match what:
        case "duplicate":
            kept.insert(at + 1, dict(kept[at]))
            at += 1
        case "remove":
            del kept[at]
            at = max(0, min(at, len(kept) - 1))
        case "mute":
            kept[at] = _switched(kept[at])
        case "up" if at > 0:
            kept[at - 1 : at + 1] = kept[at], kept[at - 1]
            at -= 1
        case "down" if at < len(kept) - 1:
            kept[at : at + 2] = kept[at + 1], kept[at]
            at += 1
    return kept, at


def _switched(table: Table) -> Table:
    """The table muted, or acting again."""
    rest = {key: value for key, value in table.items() if key != MUTED}
    return rest if table.get(MUTED) is True else {**rest, MUTED: True}
