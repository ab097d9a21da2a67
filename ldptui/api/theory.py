"""The closed forms as notebooks have them: wrong arguments are refused where they come in.

`ldptui.theory` is this module. Its functions are those of `ldptui.core.theory`, which the simulator
calls unchecked.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, Final, get_type_hints

import numpy as np

from ldptui.core import theory
from ldptui.core.base.errors import LdpError, ScenarioError, got
from ldptui.core.base.ranges import ALPHA, EPSILON, SHARE, USERS, Range
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.law.moments import Unbiased
from ldptui.core.law.pure import Supporting, items_of
from ldptui.core.reports.arguments import number, switch, whole, words

UNIT: Final = Range(0, 1)
REAL: Final = Range(-1e15, 1e15)
RANGES: Final[Mapping[str, Range]] = {
    "epsilon": EPSILON, "share": SHARE, "confidence": ALPHA, "users": USERS,
    **dict.fromkeys(("p", "q", "rate", "frequency", "target_frequency"), UNIT),
    **dict.fromkeys(("width", "spread", "fake_spread"), Range(0, 1e15)),
}  # fmt: skip
"""The numbers that an argument may be, by its name."""
LEAST: Final[Mapping[str, int]] = {"domain_size": 2, "malicious": 0}
"""The least whole number that an argument may be, where it is not 1."""
WRONG: Final = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError)
"""What a formula raises where its arguments do not fit together."""
FORMER: Final[Mapping[str, str]] = {
    "accepted": "mean_supports", "collected": "collection_parameters",
    "compared": "compare_with_theory", "doubted": "annotate_estimate",
    "recommended": "recommended_protocol", "Misfit": "ImpossibleEstimates",
}  # fmt: skip
"""The names of version 0.2, which work in this version and warn, and those that replace them."""


def __getattr__(name: str) -> Any:
    """A closed form, or a class of one, by its name."""
    if name in FORMER:
        now = FORMER[name]
        warnings.warn(f"ldptui.theory.{name} is now {now}", DeprecationWarning, stacklevel=2)
        name = now
    found = getattr(theory, name)
    return (
        found if name.startswith("_") or not inspect.isroutine(found) else _check_arguments(found)
    )


def __dir__() -> list[str]:
    return [name for name in dir(theory) if not name.startswith("_")]


@cache
def _check_arguments(form: Callable[..., Any]) -> Callable[..., Any]:
    """A closed form whose arguments are checked; it raises ScenarioError."""
    hints, signature = get_type_hints(form), inspect.signature(form)

    @wraps(form)
    def check_call(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        for name, value in bound.arguments.items():
            bound.arguments[name] = _read(value, name, hints[name], bound.arguments)
        try:
            return form(*bound.args, **bound.kwargs)
        except LdpError:
            raise
        except WRONG as error:
            words = " ".join(str(error).split())
            raise ScenarioError(f"has no value there: {words}", key=form.__name__) from error

    return check_call


def _read(value: Any, name: str, hint: Any, others: Mapping[str, Any]) -> Any:
    """An argument of this type, checked."""
    if hint is int:
        return whole(value, name, LEAST.get(name, 1), int(USERS.high))
    if hint is float:
        return number(value, name, RANGES.get(name, REAL))
    if hint is bool:
        return switch(value, name)
    if hint is str:
        return words(value, name)
    if hint in (Supporting, Unbiased) or name == "protocol":
        if isinstance(value, type) or not isinstance(value, Supporting):
            raise ScenarioError(f"must be a protocol, {got(value)}", key=name)
        return value
    if hint == Counts:
        source = others.get("protocol", others.get("population"))
        return items_of(value, source.domain_size if source is not None else 2**32, name)
    if hint == Floats:
        return _numbers(value, name)
    if inspect.isclass(hint) and not isinstance(value, hint):
        raise ScenarioError(f"must be a {hint.__name__}, {got(value)}", key=name)
    return value


def _numbers(value: Any, name: str) -> Floats:
    """float64[…] of finite numbers."""
    if isinstance(value, np.ndarray | list | tuple) and not np.ma.is_masked(value):
        try:
            numbers = np.asarray(value)
        except ValueError:
            numbers = np.empty(0)
        if numbers.dtype.kind in "iuf" and numbers.size and np.isfinite(numbers).all():
            return numbers.astype(np.float64)
    raise ScenarioError(f"must be an array of finite numbers, {got(value)}", key=name)
