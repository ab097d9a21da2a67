"""A draft's keys looked up: value, kind, sweep, default, the interval that a key may lie in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct, field

from ldptui.core.base.ranges import Range

from ...catalogue import key_words
from .populations import PendingWork

if TYPE_CHECKING:
    from ldptui.core.cell import Cell
    from ldptui.core.scenario import Scenario


Type = Literal["integer", "number", "text", "list", "table", "sweep", "share"]
"""The type that a field reads from a text that is typed; a sweep is a list or a range, a share over
rounds a number or a ramp."""

_TYPES: Final[dict[type, Type]] = {int: "integer", float: "number", list: "list", dict: "table"}

NOWHERE: Final[Mapping[str, Any]] = MappingProxyType({})
"""No other values than the scenario's own."""

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario


def base(scenario: Scenario, at: Mapping[str, Any] = NOWHERE) -> Scenario:
    """The scenario without its sweep, which is the cell that charts of a single cell show.

    Each swept key has the value in its table, or the middle one of its sweep if the table has none.
    at : values of keys, swept or not, for another cell than that.
    """
    from ldptui.core.scenario import value_at

    sweep = scenario.sweep
    if not sweep and not at:
        return scenario
    single = scenario
    # Kinds come last: setting one drops the keys that it does not know.
    for key in sorted({**sweep, **at}, key=lambda name: name.endswith(".kind")):
        value = at[key] if key in at else value_at(scenario.document, key)
        single = single.with_value(
            key, sweep[key][len(sweep[key]) // 2] if value is None else value
        )
    document = {key: value for key, value in single.document.items() if key != "sweep"}
    return dataclasses.replace(single, document=document)


def value_of(draft: Draft, key: str) -> Any:
    """The value that a form shows for a key: the draft's, the middle of its sweep, or
    the default.
    """
    from ldptui.core.scenario import value_at

    value = value_at(draft.document or {}, key)
    if value is not None:
        return value
    swept = sweep_of(draft).get(key)
    if swept is not None and draft.scenario is not None and key in draft.scenario.sweep:
        return value_at(base(draft.scenario).document, key)
    return _default(draft, key)


def _default(draft: Draft, key: str) -> Any:
    """The default of a key for the kind of its table, else for the first swept kind with one."""
    table, _, leaf = key.rpartition(".")
    if ".mix." in table:  # a part of a mixture has the keys of the attack's kinds
        return default_of(f"attack.{leaf}", kind_of(draft, table))
    if table.startswith("defence."):
        return default_of(key, kind_of(draft, table))
    swept = sweep_of(draft).get(f"{table}.kind")
    kinds = [kind_of(draft, table.partition(".")[0]), *(swept if isinstance(swept, list) else ())]
    defaults = (default_of(key, kind) for kind in kinds if isinstance(kind, str))
    return next((default for default in defaults if default is not None), None)


def kind_of(draft: Draft, table: str) -> str:
    """The kind of a table; "" for a mixture.

    Without an attack it is "none", without a table `[trust]` it is "local".
    """
    from ldptui.core.scenario import value_at

    kind = value_at(draft.document or {}, f"{table}.kind")
    if kind is None:
        values = sweep_of(draft).get(f"{table}.kind")
        if isinstance(values, list) and values:
            kind = values[len(values) // 2]  # as `base` chooses
        elif table == "attack" and not (draft.document or {}).get("attack"):
            kind = "none"
        elif table == "trust":
            kind = default_trust()
    return kind if isinstance(kind, str) else ""


def default_trust() -> str:
    """The kind of trust model of a scenario without a table `[trust]`."""
    from ldptui.core.protocols.trust import Local

    return Local().kind


def sweep_of(draft: Draft) -> dict[str, Any]:
    """The swept keys in file order, as written: a list, or {from, to, points, scale}."""
    from ldptui.core import scenario

    return scenario.sweep_of(draft.document or {})


def allowed_range(key: str) -> Range | None:
    """The interval of allowed values of a numeric key, with the limits of a run."""
    from ldptui.core.scenario import range_of

    declared = range_of(key)
    return declared and Range(declared.low, min(declared.high, declared.limit), declared.ends)


def input_of(key: str) -> tuple[Type, list[tuple[Any, str]] | None]:
    """The type of a key, and its choices with their words; None if it is not a choice."""
    from ldptui.core.scenario import choices_of, range_of, type_of

    if choices_of(key) and range_of(key):
        return "integer", None  # a word or a number: both are typed
    words = key_words(key).words
    choices = [
        (value, words.get(value, str(value).lower() if isinstance(value, bool) else str(value)))
        for value in choices_of(key)
    ]
    return _TYPES.get(type_of(key), "text"), choices or None


def default_of(key: str, kind: str = "") -> Any:
    """The default of a key; None if it is required or has none."""
    from ldptui.core import scenario

    return scenario.default_of(key, kind)


def keys_of(table: str, kind: str) -> tuple[str, ...]:
    """The keys of a kind of population, protocol or attack, in order, without `kind`."""
    from ldptui.core.scenario import names_of

    return names_of(table, kind)


def used_keys(draft: Draft, table: str) -> tuple[str, ...]:
    """The keys of `keys_of` that have an effect in the draft.

    Keys of swept curators are included, so that they can be edited.
    """
    from ldptui.core.protocols import CENTRAL
    from ldptui.core.protocols.rappor import ignored_keys

    kind = kind_of(draft, table)
    swept = sweep_of(draft).get("protocol.kind") if table == "protocol" else None
    named = [name for name in swept if isinstance(name, str)] if isinstance(swept, list) else []
    kinds = (kind, *(name for name in named if name in CENTRAL))
    known = tuple(dict.fromkeys(name for each in kinds for name in keys_of(table, each)))
    if "form" not in known:
        return known
    swept = sweep_of(draft).get("protocol.form")
    forms = swept if isinstance(swept, list) else [value_of(draft, "protocol.form")]
    idle = [set(ignored_keys(form)) for form in forms if isinstance(form, str)]
    return tuple(name for name in known if not idle or not all(name in names for names in idle))


class Problem(Struct, frozen=True):
    """A problem of a draft: the key, the broken rule and the line.

    key : the dotted key, "" for the text as a whole.
    message : the rule and the value that broke it, without the key: "must be in [0, 1), got 1.5".
    line : of the text, from 1, where known.
    """

    key: str
    message: str
    line: int | None = None


class Draft(Struct, frozen=True, eq=False):
    """One state of the scenario being edited: its text, and what was parsed and bound from it.

    text : the TOML as typed.
    folder : where relative paths start.
    path : its file, if it has one.
    document : the last text that parsed, as a table.
    scenario, cell : the last valid scenario and the cell that its `base` stands for; None before
        there is one.
    problems : the problems of the text, in the order of the document.
    saved_text : the text of its file, or of the bundled scenario.
    parses : True if the text is TOML; if not, forms cannot edit it.
    remembered : the values of keys removed by a change of kind, by dotted key, to be restored when
        that kind returns.
    unread : work before the draft can be checked further: a large population to draw or read, or an
        attack to solve; until then scenario and cell are the earlier ones.
    """

    text: str
    folder: Path
    path: Path | None
    document: Mapping[str, Any] | None
    scenario: Scenario | None
    problems: tuple[Problem, ...]
    saved_text: str | None
    cell: Cell | None = None
    parses: bool = True
    remembered: Mapping[str, Any] = field(default_factory=dict)
    unread: PendingWork | None = None

    @property
    def is_modified(self) -> bool:
        """True if the text differs from the saved text."""
        return self.text != self.saved_text

    @property
    def title(self) -> str:
        """The scenario's title; without one, the name of its file."""
        title = (self.document or {}).get("title")
        return str(title or (self.path.name if self.path else "untitled"))

    @property
    def name(self) -> str:
        """The name of the file without its suffix; without a file, the beginning of the title."""
        return self.path.stem if self.path is not None else self.title.partition(":")[0]

    def problem(self, key: str) -> Problem | None:
        """The first problem of a key or of a key below it; None if there is none."""
        inside = f"{key}."
        problems = (
            each for each in self.problems if each.key == key or each.key.startswith(inside)
        )
        return next(problems, None)
