"""The simulator of ldptui: local differential privacy, attacks on it, and their theory.

    from ldptui.core import compile, load, run
    experiment = compile(load(Path("my.toml")))
    for progress in run(experiment):
        ...
    progress.results.cells[0].estimate("gain")

Importing `ldptui.core` loads nothing; a name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if __name__ == "core":  # a checkout's folder is also found by this name, and would be a second copy
    raise ModuleNotFoundError("the simulator of ldptui is imported as ldptui.core", name="core")

if TYPE_CHECKING:
    from .base.errors import FileError as FileError
    from .base.errors import LdpError as LdpError
    from .base.errors import RunError as RunError
    from .base.errors import ScenarioError as ScenarioError
    from .cell import Cell as Cell
    from .experiment import Experiment as Experiment
    from .experiment import compile as compile
    from .law.pure import estimate as estimate
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
    from .running.runner import Progress as Progress
    from .running.runner import RunResults as RunResults
    from .running.runner import run as run
    from .scenario import Scenario as Scenario
    from .scenario import load as load
    from .scenario import parse as parse

_HOMES = {
    "Cell": "cell",
    **dict.fromkeys(("Geometric", "Laplace", "Stability"), "protocols.curators"),
    **dict.fromkeys(("FileError", "LdpError", "RunError", "ScenarioError"), "base.errors"),
    **dict.fromkeys(("Experiment", "compile"), "experiment"),
    **dict.fromkeys(("BLH", "GRR", "OLH", "OUE", "SUE", "Rappor", "RapporSpec"), "protocols"),
    "estimate": "law.pure",
    **dict.fromkeys(("Progress", "RunResults", "run"), "running.runner"),
    **dict.fromkeys(("Scenario", "load", "parse"), "scenario"),
}


def __getattr__(name: str) -> Any:
    """Load a name's module on first use (PEP 562), so that `--help` needs no NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ldptui.core' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


__all__ = sorted(_HOMES)
