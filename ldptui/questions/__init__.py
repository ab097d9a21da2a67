"""The questions: each is one typed function in `NAME_question.py`, with its frozen answer.

A new question is a new file here; nothing else names it. Nothing here imports NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .question import Question

ENDING: Final = "_question"


@cache
def find_questions() -> Mapping[str, Path]:
    """The file of each question, by its name."""
    files = sorted(Path(__file__).parent.glob(f"*{ENDING}.py"))
    return {path.stem.removesuffix(ENDING): path for path in files}


def is_about_reports(name: str) -> bool:
    """True if a question is about reports; found from the text of its file, without
    importing it.
    """
    path = find_questions().get(name)
    text = "" if path is None else path.read_text(encoding="utf-8")
    return 'group="My reports"' in text or "protocol: Sender" in text


def load_question(name: str) -> Question[Any, Any]:
    """The question of that name; imports its module."""
    asked: Question[Any, Any] = getattr(import_module(f"{__name__}.{name}{ENDING}"), name)
    return asked


def import_bodies() -> Iterator[str]:
    """Yields the names of all modules that questions need, each after it is imported."""
    for room in (__name__, "ldptui.core.lab"):
        for path in sorted(Path(*import_module(room).__path__).glob("[!_]*.py")):
            yield import_module(f"{room}.{path.stem}").__name__
    for name in ("ldptui.core.collection.counts", "ldptui.core.reports.screening", "scipy.special"):
        yield import_module(name).__name__
