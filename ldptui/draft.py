"""The scenario being worked on: TOML text is the single source of truth, a `Draft` one state of it.

Editing makes a new draft. A draft always knows the last scenario that was valid, so that the charts
keep showing something while a value is half typed; nothing that was typed is ever dropped.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

if TYPE_CHECKING:
    from core.bounds import Range
    from core.cell import Cell
    from core.errors import LdpError
    from core.population import Population, PopulationSpec
    from core.scenario import Point, Scenario

MAX_BOUND: Final = 64
"""So many swept values at most are bound (targets found, sizes checked) with every edit."""

_STARTING: Final[Mapping[str, Any]] = {
    "population.items": 128,
    "population.users": 1_000_000,
    "population.exponent": 1.0,
    "population.ratio": 0.9,
    "population.path": "",
    "population.column": "",
    "protocol.epsilon": 1.0,
    "attack.share": 0.05,
}
"""What a key starts with when a newly chosen kind needs it and no earlier value is known."""
_INSTEAD: Final[Mapping[str, str]] = {
    "protocol.f": "protocol.epsilon",
    "protocol.epsilon": "protocol.f",
    "goal": "attack.share",
    "attack.share": "goal",
}
"""Keys of which a scenario has one or the other: setting one drops the other."""


@dataclass(frozen=True)
class Problem:
    """Something wrong in a draft.

    key : the dotted key, "" for the text as a whole. message : the rule and the value that broke
    it, without the key: "must be in [0, 1), got 1.5". line : of the text, from 1, where known.
    """

    key: str
    message: str
    line: int | None = None


@dataclass(frozen=True, eq=False)
class Draft:
    """One state of the scenario being edited.

    text : the TOML as typed. folder : where relative paths start. path : its file, if it has one.
    document : the last text that parsed. scenario, cell : the last valid scenario and the cell
    that its `base` stands for; None until there was one. problems : what is wrong with the text,
    in the order of the document. saved_text : what the file, or the library, holds.
    parses : whether the text is TOML; if not, forms cannot edit it. remembered : values that went
    with a change of kind, by dotted key, for when their kind comes back. unread : a large file that
    has to be read before more can be said; until then scenario and cell are those before it.
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
    unread: LargeFile | None = None

    @property
    def modified(self) -> bool:
        """Whether the text differs from what is saved."""
        return self.text != self.saved_text

    def problem(self, key: str) -> Problem | None:
        """The first problem of a key or of what is inside it."""
        inside = f"{key}."
        found = (one for one in self.problems if one.key == key or one.key.startswith(inside))
        return next(found, None)


@dataclass(frozen=True)
class LargeFile:
    """A population's file that takes long to read; `stamp` tells its versions apart."""

    spec: PopulationSpec
    folder: Path
    stamp: tuple[int, int]

    @property
    def name(self) -> str:
        return str(getattr(self.spec, "path", ""))

    def read(self) -> None:
        """Read it, on any thread; `read_on` then goes on with what it holds."""
        from core.errors import LdpError

        found: Population | LdpError
        try:
            found = self.spec.bind(0, self.folder)
        except LdpError as error:
            found = error
        while len(_FILES) >= MAX_FILES:
            _FILES.pop(next(iter(_FILES)))
        _FILES[self] = found


class _UnreadError(Exception):
    """Nothing more can be said before a large file was read."""

    def __init__(self, file: LargeFile) -> None:
        super().__init__(file.name)
        self.file = file


MAX_FILES: Final = 4
LARGE_BYTES: Final = 2_000_000
"""A file of more is not read while somebody is typing."""
_FILES: Final[dict[LargeFile, Population | LdpError]] = {}
"""What large files held, or what is wrong with them."""


def read_on(draft: Draft) -> Draft:
    """The draft after its large file was read."""
    return _checked(draft, draft.text)


