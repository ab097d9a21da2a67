"""Options that several questions have: their types, ranges, words for a value, and fields.

Nothing here imports NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from ldptui.core.base.ranges import BUDGET, DOMAIN, EPSILON, Range

from .choices import EXAMPLES, alike, curators, having, local
from .options import AllowedWords, Argument, Blank, Choices, HelpGroup, OptionSpec

if TYPE_CHECKING:
    from ldptui.core.cell import Cell

    from ..session.draft import Draft

SEEDS: Final = Range(0)
TIMES: Final = Range(1, 10**9)
KEYS_HEADING: Final = "keys of some protocols"
"""Above the options for keys of protocols in the help of a command."""
OUTPUT: Final = HelpGroup("output")
BEST: Final = "best"
"""In place of a kind: the best of all."""


def users_of(draft: Draft) -> int | None:
    """The number of users n of the draft's population; None if the draft has no valid cell."""
    return None if draft.cell is None else draft.cell.first.population.users


def items_of(draft: Draft) -> int | None:
    """The domain size d of the draft's population; None if the draft has no valid cell."""
    return None if draft.cell is None else draft.cell.first.population.domain_size


def targets_of(draft: Draft) -> int | None:
    """The number of targets r of the draft's attack; None without targets."""
    if draft.cell is None or not draft.cell.first.targets.size:
        return None
    return int(draft.cell.first.targets.size)


def pairs(load: Any) -> Any:
    """Choices whose labels are the values that `load` returns."""

    def choices() -> Choices:
        return alike(*load())

    return choices


SIZE: Final = Argument(renames=("domain_size",))
Near: TypeAlias = Literal["change-one", "add-remove"]
LocalProtocol: TypeAlias = Annotated[
    str, "KIND", AllowedWords(local), Blank("oue", "protocol.kind", pairs(local), bare=True)
]
CuratorKind: TypeAlias = Annotated[
    str,
    "KIND",
    AllowedWords(curators),
    Blank("laplace", "protocol.kind", pairs(curators), bare=True),
]
Items: TypeAlias = Annotated[int, DOMAIN, SIZE, "D", Blank(128, items_of, steps="1-2-5")]
Trials: TypeAlias = Annotated[int, Range(2, 10**5)]
Budget: TypeAlias = Annotated[float, BUDGET, "E", Blank(1.0, "protocol.epsilon")]
LocalBudget: TypeAlias = Annotated[Budget, EPSILON]
Targets: TypeAlias = Annotated[int, Range(1), Blank(1, targets_of)]
Slack: TypeAlias = Annotated[float, Range(0, 1, "[)"), "D", Blank(1e-6, steps="decades")]
Neighbours: TypeAlias = Annotated[Near, Blank(bare=True)]
Seed: TypeAlias = Annotated[int, SEEDS, "N", Blank(0)]
TableFile: TypeAlias = Annotated[
    str,
    "FILE",
    Argument(positional=True, renames=("path",), role="table"),
    Blank(EXAMPLES["table"]),
]
ScenarioName: TypeAlias = Annotated[Any, "SCENARIO", Argument(positional=True, role="scenario")]
"""The name of a scenario, its path, its document, or the scenario itself."""
Prior: TypeAlias = Annotated[str | None, "FILE", Argument(role="table"), Blank()]
Column: TypeAlias = Annotated[
    str, "NAME", Argument(role="column"), Blank("item", guess=lambda h, _: h[0])
]
Known: TypeAlias = Annotated[str | None, "NAME", Argument(role="column"), Blank()]


def keys(known: Iterable[str]) -> Iterator[OptionSpec]:
    """Yields an option for each protocol key (`--subset-size`) except those in `known`.

    Each value is checked by the chosen kind; a form shows the keys that this kind has.
    """
    from ..catalogue import key_words, protocol_keys

    for name in protocol_keys(tuple(known)):
        key = f"protocol.{name}"
        words = key_words(key)
        yield OptionSpec(
            name,
            "text",
            words=words.first.replace("%", "%%"),
            metavar=(words.symbol or "value").upper(),
            group=KEYS_HEADING,
            blank=Blank(
                follows=partial(_usual, key),
                choices=partial(_either, key),
                only=having("protocol", name),
            ),
        )


def _usual(key: str, draft: Draft) -> Any:
    """The draft's value of a key, or else the default of the kinds that have it."""
    from ldptui.core.scenario import defaults_of

    from ..session.draft import value_of

    return value_of(draft, key) or next(iter(defaults_of(key)), None)


def _either(key: str) -> Choices:
    """The words of a key that allows only words, the default first with the value None."""
    from ldptui.core.scenario import choices_of, range_of

    words = () if range_of(key) else choices_of(key)
    return tuple((word if at else None, word) for at, word in enumerate(words))


def read_cell(scenario: Any) -> Cell:
    """The first cell of a scenario without its sweep, cached; raises LdpError."""
    from ldptui.core.scenario import Scenario

    from .inputs import bind_cell
    from .mechanisms import load_base

    return bind_cell(scenario if isinstance(scenario, Scenario) else load_base(scenario))


def name_of(scenario: Any) -> str:
    """The name or path by which a scenario was given; "" if it has none."""
    return scenario if isinstance(scenario, str) else ""
