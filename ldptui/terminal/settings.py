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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from msgspec import Struct, field

from ldptui.core.base.errors import FileError, check_among
from ldptui.core.base.files import fault_of, is_there

from . import places

if TYPE_CHECKING:
    from textual.binding import Binding
    from textual.dom import DOMNode

Charset = Literal["ascii", "braille"]
CHARSETS: Final = ("auto", *get_args(Charset))
OWN_THEMES: Final = ("ldptui-dark", "ldptui-light")


class Settings(Struct, frozen=True):
    """The settings of the workbench: looks, keys, and permitted plug-in code.

    theme : a theme's name; None leaves the choice to the app.
    charset : the characters of charts.
    allow_attacks, attack_files : plug-in code that may run, by name and by file.
    offered_files : files whose code runs only after the user's consent.
    cluster : the cluster that computes full runs, as `ldptui run --cluster` takes it; None without
        one.
    keys : binding id → keys, separated by commas, as Textual's keymap takes them.
    """

    theme: str | None = None
    charset: Charset = "braille"
    mouse: bool = True
    allow_attacks: tuple[str, ...] = ()
    attack_files: tuple[Path, ...] = ()
    offered_files: tuple[Path, ...] = ()
    cluster: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)


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
    """The settings of file and command line; raises ScenarioError, FileError.

    path : the settings file; if None, the one that LDPTUI_CONFIG names, else the user's own, which
        need not exist. The other parameters come from the command line: only it can permit code,
        and it can only switch the mouse off.
    """
    where, file = _settings_file(path)
    themed, from_theme = choose_setting("theme", theme, file.get("theme"), where)
    if themed is not None:
        check_among(themed, themes(), from_theme)
    drawn, from_charset = choose_setting("charset", charset, file.get("charset"), where)
    check_among(drawn or "auto", CHARSETS, from_charset)
    chosen_files = [Path(each).expanduser() for each in attack_files]
    refuse_unreadable(chosen_files)
    return Settings(
        theme=themed,
        charset=_drawable(drawn or "auto"),
        mouse=file.get("mouse", True) and mouse is not False,
        allow_attacks=tuple(allow_attacks),
        attack_files=tuple(chosen_files),
        offered_files=tuple(
            where.parent / Path(each).expanduser() for each in file.get("attack_files", ())
        ),
        cluster=choose_setting("cluster", cluster, file.get("cluster"), where)[0],
        keys=file.get("keys", {}),
    )


def _settings_file(path: Path | None) -> tuple[Path, dict[str, Any]]:
    """The path of the settings file and its values; empty if the user's own does not exist."""
    named = os.environ.get("LDPTUI_CONFIG", "")
    chosen = path or (Path(named).expanduser() if named else None)
    where = chosen or places.config_file()
    if chosen is None and not is_there(where):
        return where, {}
    from .settings_file import read_settings_file

    return where, read_settings_file(where, bindings)


def refuse_unreadable(files: Iterable[Path]) -> None:
    """Raise FileError for the first of these code files that cannot be read."""
    for file in files:
        fault = fault_of(file)
        if fault:
            raise FileError(f"--code must be a Python file that can be read, got {file}: {fault}")


def themes() -> tuple[str, ...]:
    """The names of the available themes, ldptui's first."""
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
    """The keys of all bindings as a TOML table for the settings file.

    changed : the keys that the user's settings replace.
    """
    rows = [
        (f'"{name}" = "{changed.get(name, binding.key)}"', binding.description)
        for name, binding in bindings().items()
    ]
    width = max(len(row) for row, _ in rows)
    lines = [f"{row:<{width}}  # {words}" for row, words in rows]
    head = [f"# What is changed here goes into {places.config_file()}", "[keys]"]
    return "\n".join([*head, *lines]) + "\n"


def choose_setting(
    key: str, option: str | None, written: str | None, where: Path
) -> tuple[str | None, str]:
    """The value of a setting, and words for the place it comes from."""
    variable = f"LDPTUI_{key.upper()}"
    if option is not None:
        return option, f"--{key}"
    if os.environ.get(variable):
        return os.environ[variable], variable
    return written, f"{where}: {key}"


def _drawable(charset: str) -> Charset:
    """The charset for a value of the setting; "auto" is braille, but ASCII on the Linux console,
    whose fonts may lack braille.
    """
    if charset == "auto":
        return "ascii" if os.environ.get("TERM") == "linux" else "braille"
    return cast("Charset", charset)
