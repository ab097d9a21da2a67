"""A client of OUE that is private and useless: the lowest bit of a byte is its first item."""

import math

import numpy as np


class Client:
    """Unary encoding whose bytes are packed the other way round."""

    def __init__(self, items, epsilon):
        self.items, self.q = items, 1 / (math.exp(epsilon) + 1)

    def perturb(self, values, rng):
        """Reports of users."""
        bits = rng.random((values.size, self.items)) < self.q
        bits[np.arange(values.size), values] = rng.random(values.size) < 0.5
        return np.packbits(bits, axis=1, bitorder="little")  # the highest bit first is right
