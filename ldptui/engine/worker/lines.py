"""Lines of the protocol: strict JSON, with columns of numbers in base64."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from ldptui.core.base.sampling import Counts, Floats


def encode(value: Any) -> bytes:
    """JSON on one line, strictly: a number that is not finite is an error."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, default=str).encode()


def write(out: BinaryIO, message: Mapping[str, Any]) -> None:
    out.write(encode(message) + b"\n")
    out.flush()


def column(values: Floats | Counts) -> str:
    """Numbers, of an array row by row."""
    return b64encode(values.astype("<f8").tobytes()).decode()


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
