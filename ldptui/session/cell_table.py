"""The cells of a run as one table: found by their settings, along a key, over two keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec.structs import replace

from ldptui.core.view import CellView

from ..text.format import count

IGNORED: Final = ("trials", "simulate.path", "simulate.top_k")
"""Parameters that do not change what a cell is expected to measure."""

LONG_LIST: Final = 100
"""Lists among a cell's parameters that are longer are told as their length, in words."""


def shorten_list(value: Any) -> Any:
    """A parameter for the app's cells: a long list becomes its length."""
    is_long = isinstance(value, list | tuple) and len(value) > LONG_LIST
    return f"{count(len(value))} values" if is_long else value


def address_of(parameters: Mapping[str, Any], *besides: str) -> str:
    """The text that is equal for cells that measure the same, ignoring the keys `besides`.

    With a goal the attack's share is ignored as well: the simulation finds it.
    """
    left = _left_out(parameters, besides)
    kept = [(key, _plain(parameters[key])) for key in sorted(parameters) if key not in left]
    return repr(kept)


def _left_out(parameters: Mapping[str, Any], besides: Iterable[str]) -> set[str]:
    """The keys that the address of a cell ignores; a goal does nothing but choose the share."""
    goal = [key for key in parameters if key.startswith("goal.")]
    left = goal if "attack.share" in besides else ["attack.share"] * bool(goal)
    return {*IGNORED, *besides, *left}


def _plain(value: Any) -> Any:
    """A parameter in one form for equal values: 1 and 1.0, long lists by their length."""
    if isinstance(value, list | tuple):
        return str(shorten_list([*value]))
    return value if isinstance(value, bool) or not isinstance(value, int) else float(value)


class Cells:
    """The cells of a run, then those of the run before; the first cell with given settings counts.

    base : the cell that charts of a single cell show.
    """

    def __init__(self, views: Iterable[CellView] = (), base: str = "") -> None:
        self._base_address = base
        self._by_address: dict[str, CellView] = {}
        for view in views:
            self._by_address.setdefault(address_of(view.parameters), view)
        self.base = self._by_address.get(base)
        self._groups: dict[str, dict[str, list[CellView]]] = {}

    def __iter__(self) -> Iterator[CellView]:
        return iter(self._by_address.values())

    def __len__(self) -> int:
        return len(self._by_address)

    def find(self, address: str) -> CellView | None:
        """The cell with an address; None if it was not measured."""
        return self._by_address.get(address)

    def at(self, parameters: Mapping[str, Any]) -> CellView | None:
        """The cell with these settings; None if it was not measured."""
        return self._by_address.get(address_of(parameters))

    def group(self, parameters: Mapping[str, Any], besides: str) -> Sequence[CellView]:
        """The cells with these settings and any value of the key `besides`."""
        if besides not in self._groups:
            groups: dict[str, list[CellView]] = {}
            for view in self:
                groups.setdefault(address_of(view.parameters, besides), []).append(view)
            self._groups[besides] = groups
        return self._groups[besides].get(address_of(parameters, besides), ())

    @cached_property
    def without_attack(self) -> Cells:
        """The cells with attack and defences removed from their parameters, since each cell
        measures that as well.
        """
        views = [replace(view, parameters=without_acts(view.parameters)) for view in self]
        base = None if self.base is None else without_acts(self.base.parameters)
        return Cells(views, "" if base is None else address_of(base))

    def along(self, key: str) -> tuple[CellView, ...]:
        """The cells that differ from the base only at `key` and at keys whose values are text."""
        return tuple(view for view in self if self._is_beside_base(view, (key,)))

    def grid(
        self, sides: Mapping[str, Sequence[Any]], layer: Mapping[str, Any]
    ) -> tuple[CellView, ...]:
        """The cells with values of `sides` and of `layer`, as far as they have these keys, and the
        base's values otherwise.
        """
        wanted = {**{key: [*values] for key, values in sides.items()},
                  **{key: [value] for key, value in layer.items()}}  # fmt: skip
        return tuple(
            view
            for view in self
            if self._is_beside_base(view, tuple(wanted))
            and all(
                any(same_value(view.parameters[key], value) for value in values)
                for key, values in wanted.items()
                if key in view.parameters
            )
        )

    def _is_beside_base(self, view: CellView, keys: Sequence[str]) -> bool:
        """Whether a cell differs from the base at these keys, and in words, alone."""
        base = {} if self.base is None else self.base.parameters
        left = _left_out(view.parameters, keys)
        return all(
            key in left or isinstance(value, str) or value == base.get(key, value)
            for key, value in view.parameters.items()
        )


def without_acts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without those of attacks and defences."""
    acts = ("attack.", "defence.")
    return {key: value for key, value in parameters.items() if not key.startswith(acts)}


def same_settings(measured: Mapping[str, Any], wanted: Mapping[str, Any], *besides: str) -> bool:
    """True if cells with these parameters measure the same, ignoring the keys `besides`."""
    return address_of(measured, *besides) == address_of(wanted, *besides)


def same_value(measured: Any, wanted: Any) -> bool:
    """True if a measured cell has the wanted value; long lists are compared by length."""
    return bool(measured == shorten_list(wanted) or measured == wanted)
