"""Options that several questions have: their types, ranges, words for a value, and fields.

Nothing here imports NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from ..lab.options import Argument, Blank, Choices
from ..lab.questions import shared
from ..lab.questions.offered import alike, curators, local
from .signature import Among

if TYPE_CHECKING:
    from ldptui.core.cell import Cell


def pairs(load: Any) -> Any:
    """The choices of a field, whose values are their own words."""

    def choices() -> Choices:
        return alike(*load())

    return choices


LocalProtocol: TypeAlias = Annotated[
    str, "KIND", Among(local), Blank("oue", "protocol.kind", pairs(local), bare=True)
]
CuratorKind: TypeAlias = Annotated[
    str, "KIND", Among(curators), Blank("laplace", "protocol.kind", pairs(curators), bare=True)
]
Items: TypeAlias = Annotated[shared.Items, "D"]
Budget: TypeAlias = Annotated[shared.Budget, "E"]
LocalBudget: TypeAlias = Annotated[shared.LocalBudget, "E"]
Slack: TypeAlias = Annotated[shared.Slack, "D"]
Neighbours: TypeAlias = shared.Neighbours
Seed: TypeAlias = Annotated[shared.Seed, "N"]
TableFile: TypeAlias = Annotated[
    str,
    "FILE",
    Argument(positional=True, renames=("path",), role="table"),
    Blank(shared.EXAMPLES["table"]),
]
ScenarioName: TypeAlias = Annotated[Any, "SCENARIO", Argument(positional=True, role="scenario")]
"""The name of a scenario, its path, its document, or the scenario itself."""
Prior: TypeAlias = Annotated[str | None, "FILE", Argument(role="table"), Blank(optional=True)]
Column: TypeAlias = Annotated[str, "NAME", Argument(role="column"), Blank("item")]
Known: TypeAlias = Annotated[str | None, "NAME", Argument(role="column"), Blank(optional=True)]


def read_cell(scenario: Any) -> Cell:
    """The first cell of a scenario without its sweep; raises LdpError."""
    from ldptui.core.scenario import Scenario

    from ..lab.asking import bind_cell
    from ..lab.mechanisms import unswept

    if isinstance(scenario, Scenario):
        return bind_cell(scenario)
    return unswept(scenario)


def name_of(scenario: Any) -> str:
    """The name of a scenario as it was given; "" for one that has none."""
    return scenario if isinstance(scenario, str) else ""
