"""Attacks that users write in Python: found without running them, run only where that is allowed.

A scenario names an attack (`kind = "plugin"`, `name`) and that alone runs nothing. What may run is
the user's to say, on the command line or in the settings: an `Allowed`. `permit` finds the code of
every attack that a scenario names, without importing it, and refuses what is not allowed. The code
is loaded by the process that computes, when its first report is due.

Where it comes from: the entry-point group `ldptui.attacks` of an installed package, or a Python
file, where the attack is a name at its top level. The object is a function, or a frozen dataclass
(or an instance of one) with a method, `reports(protocol, view, count, rng)`: options are the
function's further keywords, or the fields of the dataclass.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import importlib
import importlib.machinery
import importlib.metadata
import itertools
import json
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

from .attacks import PythonAttack, View
from .cell import Cell
from .errors import AttackError, FileError, ScenarioError, got
from .experiment import Experiment
from .pure import LocalMechanism, Reports, Rng
from .streams import digest

GROUP: Final = "ldptui.attacks"
"""The entry-point group under which packages publish attacks."""


@dataclass(frozen=True)
class Allowed:
    """The attacks that a user lets run.

    names : attacks of installed packages, by the names of their entry points.
    files : Python files, all of whose attacks may run.
    """

    names: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Source:
    """The place of an attack's code, for a process that loads it later; not the code itself.

    name : the attack's. digest : of its code, which counts for what is known of its results.
    place : a file, or the "module:attribute" of an entry point.
    """

    name: str
    digest: str
    place: Path | str = field(compare=False)


@dataclass(frozen=True)
class Plugin(PythonAttack):
    """A Python attack that may run: picklable, its code is loaded by the process that uses it."""

    source: Source = field(kw_only=True, repr=False)

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        """The reports of the attack's code, checked; raises AttackError for whatever goes wrong."""
        with explained(self.name):
            attack = loaded(self.source, json.dumps(self.options))
            made = attack(protocol, _read_only(view), count, rng)
        try:
            return protocol.received(made, count)
        except ValueError as error:
            raise AttackError(f"the reports of attack {self.name!r} {error}") from None


def _read_only(view: View) -> View:
    """The same view, so that code which changes its arrays in place changes nothing of ours."""
    arrays = {}
    for name in ("targets", "published"):
        value = getattr(view, name)
        if value is not None:
            arrays[name] = value.view()
            arrays[name].setflags(write=False)
    return replace(view, **arrays)


@contextlib.contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn whatever an attack's code raises into an AttackError with its traceback."""
    try:
        yield
    except AttackError:
        raise
    except (Exception, SystemExit) as error:
        trace = traceback.TracebackException.from_exception(error)
        words = " ".join(str(trace).split())
        kind = type(error).__name__
        # From the attack's own code on: how it was called is no concern of its author.
        frames = itertools.dropwhile(lambda frame: frame.filename == __file__, trace.stack)
        trace.stack = traceback.StackSummary.from_list(frames)
        raise AttackError(
            f"attack {name!r} raised {kind}" + (f": {words}" if words else ""),
            "".join(trace.format()),
        ) from None


# Finding, which runs nothing.


def permit(experiment: Experiment, allowed: Allowed) -> Experiment:
    """The experiment with the code of its Python attacks found; raises ScenarioError, FileError.

    ScenarioError says which attack a scenario asks for, and how to allow it.
    """
    if not asked(experiment):
        return experiment
    find_once = functools.cache(lambda name: find(name, allowed))

    def permitted(cell: Cell) -> Cell:
        rounds = tuple(permitted(collection) for collection in cell.rounds)
        return replace(cell, attack=_with_code(cell.attack, find_once), rounds=rounds)

    def checked(cell: Cell) -> Cell:
        for name in cell.python_attacks:
            try:
                find_once(name)
            except ScenarioError as error:
                if error.where:  # in a file of attacks
                    raise
                where = experiment.scenario.name
                raise ScenarioError(error.rule, _place(cell, name), where) from error
        return permitted(cell)

    return replace(experiment, cells=tuple(checked(cell) for cell in experiment.cells))


def _place(cell: Cell, name: str) -> str:
    """The key at which a cell asks for an attack: attack.name, attack.phase.0.mix.1.name."""
    values = cell.parameters.items()
    return next((key for key, value in values if key.endswith(".name") and value == name), "")


def asked(experiment: Experiment) -> tuple[str, ...]:
    """The names of the Python attacks that an experiment asks for."""
    return tuple(dict.fromkeys(name for cell in experiment.cells for name in cell.python_attacks))


def sources(experiment: Experiment) -> tuple[Source, ...]:
    """The sources of the code that an experiment may run."""
    attacks = (fakes.strategy for cell in experiment.cells for fakes in cell.fakes)
    return tuple(dict.fromkeys(attack.source for attack in attacks if hasattr(attack, "source")))


def _with_code(attack: Any, find_code: Callable[[str], Source]) -> Any:
    """An attack with every Python attack in it replaced by one that may run."""
    if hasattr(attack, "code"):
        values = {field.name: getattr(attack, field.name) for field in dataclasses.fields(attack)}
        return Plugin(**values, source=find_code(attack.name))
    if hasattr(attack, "parts"):
        parts = (replace(part, attack=_with_code(part.attack, find_code)) for part in attack.parts)
        return replace(attack, parts=tuple(parts))
    return attack


