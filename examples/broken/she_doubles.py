"""A broken client of SHE: its Laplace noise is in doubles, whose low digits name the held item."""

import numpy as np


class Client:
    """The one-hot encoding with Laplace noise of scale 2/epsilon in every cell."""

    def __init__(self, items, epsilon):
        self.items, self.scale = items, 2 / epsilon

    def perturb(self, values, rng):
        """Reports float64[n, items]: the law is the paper's, in real numbers."""
        reports = rng.laplace(0.0, self.scale, size=(values.size, self.items))
        reports[np.arange(values.size), values] += 1
        return reports
