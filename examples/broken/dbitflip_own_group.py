"""A broken client of dBitFlip: it has itself asked about its own item, every time."""

import math

import numpy as np


class Client:
    """A bit flip for each of `asked` items, which the server should choose."""

    def __init__(self, items, epsilon, asked=4):
        self.items, self.asked = items, asked
        self.p = 1 / (1 + math.exp(-epsilon / 2))

    def perturb(self, values, rng):
        """Reports of users: the items that they were asked about, and the answers."""
        rows = np.arange(values.size)[:, None]
        order = rng.random((values.size, self.items))
        order[rows[:, 0], values] = -1  # the own item first
        asked = np.zeros((values.size, self.items), dtype=bool)
        asked[rows, np.argsort(order, axis=1)[:, : self.asked]] = True
        own = np.arange(self.items) == values[:, None]
        ones = rng.random(asked.shape) < np.where(own, self.p, 1 - self.p)
        return np.packbits(np.stack([asked, asked & ones], axis=1), axis=2)