def draft_of(
    text: str, folder: Path, path: Path | None = None, saved_text: str | None = None
) -> Draft:
    """A draft of TOML text; `saved_text` is what its file holds (default: the text itself)."""
    saved = text if saved_text is None else saved_text
    return _checked(Draft(text, folder, path, None, None, (), saved), text)


def retyped(draft: Draft, text: str) -> Draft:
    """The draft with another text: the script was edited by hand."""
    return draft if text == draft.text else _checked(draft, text)


def saved(draft: Draft, path: Path) -> Draft:
    """The draft after its text was written to `path`."""
    kept = dataclasses.replace(draft, path=path, folder=path.parent, saved_text=draft.text)
    return kept if path.parent == draft.folder else _checked(kept, kept.text)


def edited(draft: Draft, key: str, value: Any) -> Draft:
    """The draft with one dotted key set by a form (None: removed); comments and layout stay.

    The key's sweep stays. A new `kind` drops the keys that it does not know, remembers them, and
    gets sensible values for those that it needs. `sweep.KEY` sets or removes one swept key. While
    the text does not parse there is nothing to set: the draft comes back unchanged.
    """
    if not draft.parses or draft.document is None:
        return draft
    document, remembered = dict(draft.document), dict(draft.remembered)
    if key == "attack.targets.items":
        value = _as_labels(draft, value)
    table, _, leaf = key.rpartition(".")
    if key == "sweep" or key.startswith("sweep."):
        _set_sweep(draft, document, key.removeprefix("sweep").removeprefix("."), value)
    elif leaf == "kind" and isinstance(value, str):
        _set_kind(draft, document, remembered, table, value)
    else:
        other = _INSTEAD.get(key) if value is not None else None
        for name, one in ((key, value), *(((other, None),) if other else ())):
            top, *below = name.split(".")
            _set(document, top, _placed(document.get(top), below, one))
        if key == "protocol.form":
            document["protocol"] = _usable(document["protocol"])
    text = _rewritten(draft.text, draft.document, document)
    return _checked(dataclasses.replace(draft, remembered=remembered), text)


def _as_labels(draft: Draft, items: Any) -> Any:
    """Numbers typed as targets are labels where the population has labels like them.

    (In a scenario file an int is always an index.)
    """
    labels = draft.cell.population.labels if draft.cell is not None else None
    if labels is None or not isinstance(items, list):
        return items
    known = set(labels)
    return [str(item) if isinstance(item, int) and str(item) in known else item for item in items]


def bind_base(draft: Draft) -> Cell | None:
    """The cell that the base of the draft's scenario stands for; None before there was one.

    Binding is part of the check that every edit makes: what cannot be bound is a problem.
    """
    return draft.cell


