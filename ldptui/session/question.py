"""A question of the lab to the worker, and the reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .snapshot import Status


@dataclass(frozen=True)
class Question:
    """A question of the lab to the worker: a tab, and the values of its form as they were typed.

    document : the scenario without its sweep, whose population and protocol are meant; None while
        there is none that is valid. folder : where relative paths start.
    """

    key: int
    tab: str
    values: Mapping[str, Any]
    document: Mapping[str, Any] | None
    folder: str


@dataclass(frozen=True)
class Reply:
    """The worker's reply to a question.

    said : what it works on, in words. offers : for fields, words that can complete them. answer :
    the document of a `ldptui.lab.answer.Answer`; while it runs, of what is known so far.
    error : one sentence when failed, about the field of that name ("": about the whole);
    details : a traceback, where there is one.
    """

    key: int
    status: Status
    said: str = ""
    offers: Mapping[str, tuple[str, ...]] | None = None
    answer: Mapping[str, Any] | None = None
    error: str = ""
    field: str = ""
    details: str = ""
