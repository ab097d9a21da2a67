"""A broken client of OUE: a coin has two random bits, so that q is a multiple of 1/4."""

import math

import numpy as np


class Client:
    """Unary encoding that saves random bits."""

    def __init__(self, items, epsilon):
        self.items, self.q = items, 1 / (math.exp(epsilon) + 1)

    def perturb(self, values, rng):
        """Reports of users."""
        coins = rng.integers(0, 4, size=(values.size, self.items))
        bits = coins < int(4 * self.q)
        bits[np.arange(values.size), values] = rng.random(values.size) < 0.5
        return np.packbits(bits, axis=1)
