"""ldptui: a terminal workbench for local differential privacy and the attacks on it.

    import ldptui

    results = ldptui.run("quickstart")     # a bundled scenario, a path, TOML text or a dict
    results                                # its table
    results.to_frame()                     # polars or pandas, long and tidy

    oue = ldptui.protocol("oue", items=128, epsilon=1.0)
    ldptui.estimate(oue.perturb(values, rng), oue)

Importing it loads nothing; a name is loaded when it is first used, and `__init__.pyi` has
its type. `docs/python.md` has it all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

__version__ = "1.0.0"

_QUESTIONS = Path(__file__).parent.glob("questions/*_question.py")
_HOMES = {
    **{path.stem.removesuffix("_question"): f"ldptui.questions.{path.stem}" for path in _QUESTIONS},
    "theory": "ldptui.api.theory",
    "View": "ldptui.core.attacks",
    "Facts": "ldptui.core.metrics",
    **dict.fromkeys(
        ("FileError", "LdpError", "LdpWarning", "RunError", "ScenarioError"),
        "ldptui.core.base.errors",
    ),
    "Experiment": "ldptui.core.experiment.experiment",
    "Scenario": "ldptui.core.scenario",
    **dict.fromkeys(("FrequencyAnswer", "GroupAnswer"), "ldptui.questions.frequency_answer"),
    "NumberAnswer": "ldptui.questions.number_answer",
    "ScreenAnswer": "ldptui.questions.screen_answer",
    "ConcludeAnswer": "ldptui.questions.conclude_answer",
    "perturb": "ldptui.core.reports.numbers",
    "protocol": "ldptui.core.reports.points",
    **dict.fromkeys(("Counted", "counted", "read_counts"), "ldptui.core.reports.report_counts"),
    **dict.fromkeys(("attack", "defence", "kinds", "population"), "ldptui.api.by_name"),
    **dict.fromkeys(("read_reports", "write_reports"), "ldptui.core.reports.report_files"),
    "Results": "ldptui.api.run_results",
    "plot": "ldptui.api.run_results",
    **dict.fromkeys(("compile", "load", "run"), "ldptui.api.running"),
}


def __getattr__(name: str) -> Any:
    """Load a name's module on first use (PEP 562), so that `--help` needs no NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ldptui' has no attribute {name!r}")
    from importlib import import_module

    if name == "theory":
        return import_module(_HOMES[name])
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


__all__ = ["__version__", *sorted(_HOMES)]
