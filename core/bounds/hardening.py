"""The hardening curve: the noise that a protocol has where fakes lift an item by little.

We derive it: all unary encodings and all local hashing (with an ideal family) of one ε lie on the
curve Var*(a) = a²/((e^ε − 1)(a − 1) − 1) over the gain factor a = (1 − q)/(p − q). It begins at
a = e^ε/(e^ε − 1), below which no pure protocol of this ε is, and is lowest at twice that, where OUE
is. `docs/theory.md` has the proof.
"""

from __future__ import annotations

import math
from typing import TypeVar

from ..base.sampling import Floats

Number = TypeVar("Number", float, Floats)


def least_gain_factor(epsilon: float) -> float:
    """e^ε/(e^ε − 1): the gain factor of every pure ε-LDP protocol is larger, or equal."""
    return -1 / math.expm1(-epsilon)


def curve_variance(gain_factor: Number, epsilon: float) -> Number:
    """Var*(a): n times the least variance of an estimate of frequency zero, at gain factor a."""
    return gain_factor**2 / (math.expm1(epsilon) * (gain_factor - 1) - 1)


def hash_range(gain_factor: Number, epsilon: float) -> Number:
    """The g of the local hashing with this gain factor, a(e^ε − 1) − e^ε + 1; not rounded."""
    return (gain_factor - 1) * math.expm1(epsilon)
