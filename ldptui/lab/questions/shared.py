"""Fields that several topics have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Protocol, TypeAlias

from ldptui.core.base.ranges import BUDGET, DOMAIN, EPSILON, Range

from ..options import Argument, Blank, Choices, Line, Option
from .offered import alike, curators, having

if TYPE_CHECKING:
    from ...session.draft import Draft

SEEDS: Final = Range(0)
TIMES: Final = Range(1, 10**9)
BEST: Final = "best"
"""In place of a kind: the best of all."""
EXAMPLES: Final = {
    "table": "people.csv",
    "relation": "relation.csv",
    "repaired": "relation-repaired.csv",
}
"""The tables that come with the program, which a form starts with."""


def users_of(draft: Draft) -> int | None:
    """n of the draft's population."""
    return None if draft.cell is None else draft.cell.first.population.users


def items_of(draft: Draft) -> int | None:
    """d of the draft's population."""
    return None if draft.cell is None else draft.cell.first.population.domain_size


def targets_of(draft: Draft) -> int | None:
    """r of the draft's attack."""
    if draft.cell is None or not draft.cell.first.targets.size:
        return None
    return int(draft.cell.first.targets.size)


Near: TypeAlias = Literal["change-one", "add-remove"]

Scenario: TypeAlias = Annotated[str, Argument(positional=True)]
File: TypeAlias = Annotated[
    str, Argument(positional=True, renames=("path",)), Blank(EXAMPLES["table"])
]
SIZE: Final = Argument(renames=("domain_size",))
Items: TypeAlias = Annotated[int, DOMAIN, SIZE, Blank(128, items_of, steps="ladder")]
Trials: TypeAlias = Annotated[int, Range(2, 10**5)]
Budget: TypeAlias = Annotated[float, BUDGET, Blank(1.0, "protocol.epsilon")]
LocalBudget: TypeAlias = Annotated[Budget, EPSILON]
Targets: TypeAlias = Annotated[int, Range(1), Blank(1, targets_of)]
Slack: TypeAlias = Annotated[float, Range(0, 1, "[)"), Blank(1e-6, steps="decades")]
Neighbours: TypeAlias = Annotated[Near, Blank(bare=True)]
Curator: TypeAlias = Annotated[
    str, Blank("laplace", "protocol.kind", lambda: alike(*curators()), bare=True)
]
Seed: TypeAlias = Annotated[int, SEEDS, Blank(0)]


class Known(Protocol):
    """The table that tells what an observer knows beforehand.

    prior : its file, None for nothing: every item is as likely. column : that of the items. given :
    that of what is known of each user besides, None for nothing.
    """

    @property
    def prior(self) -> str | None: ...

    @property
    def column(self) -> str: ...

    @property
    def given(self) -> str | None: ...


def keys(known: Iterable[str]) -> Iterator[Option]:
    """An option for each key of a protocol, --subset-size, but for known ones.

    Their values are read by the key of the kind that is chosen; where none is given, its default
    holds. A form shows those that the kind has.
    """
    from ...catalogue import key_words, protocol_keys

    for name in protocol_keys(tuple(known)):
        key = f"protocol.{name}"
        words = key_words(key)
        yield Option(
            name,
            "text",
            line=Line(
                (words.symbol or "value").upper(),
                words.first.replace("%", "%%"),
                "keys of some protocols",
            ),
            blank=Blank(
                follows=partial(_usual, key),
                choices=partial(_either, key),
                optional=True,
                only=having("protocol", name),
            ),
        )


def _usual(key: str, draft: Draft) -> Any:
    """The draft's value of a key, or else the default of the kinds that have it."""
    from ldptui.core.scenario.declared import defaults_of

    from ...session.draft import value_of

    return value_of(draft, key) or next(iter(defaults_of(key)), None)


def _either(key: str) -> Choices:
    """The words of a key that has nothing but words; None stands for the first, the default."""
    from ldptui.core.scenario.declared import choices_of, range_of

    words = () if range_of(key) else choices_of(key)
    return tuple((word if at else None, word) for at, word in enumerate(words))
