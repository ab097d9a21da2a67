"""The rates of a step on simulated collections, and the memory that its reports take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from ldptui.core.base.errors import LdpError, ScenarioError
from ldptui.core.base.files import Source, is_file
from ldptui.core.base.frames import rows_in
from ldptui.core.base.summary import Estimate
from ldptui.core.experiment.limits import MAX_HELD, in_bytes
from ldptui.core.lab.audit import clopper_pearson
from ldptui.core.lab.defending import Rates
from ldptui.core.law.pure import Reports

from ..text import format as text

HEADS: Final = ("false alarms", "power", "cost", "error", "caught")
"""The heads of the cells of rates."""

ALARM: Final = {True: "ALARM", False: "no", None: "–"}
"""The words for a verdict."""

SHORT: Final = """\
k of N: simulated collections, ± standard error; power: alarms where 1 % of the
users are MGA on 5 rare items; cost: the share of honest reports dropped where
nobody attacks"""

LEGEND: Final = f"""\
{SHORT}; error: the mean squared error of all estimates then
beside that without; caught: the share of those fakes dropped"""


def cells(rates: Rates | None) -> list[str]:
    """The rates as cells under HEADS."""
    if rates is None:
        return ["–"] * len(HEADS)
    return [
        _alarms(rates.false_alarms, rates),
        _alarms(rates.alarms, rates),
        _share(rates.cost),
        f"× {_share(rates.error)}",
        _share(rates.caught),
    ]


def _alarms(number: int | None, rates: Rates) -> str:
    """The collections that a step alarms about, of all: k of N."""
    return "–" if number is None else f"{number} of {rates.trials}"


def _share(estimate: Estimate | None) -> str:
    """A mean share with its standard error."""
    if estimate is None or estimate.mean is None:
        return "–"
    return text.estimate(estimate.mean, estimate.standard_error or None)


def document(rates: Rates | None) -> dict[str, Any] | None:
    """The rates as plain values for JSON; None where none were simulated.

    `false_alarm` and `power` are [k, low, high]: the collections that alarm, and the exact interval
    (Clopper, Pearson) that holds the rate with 95 %. `cost`, `error`, `caught` are a mean and its
    standard error.
    """
    if rates is None:
        return None
    made: dict[str, Any] = {"users": rates.users, "trials": rates.trials}
    for name, number in (("false_alarm", rates.false_alarms), ("power", rates.alarms)):
        made[name] = None
        if number is not None:
            low, high = clopper_pearson(number, rates.trials, 0.025)
            made[name] = [number, float(low), float(high)]
    for name in ("cost", "error", "caught"):
        estimate: Estimate | None = getattr(rates, name)
        made[name] = None if estimate is None else [estimate.mean, estimate.standard_error]
    return made


SAMPLED: Final = 1 << 16
"""Bytes of a text file whose lines tell the length of all."""

Need: TypeAlias = Callable[[int], int]
"""The bytes that this number of reports needs."""


def expected(named: Sequence[Source]) -> int | None:
    """The number of reports in files, from their sizes, to three digits; None where one hides it.

    Packed files, Arrow files and standard input do, and a file that cannot be read.
    """
    numbers = [_rows(source) for source in named]
    known = [number for number in numbers if number is not None]
    return int(float(f"{sum(known):.3g}")) if len(known) == len(numbers) else None


def _rows(source: Source) -> int | None:
    if not isinstance(source, Path):
        return None
    try:
        if source.suffix == ".parquet":
            return rows_in(source)
        if source.suffix not in (".csv", ".jsonl") or not is_file(source):
            return None
        with source.open("rb") as file:
            start = file.read(SAMPLED)
        lines = start.count(b"\n")
        return math.ceil(source.stat().st_size / len(start) * lines) if lines else None
    except (LdpError, OSError):
        return None


def check_memory(users: int, need: Need, key: str, more: bool = False) -> None:
    """Refuse more reports than can be held; raises ScenarioError. more : than `users`."""
    if need(users) > MAX_HELD:
        number = f"{'more than' if more else 'about'} {text.count(users)} reports"
        rule = f"needs about {in_bytes(need(users))} of memory for {number}"
        most = f"and must need at most {in_bytes(MAX_HELD)}: take a part of the files"
        raise ScenarioError(f"{rule}, {most}", key=key)


def bounded(batches: Iterable[Reports], need: Need, key: str) -> Iterator[Reports]:
    """The batches, of which no more come than can be held; raises ScenarioError."""
    users = 0
    for batch in batches:
        users += len(batch)
        check_memory(users, need, key, more=True)
        yield batch


def told(users: int | None, need: Need) -> str | None:
    """A sentence where much memory will be needed; None for little, for too much, or not known."""
    if users is None or not MAX_HELD // 16 <= need(users) <= MAX_HELD:
        return None
    return f"about {text.count(users)} reports, which need about {in_bytes(need(users))} of memory"
