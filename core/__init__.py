"""The simulator of ldptui: local differential privacy, attacks on it, and their theory.

    from core import compile, load, run
    experiment = compile(load(Path("my.toml")))
    for progress in run(experiment):
        ...
    progress.results.cells[0].estimate("gain")

Importing `core` loads nothing; a name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cell import Cell as Cell
    from .errors import FileError as FileError
    from .errors import LdpError as LdpError
    from .errors import RunError as RunError
    from .errors import ScenarioError as ScenarioError
    from .experiment import Experiment as Experiment
    from .experiment import compile as compile
    from .protocols import BLH as BLH
    from .protocols import GRR as GRR
    from .protocols import OLH as OLH
    from .protocols import OUE as OUE
    from .protocols import SUE as SUE
    from .protocols import Rappor as Rappor
    from .protocols import RapporSpec as RapporSpec
    from .protocols.curators import Geometric as Geometric
    from .protocols.curators import Laplace as Laplace
    from .protocols.curators import Stability as Stability
    from .pure import estimate as estimate
    from .running.runner import Progress as Progress
    from .running.runner import Results as Results
    from .running.runner import run as run
    from .scenario import Scenario as Scenario
    from .scenario import load as load
    from .scenario import parse as parse

_HOMES = {
    "Cell": "cell",
    **dict.fromkeys(("Geometric", "Laplace", "Stability"), "protocols.curators"),
    **dict.fromkeys(("FileError", "LdpError", "RunError", "ScenarioError"), "errors"),
    **dict.fromkeys(("Experiment", "compile"), "experiment"),
    **dict.fromkeys(("BLH", "GRR", "OLH", "OUE", "SUE", "Rappor", "RapporSpec"), "protocols"),
    "estimate": "pure",
    **dict.fromkeys(("Progress", "Results", "run"), "running.runner"),
    **dict.fromkeys(("Scenario", "load", "parse"), "scenario"),
}


def __getattr__(name: str) -> Any:
    """Load a name's module on first use (PEP 562), so that `--help` needs no NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'core' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


__all__ = sorted(_HOMES)
