"""Metrics in Python, which a scenario names.

Their code is found and run by `core.plugins`, if the user permits it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ..base.arms import ARMS, ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, Arm
from ..base.code import PythonCode, What, read_only
from ..base.errors import MetricError, ScenarioError, got
from ..base.sampling import Floats
from ..law.pure import Items
from .conclusions.frequency_conclusion import FrequencyConclusion
from .measuring import METRICS

ENDS: Final = {
    ATTACKED: "",
    CLEAN: "_clean",
    ATTACKED_DEFENDED: "_after",
    CLEAN_DEFENDED: "_clean_after",
}
"""The end of a metric's column in each arm, as the built-in ones have it: mse, mse_clean, …"""

TAKEN: Final = (
    *("part", "cell", "trial", "trials", "trials_done", "round", "seed", "malicious"),
    *("epsilon_spent", "entry_round", "entry_round_reached", "fingerprint"),
    *("metric", "mean", "standard_error", "theory", "z"),
)
"""The columns of results that are neither a metric nor a key with a dot."""

KEPT: Final = ("_clean", "_after", "_standard_error", "_theory", "_z")
"""The ends of columns that are made of a metric's name."""


@dataclass(frozen=True, eq=False)
class Facts:
    """The true values of one trial that a metric in Python gets besides the estimate; arrays are
    read-only.

    Attributes
    ----------
    truth
        float64[d], the true frequencies of the genuine users.
    clean
        float64[d], the estimate from the same genuine users without the fakes.
    targets
        int64[r], the indices of the targets; empty without an attack.
    users, malicious
        The numbers of genuine and of fake users.
    top_k
        The scenario's k.
    """

    truth: Floats
    clean: Floats
    targets: Items
    users: int
    malicious: int
    top_k: int


@dataclass(frozen=True)
class PythonMetric(PythonCode):
    """A metric in Python, by its name: `measure(frequencies, facts)` for one trial.

    Raises ScenarioError for a name that cannot be a column. Until its code is permitted, it cannot
    be computed.
    """

    what: ClassVar[What] = "metric"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_column(self.name)

    def columns(self, arms: Collection[Arm] = ARMS) -> dict[str, Arm]:
        """The metric's column names, each with the arm that is measured."""
        return {f"{self.name}{end}": arm for arm, end in ENDS.items() if arm in arms}

    def values(self, conclusion: FrequencyConclusion, arm: Arm) -> Floats:
        """float64[trials]: the metric in each trial of one arm.

        Raises MetricError if its code is not permitted, or fails.
        """
        return np.array([self.measure(*trial) for trial in measured_trials(conclusion, arm)])

    def measure(self, *_: Any, **__: Any) -> float:
        """The metric of one trial, from the estimate float64[d] and the trial's facts.

        Raises MetricError, always, until the plug-in code is permitted.
        """
        raise MetricError(f"metric {self.name!r} is somebody's code and not allowed")


def measured_columns(
    conclusion: FrequencyConclusion, metrics: Iterable[PythonMetric]
) -> dict[str, Floats]:
    """float64[trials] for each column of these metrics.

    Raises MetricError if the code of one is not permitted, or fails.
    """
    return {
        column: metric.values(conclusion, arm)
        for metric in metrics
        for column, arm in metric.columns(conclusion.arms).items()
    }


def columns_asked(parameters: Mapping[str, object]) -> list[str]:
    """The columns, in all arms, of the metrics in Python that a cell's parameters name."""
    names = (value for key, value in parameters.items() if re.fullmatch(r"metric\.\d+\.name", key))
    return [f"{name}{end}" for name in names for end in ENDS.values()]


def check_column(name: str) -> None:
    """Raise ScenarioError for a column name that is invalid or already used."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,59}", name):
        rule = "must begin with a letter and have at most 60 letters, digits and _"
        raise ScenarioError(f"{rule}, as it names a column, {got(name)}", key="name")
    if name in METRICS or name in TAKEN:
        what = "a built-in metric" if name in METRICS else "another column of results"
        raise ScenarioError(f"must not be the name of {what}, {got(name)}", key="name")
    if name.endswith(KEPT):
        rule = f"must not end in {', '.join(KEPT)}, as columns made of it do"
        raise ScenarioError(f"{rule}, {got(name)}", key="name")


def measured_trials(conclusion: FrequencyConclusion, arm: Arm) -> Iterator[tuple[Floats, Facts]]:
    """Yields the estimate float64[d] of each trial in one arm, with the trial's true values;
    read-only.
    """
    fixed = {
        "truth": read_only(conclusion.truth),
        "targets": read_only(conclusion.targets),
        "users": conclusion.users,
        "malicious": conclusion.malicious,
        "top_k": int(conclusion.leaders.items.size),
    }
    made = read_only(conclusion.estimates[arm].frequencies)
    before = read_only(conclusion.estimates[arm.before].frequencies)
    for row, clean in zip(made, before, strict=True):
        yield row, Facts(clean=clean, **fixed)
