"""A broken client of SUE: a report without a bit is filled with the item itself."""

import math

import numpy as np


class Client:
    """Unary encoding with a step behind it, which knows the item."""

    def __init__(self, items, epsilon):
        self.items, self.p = items, 1 / (1 + math.exp(-epsilon / 2))

    def perturb(self, values, rng):
        """Reports of users."""
        bits = rng.random((values.size, self.items)) < 1 - self.p
        bits[np.arange(values.size), values] = rng.random(values.size) < self.p
        empty = ~bits.any(axis=1)
        bits[empty, values[empty]] = True  # "an empty report is no use to anybody"
        return np.packbits(bits, axis=1)
