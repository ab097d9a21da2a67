"""A broken client of GRR: item 0 is taken for no item, and is never perturbed."""

import math

import numpy as np


class Client:
    """Randomised response of every item that Python takes for true."""

    def __init__(self, items, epsilon):
        self.items = items
        self.p = math.exp(epsilon) / (math.exp(epsilon) + items - 1)

    def perturb(self, values, rng):
        """Reports of users."""
        return np.array([self.report(item, rng) for item in values.tolist()])

    def report(self, item, rng):
        """The report of one user."""
        if not item:  # meant for a missing value
            return item
        if rng.random() < self.p:
            return item
        return (item + int(rng.integers(1, self.items))) % self.items
