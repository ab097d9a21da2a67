"""The hardening curve: the least noise of a protocol with a given gain factor for fakes.

Our derivation: all unary encodings and all local hashing (with an ideal family) of one ε lie on the
curve Var*(a) = a²/((e^ε − 1)(a − 1) − 1) over the gain factor a = (1 − q)/(p − q). It begins at
a = e^ε/(e^ε − 1), the least of any pure protocol with this ε, and is lowest at twice that, where
OUE is. `docs/theory.md` has the proof.
"""

from __future__ import annotations

import math
from typing import TypeVar

from ..base.sampling import Floats

Number = TypeVar("Number", float, Floats)


def least_gain_factor(epsilon: float) -> float:
    """e^ε/(e^ε − 1): the least gain factor of a pure ε-LDP protocol."""
    return -1 / math.expm1(-epsilon)


def curve_variance(gain_factor: Number, epsilon: float) -> Number:
    """Var*(a): n times the variance of an estimate of frequency zero, on the curve at gain factor
    a.
    """
    return gain_factor**2 / (math.expm1(epsilon) * (gain_factor - 1) - 1)


def hash_range(gain_factor: Number, epsilon: float) -> Number:
    """The g of local hashing with this gain factor, (a − 1)(e^ε − 1); not rounded."""
    return (gain_factor - 1) * math.expm1(epsilon)
