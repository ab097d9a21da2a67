"""Somebody's code loaded, which runs it, and whatever it raises explained."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import itertools
import json
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

from ..base.code import What
from ..base.errors import AttackError, CellError, DefenceError, MetricError, ProtocolError
from ..base.streams import digest
from .finding import Source, code_digest, read

HERE: Final = str(Path(__file__).parent)

ERRORS: Final[dict[What, type[CellError]]] = {
    "attack": AttackError,
    "defence": DefenceError,
    "protocol": ProtocolError,
    "population": CellError,
    "metric": MetricError,
}
"""The failure of a cell, by what the code is for."""


@contextlib.contextmanager
def explained(source: Source) -> Iterator[None]:
    """Turn whatever somebody's code raises into a failure of the cell, with its traceback."""
    try:
        yield
    except CellError:
        raise
    except (Exception, SystemExit) as error:
        trace = traceback.TracebackException.from_exception(error)
        words = " ".join(str(trace).split()) + _renamed(error)
        kind = type(error).__name__
        # From the code's own lines on: how it was called is no concern of its author.
        frames = itertools.dropwhile(lambda frame: frame.filename.startswith(HERE), trace.stack)
        trace.stack = traceback.StackSummary.from_list(frames)
        lines = [each.lineno for each in trace.stack if each.filename == str(source.place)]
        spot = source.at(lines[-1] or 0) if lines else source.spot
        raise ERRORS[source.what](
            f"{source.label} raised {kind}" + (f": {words}" if words else "") + spot,
            "".join(trace.format()),
        ) from None


def _renamed(error: BaseException) -> str:
    """What to write instead, where code asks for the simulator under the name it had until 0.1."""
    old = error.name if isinstance(error, ModuleNotFoundError) and error.name else ""
    house = old.partition(".")[0]
    return f": write ldptui.{house} in place of {house}" if house in ("core", "scenarios") else ""


_imported: Final[dict[str, str]] = {}
"""The digests of the code of entry points at the time when this process imported it."""


@functools.lru_cache(maxsize=64)
def loaded(source: Source, options: str, method: str = "reports") -> Callable[..., Any]:
    """The `reports` of an attack, or another method of a defence, with its options.

    options : as JSON. Raises what the code raises.
    """
    return with_options(source, code_at(source), json.loads(options), method)


def code_at(source: Source) -> Any:
    """The object that a name stands for, which runs the code around it; raises what that raises."""
    return _from_file(source) if isinstance(source.place, Path) else _from_package(source)


def with_options(
    source: Source, code: Any, options: Mapping[str, Any], method: str
) -> Callable[..., Any]:
    """The function, or the method of this name, of what a name stands for."""
    wrong = ERRORS[source.what]
    if isinstance(code, type):
        code = code(**options)
    elif dataclasses.is_dataclass(code):
        code = replace(code, **options)  # type: ignore[type-var]  # no class: those came first
    elif isinstance(code, FunctionType):
        return functools.partial(code, **options)
    elif options:
        rule = "must be a function or a dataclass to have options"
        raise wrong(source.sentence(rule))
    made: Callable[..., Any] | None = getattr(code, method, None)
    if made is None or not callable(made):
        rule = f"must be a function or have a method {method}, got {type(code).__name__}"
        raise wrong(source.sentence(rule))
    return made


def _from_file(source: Source) -> Any:
    path = Path(source.place)
    code = read(path)
    _refuse_change(source, digest(code))
    module = ModuleType(f"ldptui_{source.what}_{source.digest}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where dataclasses look for it
    exec(compile(code, str(path), "exec", dont_inherit=True), module.__dict__)
    return getattr(module, source.name)


def _from_package(source: Source) -> Any:
    place = str(source.place)
    _refuse_change(source, _imported.setdefault(place, code_digest(place)))
    name, _, attribute = (part.strip() for part in place.partition(":"))
    code: Any = importlib.import_module(name)
    for part in attribute.split(".") if attribute else ():
        code = getattr(code, part)
    return code


def _refuse_change(source: Source, now: str) -> None:
    """One run has one code, and Python imports a package once: what changed since is another."""
    if now != source.digest:
        raise ERRORS[source.what](
            f"the code of {source.label} in {source.place} changed while ldptui ran: "
            "run it again, or start ldptui again"
        )
