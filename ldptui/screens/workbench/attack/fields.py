"""The fields that a kind of attack has, and its targets: for the attack, a phase or a part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textual.widget import Widget
from textual.widgets import Static

from ....catalogue import key_words, listed_keys, listed_kinds, title_of
from ....widgets.field import Field
from ..parameters import labelled

WHOLE: Final = frozenset({"attack", "attack.mix", "attack.phase"})
"""Keys that have no field of their own: what is wrong with one is said beside the shapes."""
APART: Final = ("share", "targets")
"""Keys of a kind that have fields elsewhere in the form."""
TARGETS_OF: Final = {"phase": "targets of the phase", "own": "targets of the part"}
TARGET_KEYS: Final = ("pick", "count", "items")


def own_names() -> list[str]:
    """The names of the keys that a kind of attack may have; those of the chosen one are shown."""
    names = [key.removeprefix("attack.") for key in listed_keys() if key.count(".") == 1
             and key.startswith("attack.") and key not in WHOLE]  # fmt: skip
    return [name for name in names if name not in (*APART, "kind", "shape")]


def shapes_of_drift() -> list[str]:
    """The names of the numbers that shape a population to mix in."""
    keys = (key for key in listed_keys() if key.startswith("population."))
    return [key.partition(".")[2] for key in keys if isinstance(key_words(key).start, float)]


def kind_fields(name: str) -> Iterator[Widget]:
    """The kind of an attack, which may be none, or of a part, and why one would choose it."""
    kinds = [(kind, kind) for kind in listed_kinds("attack") if name == "kind" or kind != "none"]
    yield Field("attack.kind", "", options=kinds, rows=4, id=name)
    yield Static(classes="words", id=f"{name}-reason", markup=False)


def target_fields(name: str) -> Iterator[Field]:
    pick, many, items = (f"{name}-{key}" for key in TARGET_KEYS)
    label = TARGETS_OF.get(name) or title_of("attack.targets.pick")
    yield Field("attack.targets.pick", label, id=pick)
    yield labelled("attack.targets.count", id=many)
    yield labelled("attack.targets.items", id=items)
