"""A broken client of SUE: the loop over the bits ends one too early."""

import math

import numpy as np


class Client:
    """Unary encoding whose last bit is sent as it is."""

    def __init__(self, items, epsilon):
        self.items, self.flip = items, 1 / (math.exp(epsilon / 2) + 1)

    def perturb(self, values, rng):
        """Reports of users."""
        bits = np.zeros((values.size, self.items), dtype=bool)
        bits[np.arange(values.size), values] = True
        flipped = rng.random((values.size, self.items - 1)) < self.flip  # `items` is right
        bits[:, :-1] ^= flipped
        return np.packbits(bits, axis=1)
