"""A broken client of OLH: its seeds, which it publishes, are the raw output of PCG64, in order."""

import math

import numpy as np

from ldptui.core.kernels.hashing import buckets

REPORT = np.dtype([("seed", "<u4"), ("value", "<u4")])


class Client:
    """Local hashing to g buckets, as the protocol says, but for its random numbers."""

    def __init__(self, items, epsilon):
        self.g = round(math.exp(epsilon)) + 1
        self.keep = math.exp(epsilon) / (math.exp(epsilon) + self.g - 1)
        self.rng = np.random.default_rng()  # PCG64, seeded by the operating system

    def perturb(self, values, rng):
        """Reports of users; `rng`, which ldptui gives, is not looked at."""
        reports = np.empty(values.size, REPORT)
        reports["seed"] = self.rng.integers(0, 2**32, size=values.size, dtype=np.uint32)
        own = buckets(values, reports["seed"].copy(), self.g)
        other = (own + self.rng.integers(1, self.g, size=values.size)) % self.g
        reports["value"] = np.where(self.rng.random(values.size) < self.keep, own, other)
        return reports
