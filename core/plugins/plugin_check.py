"""The check of an attack, a defence, a metric or a population in Python: scenarios that use it, run
twice.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from ..base.code import What
from ..base.errors import LdpError
from ..experiment import compile  # noqa: A004
from ..metrics.results import CellResults
from ..scenario import FORMAT, Scenario
from .code_loading import explain_errors, load_object
from .code_location import GROUPS, CodeLocation, CodePermission, code_from_name, published_names
from .permission import permit_code

PROBES: Final = ("grr", "olh")
"""The protocols with which attacks, defences, metrics and populations are run."""

METHODS: Final[dict[str, What]] = {
    "reports": "attack", "correct": "defence", "sift": "defence", "measure": "metric",
    "weights": "population",
}  # fmt: skip
"""The method of an object for each purpose."""

SIGNATURES: Final[dict[tuple[str, ...], What]] = {
    ("protocol", "view", "count", "rng"): "attack",
    ("frequencies", "known"): "defence",
    ("received",): "defence",
    ("frequencies", "facts"): "metric",
    ("items",): "population",
}
"""The required parameters of a function for each purpose."""

SHOWN_METRICS: Final[dict[What, str]] = {
    "attack": "gain", "defence": "mse_after", "population": "mse_clean",
}  # fmt: skip
"""The metric that a run is told by; of a metric its own."""

TRIALS: Final = 4


@dataclass(frozen=True)
class PluginRun:
    """One check of plug-in code.

    promise : what is checked. holds : whether it holds. detail : a measured number, or the error.
    """

    promise: str
    holds: bool
    detail: str


def is_code(place: str) -> bool:
    """Whether a text names plug-in code: FILE.py:NAME, or an entry point of an installed
    package.
    """
    return ":" in place or any(place in published_names(what) for what in GROUPS)


def find_purpose(place: str, what: What | None = None) -> CodeLocation:
    """The plug-in code at FILE.py:NAME or of an installed package, with its purpose (attack,
    metric, …).

    what : the purpose, if it is known; otherwise the code of a file is loaded, and the object's
    methods or parameters decide. Raises ScenarioError, FileError, and CellError if the code fails.
    """
    file, _, _ = place.rpartition(":")
    if what or not file:
        groups = [each for each in GROUPS if place in published_names(each)]
        return code_from_name(place, what or (groups[0] if groups else "protocol"))
    code = code_from_name(place, "protocol")
    with explain_errors(code):
        return replace(code, what=_purpose(load_object(code)))


def _purpose(made: Any) -> What:
    """The purpose of an object, by its methods, else by its parameters; else a protocol."""
    for method, what in METHODS.items():
        if callable(getattr(made, method, None)):
            return what
    return SIGNATURES.get(_required_parameters(made), "protocol")


def _required_parameters(made: Any) -> tuple[str, ...]:
    """The names of the parameters of a function that have no default; of other objects none."""
    if not inspect.isfunction(made):
        return ()
    parameters = inspect.signature(made).parameters.values()
    return tuple(
        part.name
        for part in parameters
        if part.default is part.empty and part.kind is part.POSITIONAL_OR_KEYWORD
    )


def check_plugin(code: CodeLocation, items: int, epsilon: float) -> Iterator[PluginRun]:
    """Yields the checks of plug-in code: runs of a small scenario that uses it, under each of
    PROBES.

    code : an attack, a defence, a metric or a population; a protocol's privacy is checked
    elsewhere.
    """
    for probe in PROBES:
        promise = f"it runs with {probe}"
        try:
            first, again = (_run(code, items, epsilon, probe) for _ in range(2))
        except LdpError as error:
            yield PluginRun(promise, False, getattr(error, "rule", "") or str(error))
            continue
        shown = SHOWN_METRICS.get(code.what, code.name)
        yield PluginRun(promise, True, f"{shown} {first.metrics[shown].mean():.4g}")
        same = first.fingerprints.tobytes() == again.fingerprints.tobytes()
        same = same and first.metrics.tobytes() == again.metrics.tobytes()
        yield PluginRun(f"it gives the same numbers again with {probe}", same, "")


def _run(code: CodeLocation, items: int, epsilon: float, probe: str) -> CellResults:
    """The trials of the scenario in which code runs; raises LdpError."""
    with explain_errors(code):
        scenario = Scenario(_document(code, items, epsilon, probe))
    (cell,) = permit_code(compile(scenario), CodePermission(agreed_code=(code,))).cells
    return cell.block(0, TRIALS)


def _document(code: CodeLocation, items: int, epsilon: float, probe: str) -> dict[str, Any]:
    """The scenario in which code runs: few users, an attack on two items, and the code's table."""
    tables: dict[str, Any] = {
        "population": {"kind": "zipf", "items": items, "users": 2000, "exponent": 1.0},
        "protocol": {"kind": probe, "epsilon": epsilon},
        "attack": {"kind": "ria", "share": 0.1, "targets": {"items": [0, items - 1]}},
    }
    own = {"kind": "plugin", "name": code.name}
    match code.what:
        case "attack":
            tables["attack"] |= own
        case "population":
            tables["population"] = own | {"items": items, "users": 2000}
        case "metric":
            tables["metric"] = [{"name": code.name}]
        case "defence":
            made = load_object(code)
            sifts = hasattr(made, "sift") or len(_required_parameters(made)) == 1
            tables["defence"] = [own | ({"kind": "plugin-filter"} if sifts else {})]
    return {"format": FORMAT, "trials": TRIALS, **tables}
