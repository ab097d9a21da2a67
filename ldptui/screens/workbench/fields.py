"""The fields of a scenario's keys: one for each key with words, and what all of them show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...catalogue import listed_keys, title_of
from ...session.draft import own_problem, sweep_of, value_of
from ...widgets.field import Field

if TYPE_CHECKING:
    from ...session.draft import Draft


@dataclass(frozen=True)
class Shown:
    """What a field shows now.

    key : the key that it edits.
    value : what it says.
    options : of a choice that offers other values than the key's own; None for those.
    follows : the value follows from others.
    label : another label than before; "" for none.
    offered : words that its text completes; None for those before.
    """

    key: str
    value: Any
    options: Sequence[tuple[Any, str]] | None = None
    follows: bool = False
    label: str = ""
    offered: Sequence[str] | None = None


def own(draft: Draft, key: str) -> Shown:
    """The value of a key as the draft has it."""
    return Shown(key, value_of(draft, key))


def said(draft: Draft, key: str) -> str:
    """The problem that the field of a key shows below itself; "" while there is none."""
    problem = own_problem(draft, key)
    return problem.message if problem is not None else ""


def labelled(key: str, **more: Any) -> Field:
    """A field with the name of its key."""
    return Field(key, title_of(key), **more)


def names_in(table: str) -> list[str]:
    """The names of the keys in a table, but for its kind, that have words and no table below."""
    inside = [key.removeprefix(f"{table}.") for key in listed_keys() if key.startswith(f"{table}.")]
    tables = {name.partition(".")[0] for name in inside if "." in name}
    return [name for name in inside if "." not in name and name not in {"kind", *tables}]


def fill(fields: Iterable[Field], draft: Draft, shown: Mapping[str, Shown]) -> None:
    """Show the fields that are named, by their id or else by the key they were made with.

    The others are hidden. Of several fields of one key the last says what is wrong with it.
    """
    swept, last = sweep_of(draft), {row.key: slot for slot, row in shown.items()}
    for field in fields:
        row = shown.get(field.slot)
        field.display = row is not None
        if row is None:
            continue
        field.move_to(row.key)
        field.swept, field.follows = row.key in swept, row.follows
        field.rename(row.label or field.label)
        if row.options is not None:
            field.choose_from(row.options)
        if row.offered is not None:
            field.offer(row.offered)
        field.show(row.value, said(draft, row.key) if last[row.key] == field.slot else "")
