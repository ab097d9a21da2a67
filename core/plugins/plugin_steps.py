"""Permitted attacks, defences, metrics and populations in Python.

They are picklable: each process that uses one loads its code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..attacks import PythonAttack, View
from ..base.arms import Arm
from ..base.code import read_only
from ..base.errors import AttackError, CellError, ScenarioError
from ..base.sampling import Floats
from ..defences import PythonCorrection, PythonFilter, ServerKnowledge, TrialReports, Verdict
from ..law.pure import LocalMechanism, Reports, Rng
from ..metrics import Facts, FrequencyConclusion, PythonMetric, measured_trials
from ..population import Population, PythonPopulation, Weighted
from ..population.population import population_from_counts
from .code_loading import check_numbers, explain_errors, load_method
from .code_location import CodeLocation


def call_code(step: Any, method: str, *arguments: Any) -> Any:
    """The return value of a plug-in's method for these arguments.

    Raises the CellError of the plug-in's purpose if its code fails.
    """
    with explain_errors(step.source):
        return load_method(step.source, json.dumps(step.options), method)(*arguments)


@dataclass(frozen=True)
class Plugin(PythonAttack):
    """A permitted attack in Python."""

    source: CodeLocation = field(kw_only=True, repr=False)

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        """The n reports that the attack's plug-in code makes, validated.

        Raises AttackError if the code fails or a report is invalid.
        """
        arrays = {"targets": view.targets, "published": view.published}
        seen = {name: read_only(value) for name, value in arrays.items() if value is not None}
        made = call_code(self, "reports", protocol, replace(view, **seen), count, rng)
        try:
            return protocol.validate_reports(made, count)
        except ValueError as error:
            spot = self.source.at_line(self.source.line)
            raise AttackError(f"the reports of attack {self.name!r} {error}{spot}") from None


@dataclass(frozen=True)
class PluginCorrection(PythonCorrection):
    """A permitted correction in Python."""

    source: CodeLocation = field(kw_only=True, repr=False)

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        """The corrected estimates that the plug-in code returns, of the shape of `frequencies`.

        Raises DefenceError if the code fails or returns other than finite numbers.
        """
        made = call_code(self, "correct", frequencies.copy(), known)
        numbers = check_numbers(self.source, made, frequencies.shape)
        return np.asarray(numbers, dtype=np.float64)


@dataclass(frozen=True)
class PluginFilter(PythonFilter):
    """A permitted filter in Python."""

    source: CodeLocation = field(kw_only=True, repr=False)

    def sift(self, received: TrialReports) -> Verdict:
        """The verdict of the plug-in code, which may also return just bool[N], the reports that it
        keeps.

        Raises DefenceError if the code fails or its verdict is invalid.
        """
        copied = replace(received, reports=received.reports.copy())
        made = call_code(self, "sift", copied)
        verdict = made if isinstance(made, Verdict) else Verdict(kept=made)
        if verdict.kept is None and verdict.score is None and verdict.alarm is None:
            raise self.source.failure("must return which reports are kept, got nothing")
        parts = {"kept": ("b", "true or false for each report as kept"),
                 "score": ("biuf", "a number for each report as score")}  # fmt: skip
        checked = {
            name: check_numbers(self.source, value, (received.users,), kinds, what)
            for name, (kinds, what) in parts.items()
            if (value := getattr(verdict, name)) is not None
        }
        return replace(verdict, **checked)


@dataclass(frozen=True)
class PluginMetric(PythonMetric):
    """A permitted metric in Python."""

    source: CodeLocation = field(kw_only=True, repr=False)

    def values(self, conclusion: FrequencyConclusion, arm: Arm) -> Floats:
        """float64[trials]: the metric of each trial.

        The first trial is measured twice: raises MetricError if the code is not deterministic, or
        fails.
        """
        values = super().values(conclusion, arm)
        again = self.measure(*next(measured_trials(conclusion, arm)))
        if again != values[0]:
            rule = f"must make one number of the same estimate, got {values[0]} and {again}"
            raise self.source.failure(rule)
        return values

    def measure(self, frequencies: Floats, facts: Facts) -> float:
        """The metric that the plug-in code computes for one trial.

        Raises MetricError if the code fails or returns other than a finite number.
        """
        made = call_code(self, "measure", frequencies, facts)
        return float(check_numbers(self.source, made, (), what="a finite number"))


@dataclass(frozen=True)
class PluginPopulation(Weighted, PythonPopulation):
    """A permitted population in Python."""

    source: CodeLocation = field(kw_only=True, repr=False)

    def weights(self) -> Floats:
        """float64[items]: the weights of the items that the plug-in code returns.

        Raises ScenarioError if the code fails, or a weight is negative, or all are 0.
        """
        try:
            made = call_code(self, "weights", self.items)
            weights = np.array(
                check_numbers(self.source, made, (self.items,), what="finite weights"), np.float64
            )
            if weights.min() < 0 or not weights.sum() > 0:
                raise self.source.failure("must return weights that are at least 0 and not all 0")
        except CellError as error:
            raise ScenarioError(str(error), key="name") from error
        return weights

    def draw_users(self, weights: Floats, seed: int) -> Population:
        """The population with users drawn by these weights; its random streams depend on the counts
        alone.
        """
        return population_from_counts(super().draw_users(weights, seed).histogram, None)
