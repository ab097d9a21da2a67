"""The user's settings: a small TOML file, two environment variables, and the command line.

    theme = "ldptui-light"
    charset = "ascii"
    mouse = false
    attack_files = ["my_attacks.py"]

    [keys]
    "run.start" = "f9"

What is later wins: file, environment, command line. A setting that makes no sense is refused in one
sentence before the screen is touched. A file of settings lets no code run: the workbench asks about
the attacks in Python that it names, and what it says in `allow_attacks` has no effect any more.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from msgspec import Struct, ValidationError, convert, field

from ldptui.core.base.errors import FileError, ScenarioError, check_among, got, reason_of, suggest
from ldptui.core.base.files import fault_of

from . import places

if TYPE_CHECKING:
    from textual.binding import Binding
    from textual.dom import DOMNode

Charset = Literal["ascii", "braille"]
CHARSETS: Final = ("auto", *get_args(Charset))
OWN_THEMES: Final = ("ldptui-dark", "ldptui-light")
RULES: Final = {
    "theme": "a text", "charset": "a text", "mouse": "true or false", "cluster": "a text",
    "allow_attacks": "a list of texts", "attack_files": "a list of texts", "keys": "a table",
}  # fmt: skip
"""What each setting of the file has to be."""
MODIFIERS: Final = frozenset({"ctrl", "alt", "shift", "super", "meta", "hyper"})


class Settings(Struct, frozen=True):
    """The settings of the workbench: its looks, its keys, and the attacks that it may run.

    theme : a theme's name; None leaves the choice to the app. charset : what charts are drawn with.
    allow_attacks, attack_files : attacks in Python that may run, by name and by file.
    offered_files : files of attacks in Python that the user is asked about.
    cluster : the one that computes whole runs, as `ldptui run --cluster` takes it; None: no one.
    keys : binding id → keys, several with commas between, as Textual's keymap takes them.
    """

    theme: str | None = None
    charset: Charset = "braille"
    mouse: bool = True
    allow_attacks: tuple[str, ...] = ()
    attack_files: tuple[Path, ...] = ()
    offered_files: tuple[Path, ...] = ()
    cluster: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)


class SettingsFile(Struct, frozen=True):
    """The content of a settings file."""

    theme: str | None = None
    charset: str | None = None
    mouse: bool = True
    allow_attacks: list[str] = field(default_factory=list)
    attack_files: list[str] = field(default_factory=list)
    cluster: str | None = None
    keys: dict[str, Any] = field(default_factory=dict)


def load_settings(
    path: Path | None = None,
    *,
    theme: str | None = None,
    charset: str | None = None,
    mouse: bool | None = None,
    allow_attacks: Iterable[str] = (),
    attack_files: Iterable[str] = (),
    cluster: str | None = None,
) -> Settings:
    """The settings; raises ScenarioError, and FileError where a file cannot be read.

    path : the file asked for; without it the one that LDPTUI_CONFIG names, then the user's own,
    which need not exist. The others are from the command line, which can only switch the mouse
    off, and alone lets attacks run.
    """
    file, where = _settings_file(path)
    themed, from_theme = choose_setting("theme", theme, file.theme, where)
    if themed is not None:
        check_among(themed, themes(), from_theme)
    drawn, from_charset = choose_setting("charset", charset, file.charset, where)
    check_among(drawn or "auto", CHARSETS, from_charset)
    chosen_files = [Path(file).expanduser() for file in attack_files]
    refuse_unreadable(chosen_files)
    return Settings(
        theme=themed,
        charset=_drawable(drawn or "auto"),
        mouse=file.mouse and mouse is not False,
        allow_attacks=tuple(allow_attacks),
        attack_files=tuple(chosen_files),
        offered_files=_files(file, where),
        cluster=choose_setting("cluster", cluster, file.cluster, where)[0],
        keys=_keys(file.keys, where),
    )


def refuse_unreadable(files: Iterable[Path]) -> None:
    """Raise FileError for the first file of code that cannot be read."""
    for file in files:
        fault = fault_of(file)
        if fault:
            raise FileError(f"--code must be a Python file that can be read, got {file}: {fault}")


def _settings_file(path: Path | None) -> tuple[SettingsFile, str]:
    """The settings file, every key known and of its type, and the name of the file."""
    named = os.environ.get("LDPTUI_CONFIG", "")
    file = path or (Path(named).expanduser() if named else None)
    where = file or places.config_file()
    read = _read(where, required=file is not None)
    for key in read:
        if key not in RULES:
            raise ScenarioError(
                f"{where}: {key} is not a setting{suggest(key, RULES, ', '.join(RULES))}"
            )
    try:
        return convert(read, SettingsFile), str(where)
    except ValidationError as error:
        key = str(error).rpartition("$.")[2].rstrip("`").partition("[")[0]
        raise ScenarioError(f"{where}: {key} must be {RULES[key]}, {got(read[key])}") from None


def _files(file: SettingsFile, where: str) -> tuple[Path, ...]:
    """The files of attacks, found from the folder of the settings file."""
    return tuple(Path(where).parent / Path(each).expanduser() for each in file.attack_files)


def themes() -> tuple[str, ...]:
    """The names of the themes that there are, our own first."""
    from textual.theme import BUILTIN_THEMES

    return (*OWN_THEMES, *BUILTIN_THEMES)


def bindings() -> dict[str, Binding]:
    """Every binding of ldptui that has an id, by id.

    The classes are found by looking: a new screen or widget is listed without being named here.
    """
    import pkgutil
    from importlib import import_module

    from textual.binding import Binding
    from textual.dom import DOMNode

    package = __name__.partition(".")[0]
    import_module(f"{package}.app")
    for folder in ("screens", "widgets"):
        within = import_module(f"{package}.{folder}")
        for module in pkgutil.walk_packages(within.__path__, f"{within.__name__}."):
            import_module(module.name)
    by_id: dict[str, Binding] = {}
    kinds: list[type[DOMNode]] = [DOMNode]
    for kind in kinds:  # and what is derived from them, as it is found
        kinds += kind.__subclasses__()
        if kind.__module__.startswith(f"{package}."):
            for binding in vars(kind).get("BINDINGS", ()):
                if isinstance(binding, Binding) and binding.id is not None:
                    by_id.setdefault(binding.id, binding)
    return dict(sorted(by_id.items()))


def default_keys(changed: Mapping[str, str]) -> str:
    """The keys of everything as a TOML table, ready to be put into the settings file.

    changed : those that are others than by default.
    """
    rows = [
        (f'"{name}" = "{changed.get(name, binding.key)}"', binding.description)
        for name, binding in bindings().items()
    ]
    width = max(len(row) for row, _ in rows)
    lines = [f"{row:<{width}}  # {words}" for row, words in rows]
    head = [f"# What is changed here goes into {places.config_file()}", "[keys]"]
    return "\n".join([*head, *lines]) + "\n"


def _read(file: Path, required: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        if not required:
            return {}
        raise FileError(f"{file}: there is no such settings file") from error
    except OSError as error:
        raise FileError(f"{file} cannot be read: {reason_of(error)}") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, too many digits
        raise ScenarioError(f"{file}: is not valid TOML: {error}") from error


def choose_setting(
    key: str, option: str | None, written: str | None, where: str
) -> tuple[str | None, str]:
    """The value that wins, and what to call the place it comes from."""
    variable = f"LDPTUI_{key.upper()}"
    if option is not None:
        return option, f"--{key}"
    if os.environ.get(variable):
        return os.environ[variable], variable
    return written, f"{where}: {key}"


def _drawable(charset: str) -> Charset:
    """`auto`: braille, but the fonts of the Linux console have only ASCII for sure."""
    if charset == "auto":
        return "ascii" if os.environ.get("TERM") == "linux" else "braille"
    return cast("Charset", charset)


def _keys(table: Mapping[str, Any], where: str) -> dict[str, str]:
    if not table:
        return {}
    from ldptui.core.scenario import flatten

    known = bindings()
    keys: dict[str, str] = {}
    for name, value in flatten(table):  # both "run.start" and run.start are understood
        if name not in known:
            hint = suggest(name, known, "the palette lists them: Key bindings as TOML")
            raise ScenarioError(f"{where}: keys.{name} is not the name of an action{hint}")
        written = value if isinstance(value, list) else str(value).split(",")
        names = [str(key).strip() for key in written]
        if not isinstance(value, str | list) or not all(_is_key(key) for key in names):
            raise ScenarioError(
                f'{where}: keys.{name} must be a key such as "f9", "ctrl+r" or "x", {got(value)}'
            )
        keys[name] = ",".join(names)
    return keys


def _is_key(name: str) -> bool:
    """True for a key as Textual names it, with or without modifiers."""
    *modifiers, key = name.split("+") if len(name) > 1 else [name]
    return set(modifiers) <= MODIFIERS and bool(key.strip()) and key.isprintable()
