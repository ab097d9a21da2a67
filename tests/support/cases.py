"""The protocols of the contract test, experiments in one line, and mutants.

A mutant is the thing under test with one mistake in it. Every statistical check is also made on
one, and has to reject it: that is how a test proves that it can fail.
"""

from __future__ import annotations

import copy
import dataclasses
import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ldptui import core
from ldptui.core.base.errors import ScenarioError
from ldptui.core.collection.counts import block_counts
from ldptui.core.law.pure import PlacedItems, PureProtocol
from ldptui.core.law.support import ItemSupport, Support
from ldptui.core.protocols import PROTOCOLS
from support.count_laws import Poisoned
from support.kinds import CAO_PROTOCOLS
from support.report_laws import Case


def bind(case: Case) -> PureProtocol:
    """The protocol of a case, as a scenario would make it."""
    return PROTOCOLS[case.kind](**protocol_table(case)).bind(case.domain_size)


def protocol_table(case: Case) -> dict[str, Any]:
    """The `[protocol]` table of a case: its kind and budget, and the parameters that it has."""
    known = {field.name for field in dataclasses.fields(PROTOCOLS[case.kind])}
    own = dataclasses.asdict(case)
    return {name: own[name] for name in own if name in known}


def _cases(d: int, epsilon: float) -> list[Case]:
    """Every protocol that a scenario can name; OLH and SS with several of their integers."""
    dials: dict[str, Sequence[dict[str, Any]]] = {
        "ue": [{"keep": 0.8}],
        "lh": [{"hash_range": 5}],
        "blh": [{"hash_range": 2}],
        "hst": [{"coin": "user"}, {"coin": "public", "hash_range": 2}],
        "the": [{"theta": 0.7}],
        "olh": [{"hash_range": g} for g in (3, 8)],
        "loloha": [{"hash_range": 3}],
        "ss": [{"subset_size": w} for w in (1, 3) if w < d],
    }
    return [Case(kind, d, epsilon, **dial) for kind in PROTOCOLS for dial in dials.get(kind, [{}])]  # type: ignore[arg-type]


def of_kind(kind: str, d: int, epsilon: float) -> Case:
    """The last case of a kind: the one with the largest integer."""
    return {case.kind: case for case in _cases(d, epsilon)}[kind]


def accepted(case: Case) -> bool:
    """False where a protocol is refused: some codes grow with e^ε."""
    try:
        bind(case)
    except ScenarioError:
        return False
    return True


CASES = _cases(5, 1.0)
EXTREMES = [
    *_cases(2, 1.0),
    *_cases(3, 0.1),
    *_cases(3, 8.0),
    *(case for case in _cases(3, 20.0) if accepted(case)),
    Case("olh", 3, 8.0, 2**20),
]


def _repeated(cases: list[Case]) -> list[Case]:
    """The cases of a family that draw by the same code, at one d and ε, but for the last two."""
    alike: dict[tuple[object, ...], list[Case]] = {}
    for case in cases:
        made = type(bind(case))
        code = made.family, made.sample_counts, made.perturb, made.law_of
        alike.setdefault((case.domain_size, case.epsilon, *code), []).append(case)
    return [case for known in alike.values() for case in known[:-2]]


REPEATED = [*_repeated(CASES), *_repeated(EXTREMES)]
"""Cases for `make test-long`: other parameters of the same code."""


def changed(protocol: Any, **attributes: Any) -> Any:
    """A copy of a protocol with some properties (values) or methods (functions) replaced."""
    members = {
        name: value if callable(value) else property(operator.attrgetter(f"_{name}"))
        for name, value in attributes.items()
    }
    mutant = copy.copy(protocol)
    for name, value in attributes.items():
        object.__setattr__(mutant, f"_{name}", value)
    object.__setattr__(mutant, "__class__", type("Mutant", (type(protocol),), members))
    return mutant


def subset_counts_of(supports: NDArray[np.bool_] | NDArray[np.int8]) -> NDArray[np.int64]:
    """The number of reports that support exactly each subset of the items; int64[2^d].

    int64[3^d] of reports that also speak against items.
    """
    d, base = supports.shape[1], 2 if supports.dtype == np.bool_ else 3
    said = supports.astype(np.int64) % 3
    return np.bincount(said @ base ** np.arange(d), minlength=base**d)


every_case = pytest.mark.parametrize("case", CASES, ids=str)


def outcomes_of(case: Case, counts: Any, users: int) -> NDArray[np.int64]:
    """The outcomes of the counts of these users, as `counts_law` numbers them."""
    return outcome_counts_of(counts, users, signed=case.code is not None and case.code.signed)


def outcome_counts_of(
    counts: NDArray[np.int64], users: int, *, signed: bool = False
) -> NDArray[np.int64]:
    """The number of trials with each vector of support counts; shape [users + 1] * d.

    signed : True for counts that may be negative; then as in `counts_law`.
    """
    size = (2 if signed else 1) * users + 1
    shape = (size,) * counts.shape[1]
    flat = np.ravel_multi_index(tuple(counts.T % size if signed else counts.T), shape)
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)


