"""Options that several topics have."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.ranges import BUDGET, DOMAIN, Range

from ..options import Argument, Blank, Choices, Option
from .offered import alike, curators, having

if TYPE_CHECKING:
    from ...session.draft import Draft

SEEDS: Final = Range(0)
TIMES: Final = Range(1, 10**9)
PART: Final = Range(0, 1, "[)")
BEST: Final = "best"
"""In place of a kind: the best of all."""

OWN_EPSILON: Final = Argument("E", "privacy budget ε (the scenario's, or 1)")


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


SCENARIO = Option(
    "scenario",
    "text",
    argument=Argument("SCENARIO", "a TOML file, or a bundled scenario", positional=True),
)
ITEMS = Option(
    "items",
    "integer",
    DOMAIN,
    renames=("domain_size",),
    argument=Argument("D", "domain size d", required=True),
    blank=Blank(128, items_of, steps="ladder"),
)
TRIALS = Option(
    "trials",
    "integer",
    Range(2, 10**5),
    argument=Argument("N", "of --check (1000)", 1000),
)
BUDGETED = Option("epsilon", range=BUDGET, blank=Blank(1.0, "protocol.epsilon"))
SLACK = Option(
    "delta",
    range=PART,
    argument=Argument("D", "δ of the stability mechanism (1e-6)", 1e-6),
    blank=Blank(1e-6, steps="decades"),
)
NEIGHBOURS = Option(
    "neighbours",
    "text",
    choices=("change-one", "add-remove"),
    argument=Argument(
        None, "tables that must look alike: one row changed (default), or one more", "change-one"
    ),
    blank=Blank(bare=True),
)
CURATOR = Option(
    "mechanism",
    "text",
    blank=Blank("laplace", "protocol.kind", lambda: alike(*curators()), bare=True),
)
FILE = Option("file", "text", renames=("path",), argument=Argument("FILE", positional=True))

EXAMPLES: Final = {"table": "people.csv", "relation": "relation.csv"}
"""The tables that come with the program, which a form starts with."""


def dials(*known: Option | str) -> tuple[Option, ...]:
    """An option for each key of a protocol, --subset-size, but those of the known options.

    Their values are read by the key of the kind that is chosen; where none is given, its default
    holds. A form shows those that the kind has.
    """
    from ...catalogue import key_words, protocol_keys

    names = set[str]()
    for option in known:
        names |= {option} if isinstance(option, str) else {option.name, *option.renames}
    options = []
    for name in protocol_keys(names):
        key = f"protocol.{name}"
        words = key_words(key)
        symbol = (words.symbol or "value").upper()
        argument = Argument(symbol, words.first, group="keys of some protocols")
        blank = Blank(
            follows=partial(_usual, key),
            choices=partial(_either, key),
            optional=True,
            only=having("protocol", name),
        )
        options.append(Option(name, "text", argument=argument, blank=blank))
    return tuple(options)


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


def seed(subject: str) -> Option:
    return Option("seed", "integer", SEEDS, argument=Argument("N", f"of the {subject} (0)", 0),
                  blank=Blank(0))  # fmt: skip
