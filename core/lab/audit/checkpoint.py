"""The state of an audit at work, as bytes: an interrupted audit goes on where it was.

The bytes are arrays of NumPy, and JSON of what is no array; never a pickle, which would run
whatever somebody put into it.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any, Final

import msgspec
import numpy as np

from .evidence import Claim, Evidence, Series, Supported
from .found import Finding, Inspection
from .inspection import Inspector
from .lens import Lens
from .rounds import Bound, Event

WRONG: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""What is raised where a state is none; msgspec's errors are ValueErrors."""
TREE: Final = "tree"
"""The array that holds the JSON."""
ARRAY: Final = "array"
"""The key of what stands in the JSON for an array."""


def packed(tree: Any) -> bytes:
    """Dicts, lists, numbers, texts and arrays as bytes."""
    arrays: Any = {}

    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            arrays[str(len(arrays))] = value
            return {ARRAY: str(len(arrays) - 1)}
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [plain(each) for each in value]
        return value

    text = json.dumps(plain(tree)).encode()
    file = io.BytesIO()
    arrays[TREE] = np.frombuffer(text, np.uint8)
    np.savez(file, **arrays)
    return file.getvalue()


def unpacked(data: bytes) -> Any:
    """The inverse of `packed`; raises ValueError for other bytes."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:

            def whole(value: dict[str, Any]) -> Any:
                return arrays[value[ARRAY]] if value.keys() == {ARRAY} else value

            return json.loads(arrays[TREE].tobytes(), object_hook=whole)
    except (*WRONG, OSError, EOFError, zipfile.BadZipFile, zlib.error, RecursionError) as error:
        raise ValueError("it is damaged, or something else") from error


def plain_of(value: Any) -> Any:
    """A dataclass without arrays as dicts, lists, numbers and texts."""
    return msgspec.to_builtins(value, enc_hook=float)


def inspection_in(value: Any) -> Inspection:
    """The inspection that `plain_of` made plain; raises ValueError."""
    return msgspec.convert(value, Inspection)


def state_of(inspector: Inspector) -> dict[str, Any]:
    """The state of an audit, as `packed` takes it, wherever its steps yield."""
    starts = inspector.starts
    return {
        "drawn": inspector.drawn,
        "spent_s": inspector.spent_s,
        "findings": [plain_of(each) for each in inspector.findings],
        "bounds": [plain_of(each) for each in inspector.bounds],
        "starts": None if starts is None else [list(starts[0]), starts[1]],
        "sizes": inspector.sizes,
        "number": inspector.number,
        "answered": inspector.answered,
        "event": _event(inspector.event),
        "rngs": [rng.bit_generator.state for rng in inspector.rngs],
        "ended": inspector.ended,
        "seen": None if inspector.seen is None else _evidence(inspector.seen),
    }


def restore(inspector: Inspector, state: dict[str, Any]) -> None:
    """Set an inspector that has not begun to a state; raises ValueError where it is none."""
    try:
        _restore(inspector, state)
    except WRONG as error:
        raise ValueError("it is no state of an audit") from error


def _restore(inspector: Inspector, state: dict[str, Any]) -> None:
    inspector.drawn, inspector.spent_s = state["drawn"], state["spent_s"]
    inspector.findings = msgspec.convert(state["findings"], list[Finding])
    inspector.bounds = msgspec.convert(state["bounds"], list[Bound])
    if state["starts"] is not None:
        marks, items = state["starts"]
        inspector.starts = marks, items
    inspector.sizes = state["sizes"]
    inspector.number, inspector.answered = state["number"], state["answered"]
    inspector.event = _event_in(state["event"])
    for rng, kept in zip(inspector.rngs, state["rngs"], strict=True):
        rng.bit_generator.state = kept
    inspector.ended = state["ended"]
    if state["seen"] is not None:
        inspector.seen = _evidence_in(state["seen"], inspector.claim)


def _event(event: Event | None) -> dict[str, Any] | None:
    return None if event is None else dict(vars(event))


def _event_in(value: dict[str, Any] | None) -> Event | None:
    return None if value is None else Event(**value)


def _lens(lens: Lens | None) -> dict[str, Any] | None:
    if lens is None:
        return None
    names = ("values", "cuts", "examples", "most")
    return {name: vars(lens)[name] for name in names}


def _lens_in(value: dict[str, Any], look: Any) -> Lens:
    """A lens; look : what it looks at besides, where it does not tell whole reports apart."""
    values, cuts = tuple(value["values"]), tuple(value["cuts"])
    examples = value["examples"]
    return Lens(values, cuts, examples, None if examples is not None else look, value["most"])


SUMS: Final = (
    "table", "reference", "joint", "joint_reference",
    "own", "own_reference", "parts", "parts_reference",
)  # fmt: skip
COUNTERS: Final = ("samples", "compared", "hits", "of", "cells", "copies")
"""The attributes of `Evidence` that are arrays, and that are plain."""


def _evidence(seen: Evidence) -> dict[str, Any]:
    joined = [np.concatenate(parts) for parts in zip(*seen.raw, strict=True)]
    return {
        "watched": seen.watched,
        "lens": _lens(seen.lens),
        "joint_lens": _lens(seen.joint_lens),
        "supporting": seen.supporting,
        "supported": dict(vars(seen.supported)),
        "series": dict(vars(seen.series)),
        "raw": joined,
        "event": _event(seen.event),
        "kept": list(seen.kept_codes) if seen.kept else [],
        **{name: vars(seen)[name] for name in (*SUMS, *COUNTERS)},
    }


def _evidence_in(value: dict[str, Any], claim: Claim) -> Evidence:
    joint = value["joint_lens"]
    seen = Evidence(
        claim,
        value["watched"],
        _lens_in(value["lens"], claim.look(value["watched"])),
        None if joint is None else _lens_in(joint, None),
        value["supporting"],
    )
    for name in SUMS:
        if value[name].shape != vars(seen)[name].shape:
            raise ValueError(f"{name} has another shape")
    for name in (*SUMS, *COUNTERS):
        setattr(seen, name, value[name])
    seen.supported, seen.series = Supported(**value["supported"]), Series(**value["series"])
    seen.raw = [tuple(value["raw"])] if value["raw"] else []
    seen.event = _event_in(value["event"])
    seen.kept = [tuple(value["kept"])] if value["kept"] else []
    return seen
