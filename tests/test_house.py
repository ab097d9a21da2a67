"""The shape of the house: no surface knows a family by class, and no list of kinds is kept.

The arrows between the rooms are checked by the import contracts in pyproject.toml.
"""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

import grimp
import pytest

from ldptui.core.attacks import ATTACKS
from ldptui.core.defences import DEFENCES
from ldptui.core.protocols import KINDS

ROOT = Path(__file__).parents[1]
PRODUCT = [path for room in ("core", "ldptui") for path in sorted((ROOT / room).rglob("*.py"))]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
SCRIPTS = [path for room in ("bench", "docs") for path in sorted((ROOT / room).rglob("*.py"))]

HOMES = {
    "core": ("core/protocols/", "core/attacks/"),
    "ldptui": ("ldptui/explain/",),
}
"""The places of the families' files: each knows the classes of its own family."""

TABLES = tuple(f"core/{table}s/{table}_kinds.py" for table in ("protocol", "attack", "defence"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """The syntax tree of a file, flat; kept, as several tests walk over it."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def classes() -> set[str]:
    """The names of all classes that the families' files define."""
    return {
        node.name
        for path in PRODUCT
        if place(path).startswith(HOMES["core"])
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
    }


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def named(node: ast.expr) -> Iterator[str]:
    """The class names of the second argument of isinstance, or of a case."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def dispatches(path: Path) -> Iterator[tuple[int, str]]:
    """The tests of a class in a file: line and name."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
            "isinstance",
            "issubclass",
        ):
            yield from ((node.lineno, name) for name in named(node.args[1]))
        elif isinstance(node, ast.MatchClass):
            yield from ((node.lineno, name) for name in named(node.cls))


def test_no_surface_asks_for_a_kind_by_its_class() -> None:
    """In core, what one consumer asks of a few families is a function in its own file."""
    known = classes()
    homes = tuple(home for places in HOMES.values() for home in places)
    found = [
        f"{place(path)}:{line}: {name}"
        for path in PRODUCT
        if place(path).startswith("ldptui/") and not place(path).startswith(homes)
        for line, name in dispatches(path)
        if name in known
    ]
    assert found == []


def lists(path: Path, with_keys: bool) -> Iterator[tuple[int, list[str]]]:
    """The literals of strings in a file: tuples, lists, sets, keys of dicts; None is left out."""
    for node in nodes(path):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            parts = node.elts
        elif isinstance(node, ast.Dict) and with_keys:
            parts = [key for key in node.keys if key is not None]
        else:
            continue
        constants = [part.value for part in parts if isinstance(part, ast.Constant)]
        texts = [text for text in constants if isinstance(text, str)]
        if len(texts) + constants.count(None) == len(parts):
            yield node.lineno, texts


def is_list(texts: set[str], kinds: Mapping[str, type]) -> bool:
    return len(texts & kinds.keys()) >= 3 and texts <= kinds.keys()


def test_no_second_list_of_kinds() -> None:
    """Three kinds or more, side by side, are a list of kinds: it stands in the table alone.

    A test may keep what it expects in a dict by kind, as each entry is data: a kind without one
    falls back on none or fails by its name. What a test goes over it reads from the tables.
    """
    found = [
        f"{place(path)}:{line}: {texts}"
        for path in (*PRODUCT, *TESTS)
        if place(path) not in TABLES
        for line, texts in lists(path, with_keys=path in PRODUCT)
        if any(is_list(set(texts), kinds) for kinds in (KINDS, ATTACKS, DEFENCES))
    ]
    assert found == []


def test_who_asks_for_a_file_is_never_refused() -> None:
    """`Path.exists` and its like raise up to Python 3.13: `core.base.files` has others."""
    asking = re.compile(r"(?<!\bentry)\.(exists|is_file|is_dir)\(\)")
    found = [
        f"{place(path)}:{line}"
        for path in PRODUCT
        for line, text in enumerate(path.read_text("utf-8").splitlines(), 1)
        if asking.search(text)
    ]
    assert found == []


def test_a_file_holds_one_idea() -> None:
    """About 400 lines at most."""
    files = (*PRODUCT, *TESTS, *SCRIPTS)
    lengths = {place(path): len(path.read_text("utf-8").splitlines()) for path in files}
    assert {path: length for path, length in lengths.items() if length > 400} == {}


def length_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without its docstring."""
    told = ast.get_docstring(function, clean=False) is not None
    first = function.body[0]
    docstring = (first.end_lineno or 0) - first.lineno + 1 if told else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_a_function_fits_a_screen() -> None:
    """60 lines at most, its docstring not counted."""
    long = {
        f"{place(path)}:{node.lineno} {node.name}": length_of(node)
        for path in PRODUCT
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and length_of(node) > 60
    }
    assert long == {}


def public_functions(path: Path) -> Iterator[ast.FunctionDef]:
    """The public functions and methods of a file."""
    for room in nodes(path):
        if isinstance(room, ast.Module) or (
            isinstance(room, ast.ClassDef) and not room.name.startswith("_")
        ):
            functions = (node for node in room.body if isinstance(node, ast.FunctionDef))
            yield from (node for node in functions if not node.name.startswith("_"))


def test_a_docstring_of_core_has_errors_and_shapes() -> None:
    """The docstring of a function that raises says so; that of an array has its shape."""
    arrays, lacking = {"Floats", "Counts", "Items", "BoolArray"}, []
    for path in (path for path in PRODUCT if place(path).startswith("core/")):
        for node in public_functions(path):
            words = ast.get_docstring(node) or "raises [as its base]"
            raising = any(isinstance(part, ast.Raise) and part.exc for part in ast.walk(node))
            array = node.returns is not None and ast.unparse(node.returns) in arrays
            if (raising and "aise" not in words) or (
                array and not re.search(r"\[|shape|see `", words)
            ):
                lacking.append(f"{place(path)}:{node.lineno} {node.name}")
    assert lacking == []


def test_the_floors_are_seen_at_a_glance() -> None:
    made = {"__pycache__", "site"}  # `make site` makes the latter
    for room, most in (("core", 23), ("ldptui", 20)):
        entries = {entry.name for entry in (ROOT / room).iterdir()} - made
        assert len(entries) <= most, sorted(entries)


def test_there_is_one_import_name() -> None:
    """The folders `core` and `scenarios` are imported as `ldptui.core` and `ldptui.scenarios`."""
    for house in ("core", "scenarios"):
        assert (ROOT / "ldptui" / house).readlink() == Path("..") / house
        with pytest.raises(ImportError, match=rf"imported as ldptui\.{house}"):
            importlib.import_module(house)
    found = [
        f"{place(path)}:{node.lineno}"
        for path in (*PRODUCT, *TESTS, *SCRIPTS)
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else names_of(node))
        if not getattr(node, "level", 0) and name.partition(".")[0] in ("core", "scenarios")
    ]
    assert found == []


def names_of(node: ast.Import) -> list[str]:
    return [alias.name for alias in node.names]


def test_the_architecture_has_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    named = [name.strip("/") for row in rows for name in re.findall(r"`([^`]+)`", row)]
    made = {"__pycache__", "__init__", "py", "site"}
    entries = [entry for house in ("core", "ldptui") for entry in (ROOT / house).iterdir()]
    rooms = [entry.stem for entry in entries if not entry.is_symlink()]
    assert sorted(named) == sorted(room for room in rooms if room not in made)


def test_no_test_imports_a_test() -> None:
    found = []
    for path in TESTS:
        for node in nodes(path):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            found += [
                f"{place(path)}: {module}"
                for module in modules
                if module.rpartition(".")[2].startswith("test_") or module.startswith("tests.")
            ]
    assert found == []


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    house = ("ldptui", *parts) if parts[0] == "core" else parts
    return ".".join(part for part in house if part != "__init__")


def named_imports(path: Path) -> Iterator[str]:
    """The modules of ldptui that a file imports by a string, where it stands there whole."""
    module = module_of(path)
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in nodes(path):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            name = node.args[0]
            if isinstance(name, ast.Constant) and name.value.startswith((".", "ldptui.")):
                yield resolve_name(name.value, package)


def test_imports_by_a_string_point_down_and_close_no_circle() -> None:
    """What the import contracts do not see, as it is no import statement."""
    graph = grimp.build_graph("ldptui", cache_dir=None)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    floors = {
        f"{container}.{room}": floor
        for contract in contracts["contracts"]
        if contract["type"] == "layers"
        for container in contract["containers"]
        for floor, rooms in enumerate(contract["layers"])
        for room in rooms.split(" : ")
    }

    def floor(module: str, depth: int) -> int | None:
        return floors.get(".".join(module.split(".")[:depth]))

    followed = {(module_of(path), name) for path in PRODUCT for name in named_imports(path)}
    assert ("ldptui.core.kernels.loops", "ldptui.core.kernels.compiled") in followed
    for here, there in followed:
        circle = graph.find_shortest_chain(importer=there, imported=here)
        assert circle is None, (here, there)
        for depth in (2, 3):
            above, below = floor(here, depth), floor(there, depth)
            assert above is None or below is None or above <= below, (here, there)