def base(scenario: Scenario) -> Scenario:
    """The scenario without its sweep: what charts of a single cell show.

    Each swept key has the value in its table, or the middle one of its sweep if the table has none.
    """
    sweep = scenario.sweep
    if not sweep:
        return scenario
    single = scenario
    # Kinds come last: setting one drops the keys that it does not know.
    for key in sorted(sweep, key=lambda one: one.endswith(".kind")):
        value = _looked_up(scenario.document, key)
        middle = sweep[key][len(sweep[key]) // 2]
        single = single.with_value(key, middle if value is None else value)
    document = {key: value for key, value in single.document.items() if key != "sweep"}
    return dataclasses.replace(single, document=document)


def value_of(draft: Draft, key: str) -> Any:
    """What a form shows for a key: its value, the middle of its sweep, or its default."""
    value = _looked_up(draft.document or {}, key)
    if value is not None:
        return value
    swept = sweep_of(draft).get(key)
    if swept is not None and draft.scenario is not None and key in draft.scenario.sweep:
        return _looked_up(base(draft.scenario).document, key)
    return default_of(key, kind_of(draft, key.partition(".")[0]))


def kind_of(draft: Draft, table: str) -> str:
    """The kind of a table, "" where it has none (a mixture); an absent attack is "none"."""
    kind = _looked_up(draft.document or {}, f"{table}.kind")
    if kind is None:
        values = sweep_of(draft).get(f"{table}.kind")
        if isinstance(values, list) and values:
            kind = values[len(values) // 2]  # as `base` chooses
        elif table == "attack" and not (draft.document or {}).get("attack"):
            kind = "none"
    return kind if isinstance(kind, str) else ""


def sweep_of(draft: Draft) -> dict[str, Any]:
    """The swept keys in file order, as written: a list, or {from, to, points, scale}."""
    from core.scenario import dotted_sweep

    table = (draft.document or {}).get("sweep")
    return dotted_sweep(table) if isinstance(table, dict) else {}


@functools.cache
def allowed(key: str) -> Range | None:
    """The interval that a numeric key may lie in, the limits of a run included."""
    from core import experiment
    from core.bounds import Range
    from core.scenario import known_keys, pattern

    extras = (one for hint in known_keys().get(pattern(key), ()) for one in get_args(hint))
    found = next((one for one in extras if isinstance(one, Range)), None)
    highest = {
        "population.items": experiment.MAX_ITEMS,
        "population.users": experiment.MAX_USERS,
        "attack.targets.count": experiment.MAX_ITEMS,
        "trials": experiment.MAX_TRIALS,
    }.get(key)
    return found if found is None or highest is None else Range(found.low, highest, found.ends)


@functools.cache
def default_of(key: str, kind: str = "") -> Any:
    """The value of a key that is left out; None where the key is required or has no value."""
    from core.goal import Goal
    from core.scenario import KINDS, Campaign, Point, Simulate

    table, _, leaf = key.rpartition(".")
    tables = {"": Point, "simulate": Simulate, "campaign": Campaign, "goal": Goal}
    owner: type | None = tables.get(table)
    if owner is None:
        owner = KINDS.get(table, {}).get(kind)
    if owner is None:
        return None
    assert dataclasses.is_dataclass(owner)
    for one in dataclasses.fields(owner):
        if one.name == leaf and one.default is not dataclasses.MISSING:
            return one.default
    return None


def keys_of(table: str, kind: str) -> tuple[str, ...]:
    """The keys that a kind of population, protocol or attack knows besides `kind`, in order."""
    from core.scenario import KINDS

    known = KINDS.get(table, {}).get(kind)
    if known is None or not dataclasses.is_dataclass(known):
        return ()
    return tuple(one.name for one in dataclasses.fields(known) if one.name != "kind")


def used_keys(draft: Draft, table: str) -> tuple[str, ...]:
    """The keys of `keys_of` that mean something here: RAPPOR's forms ignore some.

    With those of the curators that are swept, so that they can be seen and edited.
    """
    from core.protocols import CENTRAL
    from core.protocols.rappor import ignored

    kind = kind_of(draft, table)
    swept = sweep_of(draft).get("protocol.kind") if table == "protocol" else None
    named = [one for one in swept if isinstance(one, str)] if isinstance(swept, list) else []
    kinds = (kind, *(one for one in named if one in CENTRAL))
    known = tuple(dict.fromkeys(name for one in kinds for name in keys_of(table, one)))
    if (table, kind) != ("protocol", "rappor"):
        return known
    swept = sweep_of(draft).get("protocol.form")
    forms = swept if isinstance(swept, list) else [value_of(draft, "protocol.form")]
    idle = [set(ignored(one)) for one in forms if isinstance(one, str)]
    return tuple(name for name in known if not idle or not all(name in one for one in idle))


# Editing.


def _looked_up(document: Mapping[str, Any], key: str) -> Any:
    value: Any = document
    for part in key.split("."):
        if isinstance(value, list):
            value = value[int(part)] if part.isdecimal() and int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _set(document: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        document.pop(key, None)
    else:
        document[key] = value


def _placed(there: Any, below: list[str], value: Any) -> Any:
    """A table with the value put at a path below it; None where the table is left empty.

    Parts of a list go by their number; one that is not there stays away.
    """
    if not below:
        return value
    if isinstance(there, list):
        at = int(below[0]) if below[0].isdecimal() else len(there)
        return [
            (_placed(one, below[1:], value) or {}) if here == at else one
            for here, one in enumerate(there)
        ]
    table = dict(there) if isinstance(there, Mapping) else {}
    leaf, *rest = below
    _set(table, leaf, _placed(table.get(leaf), rest, value))
    # Targets are picked by a rule or listed: setting one way drops the other.
    if leaf == "items" and value is not None and not rest and table.keys() & {"pick", "count"}:
        table.pop("pick", None)
        table.pop("count", None)
    elif leaf in ("pick", "count") and value is not None:
        table.pop("items", None)
    return table or None


def _set_sweep(draft: Draft, document: dict[str, Any], key: str, value: Any) -> None:
    """Set one swept key, or with no key the whole table."""
    table = {**sweep_of(draft), key: value} if key else value
    place, _, leaf = key.rpartition(".")
    if leaf == "kind" and "." not in place and isinstance(value, list):
        _fit_kinds(draft, document, table, place, value)
    for other in {_INSTEAD[one] for one in table or () if one in _INSTEAD and table[one]}:
        table.pop(other, None)
        top, *below = other.split(".")
        _set(document, top, _placed(document.get(top), below, None))
    if key and value is None:
        del table[key]
        if _looked_up(document, key) is None and (kept := value_of(draft, key)) is not None:
            top, *below = key.split(".")
            _set(document, top, _placed(document.get(top), below, kept))
    _set(document, "sweep", table or None)


def _fit_kinds(
    draft: Draft, document: dict[str, Any], sweep: Mapping[str, Any], table: str, kinds: list[Any]
) -> None:
    """Give a table what the kinds swept in it need, and take what none of them knows."""
    there = document.get(table)
    after = dict(there) if isinstance(there, Mapping) else {}
    named = [one for one in kinds if isinstance(one, str)]
    known = {name for one in named for name in keys_of(table, one)}
    if known:
        after = {name: value for name, value in after.items() if name in {"kind", *known}}
    for one in named:
        for name in keys_of(table, one):
            if name not in after and f"{table}.{name}" not in sweep:
                _set(after, name, _starting(draft, one, f"{table}.{name}"))
    if "epsilon" in after:
        after.pop("f", None)  # all of them have the budget
    document[table] = after


def _set_kind(
    draft: Draft, document: dict[str, Any], remembered: dict[str, Any], table: str, kind: str
) -> None:
    """Give a table a kind, with the keys that it needs and without those that it does not know.

    A part of a mixture is a table of the attack's kinds too, without a share of its own.
    """
    top, *below = table.split(".")
    there = _looked_up(document, table)
    before = dict(there) if isinstance(there, Mapping) else {}
    before.pop("kind", None)
    sweep = sweep_of(draft)
    listed = sweep.get(f"{table}.kind")
    kinds = [kind, *(listed if isinstance(listed, list) else ())]
    known = {name for one in kinds if isinstance(one, str) for name in keys_of(top, one)}
    if below:
        known = known - {"share"} | {"weight", "targets"}
    elif table == "attack" and kind == "none":
        known |= {"share", "targets"}  # "none" ignores them: so an attack is soon back
    remembered.update({f"{table}.{name}": before[name] for name in before if name not in known})
    after = {"kind": kind, **{name: before[name] for name in before if name in known}}
    for name in keys_of(top, kind):
        key = f"{table}.{name}"
        if name in known - after.keys() and key not in sweep and not (below and name == "targets"):
            _set(after, name, remembered.get(key, _starting(draft, kind, f"{top}.{name}")))
    if kind == "rappor":
        after = _usable(after)
    _set(document, top, _placed(document.get(top), below, after))
    gone = [
        key for key in sweep
        if key.startswith(f"{table}.")
        and key.removeprefix(f"{table}.").split(".")[0] not in {"kind", *known}
    ]  # fmt: skip
    if gone:
        _set(document, "sweep", {key: sweep[key] for key in sweep if key not in gone} or None)


def _usable(table: dict[str, Any]) -> dict[str, Any]:
    """RAPPOR with one noise that its form can have: f or the budget, else an f of 0.5.

    Of both, f is taken where it gives the budget: RAPPOR is back from another protocol.
    """
    from core.errors import ScenarioError
    from core.protocols import RapporSpec

    try:
        if table.keys() >= {"f", "epsilon"}:
            by_f = {name: value for name, value in table.items() if name != "epsilon"}
            same = _epsilon(RapporSpec(**by_f).epsilon_one) == _epsilon(table["epsilon"])
            table = by_f if same else {n: value for n, value in table.items() if n != "f"}
        RapporSpec(**table)
    except ScenarioError as error:
        if error.key in ("f", "epsilon"):
            kept = {name: value for name, value in table.items() if name != "epsilon"}
            return {**kept, "f": 0.5}
    except (TypeError, ValueError):
        pass  # a key that it does not know, or no number: the check says what is wrong
    return table


def _starting(draft: Draft, kind: str, key: str) -> Any:
    """A sensible first value for a key that a newly chosen kind needs; None: leave it out."""
    if not _required(key, kind):
        return None
    population = draft.cell.population if draft.cell is not None else None
    items = population.domain_size if population is not None else 128
    noise = draft.cell.noise if draft.cell is not None else None
    match key:
        case "attack.share" if "goal" in (draft.document or {}):
            return None  # it is what the goal takes
        case "protocol.epsilon" if draft.cell is not None and noise is not None:
            return _epsilon(noise.epsilon_one(draft.cell.hashes))
        case "population.items":
            return items
        case "population.users" if population is not None:
            return population.users
        case "population.mean":
            return round((items - 1) / 2, 1)
        case "population.std":
            return max(1.0, float(round(items / 8)))
        case "population.counts":
            if population is not None and items <= 32:
                return population.histogram.tolist()
            return [500, 300, 150, 50]
        case "attack.targets":
            return {"pick": "random", "count": min(10, items)}
        case "attack.subset":
            targets = draft.cell.targets.size if draft.cell is not None else 0
            return max(1, targets // 2)
        case "attack.size":
            return max(1, items // 4)
    return _STARTING.get(key)


def _required(key: str, kind: str) -> bool:
    from core.scenario import KINDS

    table, _, leaf = key.rpartition(".")
    found = {one.name: one for one in dataclasses.fields(KINDS[table][kind])}[leaf]
    return found.default is dataclasses.MISSING


def _epsilon(value: float) -> float:
    """A budget as a form would write it."""
    return float(f"{value:.3g}")


def _rewritten(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The text brought from one document to another, touching only what differs."""
    import tomllib

    from core import scenario

    written = text
    try:
        for key in dict.fromkeys((*before, *after)):
            old, new = before.get(key), after.get(key)
            if old == new and type(old) is type(new):
                continue
            if isinstance(old, Mapping) and isinstance(new, Mapping):
                # An inline table whose keys change is written anew: edited, it keeps odd spaces.
                same = {
                    name: value for name, value in new.items()
                    if not isinstance(value, Mapping)
                    or not isinstance(there := old.get(name), Mapping)
                    or there.keys() == value.keys()
                }  # fmt: skip
                if key != "sweep" and len(same) < len(new):
                    written = scenario.edit(written, key, same)
            line = _new_line(written, key, old, new)
            written = scenario.edit(written, key, new) if line is None else line
            if new is None:
                written = written.rstrip("\n") + "\n"
        if tomllib.loads(written) == after:
            return written
    except (ValueError, TypeError, KeyError, AttributeError):
        pass  # layouts that tomlkit cannot edit: the document is written anew
    return scenario.to_toml(after)


def _new_line(text: str, key: str, old: Any, new: Any) -> str | None:
    """The text with a new top-level number put where a reader looks for it; None: elsewhere.

    tomlkit would put it right before the first table, below the comment that belongs to the table.
    """
    import tomllib

    from core.scenario import line_of

    if old is not None or isinstance(new, bool) or not isinstance(new, int | float):
        return None
    after = max((line_of(text, name) or 0 for name in ("format", "seed", "trials")), default=0)
    lines = text.splitlines(keepends=True)
    lines.insert(after, f"{key} = {new}\n")
    written = "".join(lines)
    try:
        return written if tomllib.loads(written) == {**tomllib.loads(text), key: new} else None
    except ValueError:
        return None


# Checking.


def _checked(draft: Draft, text: str) -> Draft:
    """The draft with this text, read and checked."""
    from core import scenario
    from core.errors import LdpError, ScenarioError

    draft = dataclasses.replace(draft, unread=None)
    name = str(draft.path) if draft.path is not None else "scenario"
    try:
        read = scenario.read_document(text, name, draft.folder)
    except ScenarioError as error:
        problem = Problem("", error.rule, error.line)
        return dataclasses.replace(draft, text=text, problems=(problem,), parses=False)
    found: list[LdpError] = []
    cell = None
    try:
        found += _thinned(read).problems()
        cell = None if found else _bound(read)
    except LdpError as error:
        found.append(error)
    except _UnreadError as waiting:
        draft = dataclasses.replace(draft, unread=waiting.file)
    if found or cell is None:
        problems = tuple(_problem(error, text, read.document) for error in found)
        return dataclasses.replace(
            draft, text=text, document=read.document, problems=problems, parses=True
        )
    return dataclasses.replace(
        draft, text=text, document=read.document, scenario=read, problems=(), cell=cell, parses=True
    )


def _problem(error: LdpError, text: str, document: Mapping[str, Any]) -> Problem:
    from core.errors import ScenarioError
    from core.scenario import line_of

    if not isinstance(error, ScenarioError):  # only the file of a population is ever read
        return Problem("population.path", str(error), line_of(text, "population.path"))
    key, rule = error.key, error.rule.replace(_LIFT, "")
    if not key and "users" in rule:  # n and m together
        key = "population.users"
    if error.line is not None:
        return Problem(key, rule, error.line)
    own = _looked_up(document, key)
    if own is not None and _names(rule, own):  # not the value of a sweep of the same key
        text = re.sub(r"(?ms)^\s*\[sweep\].*?(?=^\s*\[|\Z)", _blank, text)
    return Problem(key, rule, line_of(text, key.removeprefix("sweep.")))


def _names(rule: str, value: Any) -> bool:
    """Whether a message, which ends with "got …", is about this value."""
    forms = {str(value), f'"{value}"', repr(value)}
    if isinstance(value, int | float) and abs(value) < 2**63:
        forms |= {f"{value:,}", str(float(value))}
    return rule.rpartition("got ")[2] in forms


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def own_problem(draft: Draft, key: str) -> Problem | None:
    """The problem of a key that its field should say: one of a swept value is the sweep's."""
    problem = draft.problem(key)
    if problem is None or key not in sweep_of(draft):
        return problem
    return problem if _names(problem.message, value_of(draft, key)) else None


_LIFT: Final = " (--no-limits lifts this)"


def _thinned(scenario: Scenario) -> Scenario:
    """The scenario with only the ends of its ranges: what holds there holds between them.

    Checking every point of a long range would take longer than a keystroke may.
    """
    from core.errors import ScenarioError
    from core.scenario import MAX_CELLS, dotted_sweep

    written = scenario.document.get("sweep")
    try:
        cells = scenario.cells
        values = scenario.sweep if cells <= MAX_CELLS else {}
    except ScenarioError:
        return scenario  # its problems say what is wrong with the sweep
    if cells > MAX_CELLS:
        rule = f"must give at most {MAX_CELLS:,} cells, got {cells:,}"
        raise ScenarioError(rule, key="sweep")
    if not isinstance(written, dict):
        return scenario
    thin = {
        key: [min(values[key]), max(values[key])] if isinstance(one, dict) else one
        for key, one in dotted_sweep(written).items()
    }
    return dataclasses.replace(scenario, document={**scenario.document, "sweep": thin})


def _bound(scenario: Scenario) -> Cell:
    """The base cell, and the swept ones tried; raises LdpError for what cannot be run."""
    from core import experiment
    from core.errors import ScenarioError

    single = base(scenario)
    point = next(single.points())
    if scenario.cells * point.trials > experiment.MAX_TRIALS:
        rule = f"times cells must be at most {experiment.MAX_TRIALS:,}, got {point.trials}"
        raise ScenarioError(f"{rule} × {scenario.cells:,}", key="trials")
    experiment.check_size(point)
    drawn = _population(point, scenario.folder)
    cell = experiment.bind(0, point, drawn)
    for other in itertools.islice(_extremes(scenario), MAX_BOUND):
        experiment.check_size(other)
        # Another population is not drawn for this: that could take long.
        if (other.population, other.seed) == (point.population, point.seed):
            experiment.bind(0, other, drawn)
        elif isinstance(items := getattr(other.population, "items", None), int):
            count = getattr(getattr(other.attack, "targets", None), "count", 0)
            if count > items:
                rule = f"must be at most the number of items, {items}, got {count}"
                raise ScenarioError(rule, key="attack.targets.count")
    return cell


def _extremes(scenario: Scenario) -> Iterator[Point]:
    """Points of the swept values that binding may refuse, every other key at its first value."""
    sweep = scenario.sweep
    first = {key: values[0] for key, values in sweep.items()}
    for key, values in sweep.items():
        if not key.startswith(_BOUND_KEYS):
            continue
        numbers = all(isinstance(value, int | float) for value in values)
        for value in (min(values), max(values)) if numbers else values:
            # Every kind stays named, so that a key of any of them stays allowed.
            chosen = {
                one: [now, *(sweep[one] if one.endswith(".kind") else ())]
                for one, now in {**first, key: value}.items()
            }
            single = {**scenario.document, "sweep": chosen}
            yield next(dataclasses.replace(scenario, document=single).points())


_BOUND_KEYS: Final = ("population.", "attack.share", "attack.targets", "simulate.path")


def _population(point: Point, folder: Path) -> Population:
    from core.errors import ScenarioError

    path = getattr(point.population, "path", None)
    stamp: tuple[int, int] | None = None
    if path is not None:
        if not path.strip():
            rule = f"must name a CSV file, its path absolute or from {folder}"
            raise ScenarioError(rule, key="population.path")
        try:
            found = (folder / Path(path).expanduser()).stat()
            stamp = (found.st_mtime_ns, found.st_size)
        except (OSError, ValueError, RuntimeError):
            pass  # reading the file says what is wrong with it
    if stamp is not None and stamp[1] > LARGE_BYTES:
        file = LargeFile(point.population, folder, stamp)
        if file not in _FILES:
            raise _UnreadError(file)
        known = _FILES[file]
        if isinstance(known, ScenarioError):
            raise known.within("population") from known
        if isinstance(known, Exception):
            raise known
        return known
    return _drawn(point.population, point.seed, folder, stamp)


@functools.lru_cache(maxsize=8)
def _drawn(
    spec: PopulationSpec,
    seed: int,
    folder: Path,
    stamp: tuple[int, int] | None,  # noqa: ARG001
) -> Population:
    """The population, drawn or read once; `stamp` tells versions of its file apart."""
    from core.errors import ScenarioError

    try:
        return spec.bind(seed, folder)
    except ScenarioError as error:
        raise error.within("population") from error