def experiment(
    population: dict[str, Any] | list[int] | None = None,
    protocol: Case | dict[str, Any] | None = None,
    attack: dict[str, Any] | None = None,
    **top: Any,
) -> core.Experiment:
    """An experiment; a list is a population of counts, a Case its protocol."""
    if population is None:
        population = [5000, 3000, 1500, 500, 0]
    if isinstance(population, list):
        population = {"kind": "counts", "counts": population}
    if protocol is None:
        protocol = {"kind": "oue", "epsilon": 1.0}
    if isinstance(protocol, Case):
        protocol = protocol_table(protocol)
    document = {"format": 1, **top, "population": population, "protocol": protocol}
    if attack is not None:
        document["attack"] = attack
    return core.compile(core.Scenario(document, "test", Path()))


def sweep(trials: int = 50, seed: int = 0, **top: Any) -> core.Experiment:
    """Six cells of small collections, as stores keep them: 18 blocks with 50 trials."""
    return experiment(
        {"kind": "zipf", "items": 20, "users": 2000, "exponent": 1.0},
        {"kind": "oue", "epsilon": 1.0},
        attack("mga", 0.1, [3, 4], seeds=5),
        trials=trials,
        seed=seed,
        sweep={"protocol.kind": list(CAO_PROTOCOLS), "attack.kind": ["none", "mga"]},
        **top,
    )


def results_of(made: core.Experiment, **how: Any) -> core.RunResults:
    """The results of a whole run; `how` as `core.run` takes it."""
    *_, last = core.run(made, **how)
    return last.results


def cell(*args: Any, **kwargs: Any) -> core.Cell:
    """The only cell of `experiment(...)`."""
    (only,) = experiment(*args, **kwargs).cells
    return only


def attack(kind: str, share: float, items: Sequence[int | str], **effort: Any) -> dict[str, Any]:
    """The attack table of a scenario, with listed targets."""
    return {"kind": kind, "share": share, "targets": {"items": list(items)}, **effort}


def counts(cell: core.Cell, block: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Clean and attacked support counts of a block of the counts path."""
    return block_counts(cell, block, 20)


def alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """True if two arrays hold the same numbers, NaN equal to NaN."""
    kinds = (one.dtype, one.shape), (other.dtype, other.shape)
    return kinds[0] == kinds[1] and one.tobytes() == other.tobytes()


def expecting(
    monkeypatch: pytest.MonkeyPatch, expected: Callable[[core.Cell], dict[str, float | None]]
) -> None:
    """Give cells other closed forms, wherever these are compared or searched."""
    for module in ("view.cells", "theory.campaign"):
        monkeypatch.setattr(f"ldptui.core.{module}.expected_metrics", expected)
    monkeypatch.setattr(
        "ldptui.core.experiment.search.expected_metric", lambda cell, name: expected(cell)[name]
    )


def metrics(cell: core.Cell, blocks: int) -> Callable[[str], NDArray[np.float64]]:
    """Run blocks of 20 trials of a cell; gives the values of a metric over the trials."""
    rows = np.concatenate([cell.block(number).metrics for number in range(blocks)])
    return lambda name: np.asarray(rows[name])


def support_towards(cell: core.Cell) -> Support:
    """The support of one fake report of a cell towards its targets, on average over them."""
    from ldptui.core import theory

    law = theory.fake_support(cell)
    assert law is not None
    if not isinstance(cell.protocol, PlacedItems):
        (fakes,) = cell.fakes
        return fakes.strategy.support(cell.pure, cell.targets.size)
    others = np.delete(law.rates, cell.targets)
    other = float(others.mean()) if others.size else 0.0
    return Support(float(law.rates[cell.targets].mean()), other, law.variance, np.nan, np.nan)


def deviation_of(cell: core.Cell, support: Support | ItemSupport) -> float:
    """The standard deviation of the gain of a cell whose fakes have this support."""
    from ldptui.core import theory

    protocol: Any = cell.protocol
    spread = theory.target_sum_variance(
        protocol, cell.targets, cell.population.frequencies, cell.users
    )
    return theory.std_of_gain(protocol, spread, support.variance, cell.users, cell.malicious)


def assert_closed_forms(cell: core.Cell, law: Poisoned) -> None:
    """The theory of a cell is what the enumerated law of its reports says."""
    from ldptui.core import theory

    expected, (gain, variance) = theory.expected_metrics(cell), law.gain
    scale = 1e-9 / (law.case.p - law.case.q)
    assert expected["gain"] == pytest.approx(gain, abs=scale)
    assert expected["mse"] == pytest.approx(law.squared_error(law.after)[0], rel=1e-9)
    assert theory.expected_estimate(cell) == pytest.approx(law.after.mean, rel=1e-9, abs=scale)
    covariance = law.after.covariance
    assert theory.attacked_variance(cell) == pytest.approx(covariance.diagonal(), rel=1e-9)
    support = theory.fake_support(cell)
    assert support is not None
    deviation = deviation_of(cell, support)
    assert deviation == pytest.approx(max(variance, 0) ** 0.5, rel=1e-6, abs=1e-7)
