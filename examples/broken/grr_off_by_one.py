"""A broken client of GRR: the other item is one of all d items, the own one among them."""

import math

import numpy as np


class Client:
    """Randomised response whose p is that of d - 1 other items, and whose other item is of d."""

    def __init__(self, items, epsilon):
        self.items = items
        self.p = math.exp(epsilon) / (math.exp(epsilon) + items - 1)

    def perturb(self, values, rng):
        """Reports of users."""
        other = rng.integers(0, self.items, size=values.size)  # 1 to d - 1 places further is right
        return np.where(rng.random(values.size) < self.p, values, other)
