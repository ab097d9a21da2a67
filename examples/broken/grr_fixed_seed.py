"""A broken client of GRR: its generator starts from the same seed on every device."""

import math
import random

COINS = random.Random(42)  # left over from a test


class Client:
    """Randomised response with coins that everybody knows."""

    def __init__(self, items, epsilon):
        self.items = items
        self.p = math.exp(epsilon) / (math.exp(epsilon) + items - 1)

    def perturb(self, values, rng):
        """Reports of users; `rng`, which ldptui gives, is not looked at."""
        return [self.report(item) for item in values.tolist()]

    def report(self, item):
        """The report of one user."""
        if COINS.random() < self.p:
            return item
        return (item + COINS.randrange(1, self.items)) % self.items
