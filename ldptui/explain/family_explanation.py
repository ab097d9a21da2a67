"""The explanations of families of protocols and of tasks, and where they are found.

A family's explanation (`protocol.family`) is in `EXPLANATIONS` of a module of this package: that of
MODULES, else `FAMILY_formulas`. A family without one is shown by what holds for every protocol, and
every view says NOT_TOLD where the explanation would stand. A task whose users do not report their
whole item has an explanation as well, `TASK` in the module of the task's name; a task without one,
as frequencies, is explained by its protocol alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import Any, Final, cast

from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.few_messages import Messages

from ..text.format import count
from .formula import Formula
from .formula_inputs import FormulaSetting
from .report_explanation import ReportExplanation, bits_needed

NOT_TOLD: Final = "not told for this kind"

MODULES: Final = {
    **dict.fromkeys(("direct", "unary", "the", "subset"), "item"),
    **dict.fromkeys(("hashing", "hst"), "hashing"),
    **dict.fromkeys(("hadamard", "sketch"), "coded"),
    **dict.fromkeys(("she", "dbitflip"), "summed"),
    **dict.fromkeys(("numbers", "line"), "number"),
    **dict.fromkeys(("curators", "aggregated"), "curator"),
}  # fmt: skip
"""The module of a family, `NAME_formulas`, where it has another name."""


class MessageReports(ReportExplanation):
    """Explains a report that is one of a few messages."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        return ("messages that support the item are likelier than others",)

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        protocol = cast("Messages", cell.protocol)
        size = f"one of {count(protocol.messages)}: {bits_needed(protocol.messages)}"
        return protocol.message_name(int(report[0])), size


@dataclass(frozen=True)
class FamilyExplanation:
    """The formulas of a family of protocols, and the explanation of its reports.

    formulas : yields all formulas of a setting.
    reports : the explanation of a report, a sentence that says why there is none, or a function of
        the cell that returns either.
    remark : returns what a reader of its numbers has to know.
    symbols : the scenario's keys at the head of the table, by symbol.
    notes : yields the family's sentences below the table.
    attacked : those about gains.
    gain : the formula of the gain.
    """

    formulas: Callable[[FormulaSetting], Iterator[Formula]]
    reports: ReportExplanation | str | Callable[[Cell], ReportExplanation | str] = NOT_TOLD
    remark: Callable[[FormulaSetting], str] = lambda _: ""
    symbols: Mapping[str, str] = field(default_factory=lambda: {"ε": "epsilon"})
    notes: Callable[[FormulaSetting], Iterable[str]] = lambda _: ()
    attacked: Callable[[FormulaSetting], Iterable[str]] = lambda _: ()
    gain: str = "G = β[(S − rq)/(p − q) − f_T], S = targets that a fake report supports"


@dataclass(frozen=True)
class TaskExplanation:
    """The formulas of a task, and how its users are asked.

    setting : returns the setting of a cell's protocol, or of another protocol, for the users that
        report to it; raises ScenarioError for a protocol that the task cannot use.
    formulas : yields the formulas of the estimates.
    remark : returns how the users are asked, in a line.
    place : where the protocol's numbers hold, as in "least MSE in a group".
    """

    setting: Callable[..., FormulaSetting]
    formulas: Callable[[Cell], Iterator[Formula]]
    remark: Callable[[Cell], str]
    place: str


@cache
def find_family_explanation(family: str) -> FamilyExplanation | None:
    """The explanation of a family of protocols; None if there is none."""
    explanations: Mapping[str, FamilyExplanation] = getattr(
        _module(MODULES.get(family, family)), "EXPLANATIONS", {}
    )
    return explanations.get(family)


@cache
def find_task_explanation(kind: str) -> TaskExplanation | None:
    """The explanation of a task; None if there is none."""
    return getattr(_module(kind.replace("-", "_")), "TASK", None)


def _module(name: str) -> Any:
    """The module of a family or a task; None if there is none."""
    module = f"{name}_formulas"
    if not module.isidentifier() or find_spec(f".{module}", __package__) is None:
        return None
    return importlib.import_module(f".{module}", __package__)


def reports_of(cell: Cell) -> ReportExplanation | str:
    """The explanation of the reports of a cell; if there is none, the reason."""
    explanation = find_family_explanation(cell.protocol.family)
    if explanation is None:
        return MessageReports() if isinstance(cell.protocol, Messages) else NOT_TOLD
    return explanation.reports(cell) if callable(explanation.reports) else explanation.reports
