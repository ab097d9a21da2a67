"""An exact check of privacy: every report's probability under every pair of inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...base.errors import ScenarioError
from ...law.enumeration import ReportLaw


@dataclass(frozen=True)
class Check:
    """The result of an exact check of ε by enumerating all reports.

    claimed, epsilon : the claimed ε, and ln of the largest ratio Pr[y|first] / Pr[y|second].
    first, second, report : two inputs and a report with this ratio; with the two probabilities.
    inputs, reports : their numbers.
    """

    claimed: float
    epsilon: float
    first: str
    second: str
    report: str
    first_probability: float
    second_probability: float
    inputs: int
    reports: int

    @property
    def holds(self) -> bool:
        """Whether no probability ratio exceeds e^ε of the claim, to rounding."""
        return self.epsilon <= self.claimed + 1e-9 * max(1.0, self.claimed)

    @property
    def tight(self) -> bool:
        """Whether some probability ratio reaches e^ε of the claim, and none exceeds it."""
        return self.holds and self.epsilon >= self.claimed - 1e-9 * max(1.0, self.claimed)


def check(law: ReportLaw, claimed: float) -> Check:
    """The result of comparing every report's probability under every pair of inputs with e^ε.

    Raises ScenarioError if a row of probabilities does not add up to 1.
    """
    chances = law.probabilities
    if (chances < 0).any() or not np.allclose(chances.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ScenarioError("must add up to 1 over the reports of each input", key="probabilities")
    high, low = chances.max(axis=0), chances.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(high > 0, np.log(high) - np.log(low), -math.inf)
    # The likeliest of the reports that are equally bad, to rounding; the first of the inputs.
    at = int(np.where(ratio >= ratio.max() - 1e-9, high, -1.0).argmax())
    first = int((chances[:, at] >= high[at] * (1 - 1e-12)).argmax())
    second = int((chances[:, at] <= low[at] * (1 + 1e-12)).argmax())
    return Check(
        claimed,
        float(ratio[at]),
        law.input_name(first),
        law.input_name(second),
        law.report_name(at),
        float(chances[first, at]),
        float(chances[second, at]),
        *chances.shape,
    )
