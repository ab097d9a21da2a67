"""The questions: each is one typed function in `NAME_question.py`, with its frozen answer.

A new question is a new file here; nothing else names it. Nothing here imports NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .question import Question

ENDING: Final = "_question"


@cache
def find_questions() -> Mapping[str, Path]:
    """The file of each question, by its name."""
    files = sorted(Path(__file__).parent.glob(f"*{ENDING}.py"))
    return {path.stem.removesuffix(ENDING): path for path in files}


def load_question(name: str) -> Question[Any, Any]:
    """A question by its name."""
    asked: Question[Any, Any] = getattr(import_module(f"{__name__}.{name}{ENDING}"), name)
    return asked


def import_bodies() -> None:
    """Import what the bodies of the questions import when they run: all modules of their rooms."""
    for room in (__name__, "ldptui.lab", "ldptui.core.lab"):
        for module in iter_modules(import_module(room).__path__, f"{room}."):
            import_module(module.name)
    for name in ("ldptui.core.collection.counts", "ldptui.core.reports.files"):
        import_module(name)
