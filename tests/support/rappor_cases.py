"""Bloom filters small enough to enumerate, and RAPPOR with them."""

from typing import Any

import pytest

from ldptui.core.protocols import BitNoise, Rappor

from .rappor_laws import Filters

TINY = [
    Filters(4, 3, 2, 2, 0.5, 0.5, 0.75),
    Filters(4, 3, 2, 2, 0.4, 0.0, 1.0),  # one-time
    Filters(4, 3, 1, 2, 0.0, 0.2, 0.9),  # without permanent noise
    Filters(4, 4, 3, 1, 0.3, 0.1, 0.6),
]
every_tiny = pytest.mark.parametrize("tiny", TINY, ids=str)


def bound(tiny: Filters, **others: Any) -> Rappor:
    noise = BitNoise(tiny.f, tiny.p, tiny.q)
    return Rappor(tiny.items, tiny.bits, tiny.hashes, tiny.cohorts, noise, **others)
