"""Subset selection: what the contract test does not ask of every protocol."""

import pytest

from ldptui.core.protocols.subset import average_variance, best_size


def test_the_best_size_of_a_subset_is_the_best_of_all() -> None:
    for domain_size in (2, 3, 7, 40, 137):
        for epsilon in (0.01, 0.5, 1.0, 3.0, 8.0):
            every = [average_variance(domain_size, epsilon, size) for size in range(1, domain_size)]
            best = best_size(domain_size, epsilon)
            assert every[best - 1] == pytest.approx(min(every), rel=1e-12)
