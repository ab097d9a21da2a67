"""A broken client of OUE: the bit of the user's own item is always sent."""

import math

import numpy as np


class Client:
    """Unary encoding that draws the other bits alone."""

    def __init__(self, items, epsilon):
        self.items, self.q = items, 1 / (math.exp(epsilon) + 1)

    def perturb(self, values, rng):
        """Reports of users."""
        bits = rng.random((values.size, self.items)) < self.q
        bits[np.arange(values.size), values] = True  # with p = 1/2 is right
        return np.packbits(bits, axis=1)
