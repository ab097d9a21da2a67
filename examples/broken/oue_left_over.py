"""A broken client of OUE: the buffer of the report before is not cleared in time."""

import math

import numpy as np


class Client:
    """Unary encoding in a buffer that is used again, and every fifth time not emptied."""

    def __init__(self, items, epsilon):
        self.items, self.q = items, 1 / (math.exp(epsilon) + 1)

    def perturb(self, values, rng):
        """Reports of users."""
        bits = rng.random((values.size, self.items)) < self.q
        bits[np.arange(values.size), values] = rng.random(values.size) < 0.5
        full = np.flatnonzero(rng.random(values.size) < 0.2)
        full = full[full > 0]
        bits[full] |= bits[full - 1]  # the bits of somebody else
        return np.packbits(bits, axis=1)
