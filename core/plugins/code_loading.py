"""Plug-in code is loaded and run; its exceptions are explained, and its return values checked."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import itertools
import json
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from ..base.errors import CellError
from ..base.streams import digest
from .code_location import ERRORS, CodeLocation, package_digest, read_code

OWN_FOLDER: Final = str(Path(__file__).parent)

_digests_at_import: Final[dict[str, str]] = {}
"""The digests of the code of entry points at the time when this process imported it."""


@contextlib.contextmanager
def explain_errors(code: CodeLocation) -> Iterator[None]:
    """A context manager that raises CellError, with the traceback, for any exception of plug-in
    code.
    """
    try:
        yield
    except CellError:
        raise
    except (Exception, SystemExit) as error:
        trace = traceback.TracebackException.from_exception(error)
        words = " ".join(str(trace).split())
        kind = type(error).__name__
        # From the code's own lines on: how it was called is no concern of its author.
        frames = itertools.dropwhile(lambda frame: frame.filename.startswith(OWN_FOLDER),
                                     trace.stack)  # fmt: skip
        trace.stack = traceback.StackSummary.from_list(frames)
        lines = [each.lineno or 0 for each in trace.stack if each.filename == str(code.place)]
        spot = code.at_line(lines[-1] if lines else code.line)
        raise ERRORS[code.what](
            f"{code.label} raised {kind}" + (f": {words}" if words else "") + spot,
            "".join(trace.format()),
        ) from None


def load_object(code: CodeLocation) -> Any:
    """The object that a code location names, after its code is run.

    Raises whatever the code raises, and CellError if the code changed since it was permitted.
    """
    if isinstance(code.place, Path):
        text = read_code(code.place)
        _refuse_change(code, digest(text))
        module = ModuleType(f"ldptui_{code.what}_{code.digest}")
        module.__file__ = str(code.place)
        sys.modules[module.__name__] = module  # where dataclasses look for it
        exec(compile(text, str(code.place), "exec", dont_inherit=True), module.__dict__)
        return getattr(module, code.name)
    _refuse_change(code, _digests_at_import.setdefault(code.place, package_digest(code.place)))
    name, _, attribute = (part.strip() for part in code.place.partition(":"))
    target: Any = importlib.import_module(name)
    for part in attribute.split(".") if attribute else ():
        target = getattr(target, part)
    return target


def _refuse_change(code: CodeLocation, now: str) -> None:
    """One run has one code, and Python imports a package once: what changed since is another."""
    if now != code.digest:
        raise ERRORS[code.what](
            f"the code of {code.label} in {code.place} changed while ldptui ran: "
            "run it again, or start ldptui again"
        )


@functools.lru_cache(maxsize=64)
def load_method(code: CodeLocation, options: str, method: str) -> Callable[..., Any]:
    """The function, or the named method of the object, at a code location, with its options set.

    options : as JSON. Raises what the code raises, and CellError for an object without the method,
    or for options of an object that has none.
    """
    made, keywords = load_object(code), json.loads(options)
    if isinstance(made, type):
        made = made(**keywords)
    elif dataclasses.is_dataclass(made):
        made = dataclasses.replace(made, **keywords)  # type: ignore[type-var]  # no class
    elif isinstance(made, FunctionType):
        return functools.partial(made, **keywords)
    elif keywords:
        raise code.failure("must be a function or a dataclass to have options")
    called: Callable[..., Any] | None = getattr(made, method, None)
    if not callable(called):
        rule = f"must be a function or have a method {method}, got {type(made).__name__}"
        raise code.failure(rule)
    return called


def check_numbers(
    code: CodeLocation, made: object, shape: tuple[int, ...], kinds: str = "biuf", what: str = ""
) -> Any:
    """The array that plug-in code returned, of finite numbers and the given shape.

    kinds : the allowed kinds of NumPy types. what : the words for it in messages. Raises CellError
    for another shape or type, or for a number that is not finite.
    """
    rule = f"must return {what or 'finite numbers'}" + (f" of shape {list(shape)}" if shape else "")
    try:
        values = np.asarray(made)
    except ValueError as error:
        raise code.failure(f"{rule}, got {type(made).__name__}") from error
    if values.shape != shape or values.dtype.kind not in kinds:
        got = f"{values.dtype}{list(values.shape)}" if values.shape else type(made).__name__
        raise code.failure(f"{rule}, got {got}")
    if values.dtype.kind == "f" and not (finite := np.isfinite(values)).all():
        raise code.failure(f"{rule}, got {values[~finite].flat[0]}")
    return values
