"""A client of OLH that reuses its hash seeds: there are 256 of them in all."""

import math

import numpy as np

from ldptui.core.kernels.hashing import buckets

REPORT = np.dtype([("seed", "<u4"), ("value", "<u4")])
SEEDS = np.random.default_rng(1).integers(0, 2**32, size=256, dtype=np.uint32)


class Client:
    """Local hashing to g buckets, as the protocol says, but for its hash functions."""

    def __init__(self, items, epsilon):
        self.g = round(math.exp(epsilon)) + 1
        self.keep = math.exp(epsilon) / (math.exp(epsilon) + self.g - 1)

    def perturb(self, values, rng):
        """Reports of users."""
        reports = np.empty(values.size, REPORT)
        reports["seed"] = SEEDS[rng.integers(0, SEEDS.size, size=values.size)]
        own = buckets(values, reports["seed"].copy(), self.g)
        other = (own + rng.integers(1, self.g, size=values.size)) % self.g
        reports["value"] = np.where(rng.random(values.size) < self.keep, own, other)
        return reports