def find(name: str, allowed: Allowed) -> Source:
    """The code that a user allows under a name; raises ScenarioError, FileError.

    A file that cannot be read holds no attack: it is told where there is no code elsewhere.
    """
    candidates = []
    elsewhere = ""
    for path in dict.fromkeys(allowed.files):
        try:
            code = read(path)
        except FileError as error:
            elsewhere += f"; {error}"
            continue
        if name in names_in(code, path):
            candidates.append(Source(name, digest(code), path))
        else:
            elsewhere += f"; {path} has none of that name"
    if name in allowed.names:
        candidates += entry_points(name)
    if len(candidates) > 1:
        places = " and ".join(str(source.place) for source in candidates)
        raise ScenarioError(f"must mean one attack, {name!r} is in {places}")
    if not candidates:
        raise ScenarioError(_refusal(name, allowed, elsewhere))
    return candidates[0]


def _refusal(name: str, allowed: Allowed, elsewhere: str) -> str:
    """The reason why a name has no code: it is not allowed, or not where it is allowed."""
    if name in allowed.names:
        others = ", ".join(available()) or "none"
        return f"must be an attack of an installed package (there are: {others}), {got(name)}"
    asks = f"asks for the attack {name!r}, somebody's Python code, which is not allowed"
    if name in available():
        return f"{asks}: --allow-attack {name} lets it run"
    return f"{asks}: --attack-file FILE lets the attacks of a file of yours run{elsewhere}"


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from error


def names_in(code: bytes, path: Path) -> frozenset[str]:
    """The names that Python code defines at its top level; raises ScenarioError. Runs nothing."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        why = getattr(error, "msg", str(error) or type(error).__name__)
        raise ScenarioError(f"is not Python: {why}", where=str(path), line=line) from error
    return frozenset(name for statement in tree.body for name in _defined(statement))


def _defined(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id


def available() -> list[str]:
    """The names of the attacks that installed packages publish; imports none of them."""
    return sorted({point.name for point in importlib.metadata.entry_points(group=GROUP)})


def entry_points(name: str) -> list[Source]:
    """The attacks that installed packages publish under a name; imports none of them."""
    points = importlib.metadata.entry_points(group=GROUP, name=name)
    return [Source(name, code_digest(place), place) for place in dict.fromkeys(
        point.value for point in points
    )]  # fmt: skip


def code_digest(place: str) -> str:
    """A digest of all Python code of the package that has an entry point; imports nothing."""
    module = place.partition(":")[0].strip()
    spec = importlib.machinery.PathFinder.find_spec(module.partition(".")[0])
    for finder in () if spec is not None else sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)  # editable installations have their own
        spec = find_spec(module.partition(".")[0], None) if find_spec else None
        if spec is not None:
            break
    if spec is None:
        raise ScenarioError(f"must be in an installed package, got {place}")
    files = [Path(spec.origin)] if spec.origin else []
    for folder in spec.submodule_search_locations or ():
        files += sorted(Path(folder).rglob("*.py"))
    return digest(b"\0".join(digest(read(file)).encode() for file in dict.fromkeys(files)))


# Loading, which runs it.

_imported: Final[dict[str, str]] = {}
"""The digests of the code of entry points at the time when this process imported it."""


@functools.lru_cache(maxsize=64)
def loaded(source: Source, options: str) -> Callable[..., Any]:
    """The `reports` of an attack with its options, given as JSON; raises what its code raises."""
    attack = _from_file(source) if isinstance(source.place, Path) else _from_package(source)
    return with_options(source.name, attack, json.loads(options))


def with_options(name: str, attack: Any, options: Mapping[str, Any]) -> Callable[..., Any]:
    """`reports(protocol, view, count, rng)` of what an attack's name stands for."""
    if isinstance(attack, type):
        attack = attack(**options)
    elif dataclasses.is_dataclass(attack):
        attack = replace(attack, **options)  # type: ignore[type-var]  # no class: those came first
    elif isinstance(attack, FunctionType):
        return functools.partial(attack, **options)
    elif options:
        raise AttackError(f"attack {name!r} must be a function or a dataclass to have options")
    if not callable(getattr(attack, "reports", None)):
        raise AttackError(
            f"attack {name!r} must be a function or have a method reports, got "
            f"{type(attack).__name__}"
        )
    reports: Callable[..., Any] = attack.reports
    return reports


def _from_file(source: Source) -> Any:
    path = Path(source.place)
    code = read(path)
    _refuse_change(source, digest(code))
    module = ModuleType(f"ldptui_attack_{source.digest}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where dataclasses look for it
    exec(compile(code, str(path), "exec", dont_inherit=True), module.__dict__)
    return getattr(module, source.name)


def _from_package(source: Source) -> Any:
    place = str(source.place)
    _refuse_change(source, _imported.setdefault(place, code_digest(place)))
    name, _, attribute = (part.strip() for part in place.partition(":"))
    attack: Any = importlib.import_module(name)
    for part in attribute.split(".") if attribute else ():
        attack = getattr(attack, part)
    return attack


def _refuse_change(source: Source, now: str) -> None:
    """One run has one code, and Python imports a package once: what changed since is another."""
    if now != source.digest:
        raise AttackError(
            f"the code of attack {source.name!r} in {source.place} changed while ldptui ran: "
            "run it again, or start ldptui again"
        )
