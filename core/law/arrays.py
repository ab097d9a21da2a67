"""The checks of arrays that come from elsewhere: the items of users, and reports."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError
from .law import Items, Reports


def items_of(values: object, domain_size: int, key: str = "values") -> Items:
    """The users' items as int64[n]; raises ScenarioError where one is missing or is no item.

    values : n whole numbers in [0, domain_size), as an array, a list or a column of a table.
    key : their name in the sentence that refuses them.
    """
    if np.ma.is_masked(values):
        raise ScenarioError("must all be there, but some are masked", key=key)
    items = np.asarray(values)
    if items.ndim != 1:
        raise ScenarioError(f"must be one item a user, got {items.ndim} axes", key=key)
    if not items.size:
        return items.astype(np.int64)
    if items.dtype.kind not in "iu":
        whole = [isinstance(item, int | float) and item % 1 == 0 for item in items.tolist()]
        first = whole.index(False) if False in whole else 0
        rule = f"must be integers, the numbers of items in [0, {domain_size})"
        raise ScenarioError(f"{rule}, {_say_value(items, first)}", key=key)
    if items.min() < 0 or items.max() >= domain_size:
        first = int(np.argmax((items < 0) | (items >= domain_size)))
        rule = f"must be items in [0, {domain_size})"
        raise ScenarioError(f"{rule}, {_say_value(items, first)}", key=key)
    return items.astype(np.int64, copy=False)


def _say_value(items: NDArray[Any], at: int) -> str:
    """The value that broke a rule, and where it stands: "got -1 (a missing value?) at 3"."""
    value = items[at : at + 1].tolist()[0]
    missing = value is None or value != value or value == -1
    return f"got {value!r}{' (a missing value?)' * missing} at position {at}"


def array_of(reports: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Reports:
    """`reports`, if they are an array of this shape and type; raises ValueError."""
    wanted = _array_words(shape, dtype)
    if not isinstance(reports, np.ndarray):
        raise ValueError(f"must be an array, {wanted}, got {type(reports).__name__}")
    if reports.shape != shape or reports.dtype != dtype:
        raise ValueError(f"must be {wanted}, got {_array_words(reports.shape, reports.dtype)}")
    return reports


def _array_words(shape: tuple[int, ...], dtype: np.dtype[Any]) -> str:
    """The shape and type of an array as the documentation writes them: "uint8[100, 16]"."""
    name = f"({', '.join(dtype.names)})" if dtype.names else dtype.name
    return f"{name}[{', '.join(map(str, shape))}]"


def check_padding(packed: Reports, bits: int) -> None:
    """Refuse packed bits uint8[n, ceil(bits/8)] with ones after the last bit; raises ValueError."""
    if bits % 8 and np.any(packed[:, -1] & np.uint8(0xFF >> bits % 8)):
        raise ValueError(f"must have {bits} bits each, got ones after the last bit")
