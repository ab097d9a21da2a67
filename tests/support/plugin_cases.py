"""Attacks and defences in Python for tests: files, installed packages, marks that they leave."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ldptui.core.attacks import View
from ldptui.core.cell import Cell, What
from ldptui.core.law.pure import LocalMechanism, Rng
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.plugins.code_location import GROUPS
from ldptui.core.protocols import RapporSpec

from .cases import CASES, bind, experiment
from .report_laws import Case

HONEST = """
def honest(protocol, view, count, rng):
    return protocol.perturb(view.targets[rng.integers(0, view.targets.size, count)], rng)
"""


def attack_file(folder: Path, source: str = HONEST, name: str = "mine.py") -> tuple[Path, Path]:
    """A file of attacks that leaves a mark when it is run, and the mark."""
    path, mark = folder / name, folder / f"{name}.mark"
    marking = f"\nimport pathlib\npathlib.Path({str(mark)!r}).write_text('ran')\n"
    path.write_text(textwrap.dedent(source) + marking, encoding="utf-8")
    return path, mark


def package(
    folder: Path, name: str, source: str = HONEST, what: What = "attack", **places: str
) -> Path:
    """An installed package that publishes code at places "module:attribute"; the mark that it
    leaves when it is imported. `folder` has to be on the path.
    """
    (folder / name).mkdir()
    path, mark = attack_file(folder / name, source, "__init__.py")
    path.with_name("more.py").write_text("from . import *\n" + textwrap.dedent(source))
    install(folder, name, places, what)
    return mark


def install(folder: Path, name: str, places: Mapping[str, str], what: What = "attack") -> None:
    """The metadata of an installed package that publishes attacks or defences."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"{published} = {place}" for published, place in places.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUPS[what]}]", *lines, ""]))


def asking(name: str, options: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """The attack table of a scenario that asks for an attack in Python."""
    table = {"kind": "plugin", "name": name, "share": 0.1, "targets": {"items": [1, 3]}}
    return table | ({} if options is None else {"options": options}) | more


def toml(name: str, top: str = "", attack: str = "", sweep: Sequence[str] = ("oue",)) -> str:
    """A scenario that asks for an attack, on the protocols of the sweep."""
    return f"""\
format = 1
trials = 20
{top}
[population]
kind = "uniform"
items = 8
users = 200

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
kind = "plugin"
name = "{name}"
share = 0.1
targets = {{ items = [1, 3] }}
{attack}
[sweep]
"protocol.kind" = {list(sweep)}
"""


TARGETS = np.array([1, 3])


def permitted(source: str, name: str, folder: Path, **options: Any) -> Cell:
    """A cell whose attack is in a file of this source."""
    path, _ = attack_file(folder, source)
    asks = experiment(attack=asking(name, options), trials=20)
    return permit_code(asks, CodePermission(files=(path,))).cells[0]


def reports(one: Cell, count: int = 5, rng: Rng | None = None) -> Any:
    assert one.attack is not None
    rng = rng or np.random.default_rng(0)
    return one.attack.reports(one.protocol, View(TARGETS), count, rng)


FORMS = [*CASES, "rappor"]


def protocol_of(form: Case | str) -> LocalMechanism:
    if isinstance(form, Case):
        return bind(form)
    return RapporSpec("rappor", f=0.5, bits=12, cohorts=4).bind(5)
