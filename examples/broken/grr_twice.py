"""A broken client of GRR: two layers of the program perturb, one after the other."""

import math

import numpy as np


class Client:
    """Randomised response of the answer of randomised response."""

    def __init__(self, items, epsilon):
        self.items = items
        self.p = math.exp(epsilon) / (math.exp(epsilon) + items - 1)

    def perturb(self, values, rng):
        """Reports of users."""
        return self.once(self.once(values, rng), rng)

    def once(self, values, rng):
        """Reports as they should be."""
        other = (values + rng.integers(1, self.items, size=values.size)) % self.items
        return np.where(rng.random(values.size) < self.p, values, other)
