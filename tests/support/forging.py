"""Recordings that a stranger has changed and signed again: their digest is the right one."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from typing import Any

from .mutations import Place, mutated_document, places, value

PACKED = ("", "AA", "====", base64.b64encode(b"\xff" * 64).decode(), "same", None, [], ["same"])


def forged(recording: bytes, draw: random.Random) -> bytes:
    """The recording with one to three mutations of its lines, then with its digest."""
    lines = [json.loads(line) for line in recording.splitlines()[:-1]]
    for _ in range(draw.choice((1, 1, 2, 3))):
        at = draw.choice((0, 0, draw.randrange(len(lines))))
        match draw.randrange(7):
            case 0 if len(lines) > 1:
                del lines[draw.randrange(1, len(lines))]
            case 1:
                lines.insert(draw.randrange(1, len(lines) + 1), lines[at])
            case 2 if isinstance(lines[at], dict):
                _change_packed(lines[at], draw)
            case 3:
                lines[at] = value(draw) if draw.random() < 0.2 else lines[at]
            case _ if isinstance(lines[at], dict):
                lines[at] = mutated_document(lines[at], ["seed", "trials", "cell"], draw)
    return signed(lines)


def signed(lines: list[Any]) -> bytes:
    """A recording of these lines, with its digest."""
    data = b"".join(_written(line) for line in lines)
    end = {"blocks": len(lines) - 1, "sha256": hashlib.sha256(data).hexdigest()}
    return data + _written(end)


def _change_packed(line: dict[str, Any], draw: random.Random) -> None:
    """Put something else where a text of the line is: a vector, a mark, a name."""
    texts: list[Place] = [
        (table, key) for table, key in places(line) if isinstance(table[key], str)
    ]
    if texts:
        table, key = draw.choice(texts)
        table[key] = draw.choice(PACKED)


def _written(line: Any) -> bytes:
    text = json.dumps(line) if not isinstance(line, int) else "0"  # no int too long for json
    return text.encode() + b"\n"
