"""Faults in the code of an attack: errors, changed files, wrong reports."""

from pathlib import Path
from typing import Any

import pytest
from support.cases import experiment
from support.plugin_cases import HONEST, asking, attack_file, package, permitted, reports

from ldptui.core.base.errors import AttackError
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.store import cell_keys

BAD = """
import numpy as np

def raises(protocol, view, count, rng):
    return deeper(count)

def deeper(count):
    raise LookupError("no\\nsuch " + "thing")

def leaves(protocol, view, count, rng):
    raise SystemExit(3)

class Odd(Exception):
    def __str__(self): raise ValueError
def odd(protocol, view, count, rng):
    raise Odd

def writes(protocol, view, count, rng):
    view.targets[0] = 4

def nothing(protocol, view, count, rng):
    pass
"""


@pytest.mark.parametrize(
    ("name", "sentence", "last"),
    [
        ("raises", "raised LookupError: no such thing", "such thing"),
        ("leaves", "raised SystemExit: 3", "SystemExit: 3"),
        ("odd", "raised Odd: <exception str() failed>", "Odd: <exception str() failed>"),
        ("writes", "raised ValueError: assignment destination is read-only", "read-only"),
    ],
)
def test_an_error_of_the_code_has_its_traceback(
    name: str, sentence: str, last: str, tmp_path: Path
) -> None:
    with pytest.raises(AttackError) as error:
        reports(permitted(BAD, name, tmp_path))
    lines = error.value.details.rstrip().splitlines()
    (line,) = [each.split("line ")[1].split(",")[0] for each in lines if "mine.py" in each][-1:]
    assert str(error.value) == f"attack '{name}' {sentence} (mine.py, line {line})"
    assert lines[0] == "Traceback (most recent call last):"
    assert str(tmp_path / "mine.py") in lines[1], "it starts in the attack's own code"
    assert lines[-1].endswith(last)
    if name == "raises":
        assert [line.split()[-1] for line in lines if "File" in line] == ["raises", "deeper"]


def test_an_error_on_import_has_its_traceback(tmp_path: Path) -> None:
    with pytest.raises(AttackError, match="attack 'x' raised ModuleNotFoundError") as error:
        reports(permitted("import no_such_module\ndef x(): pass", "x", tmp_path))
    assert "in <module>" in error.value.details
    with pytest.raises(AttackError, match="attack 'x' raised SyntaxError: 'return' outside"):
        reports(permitted("def x(): pass\nreturn 3", "x", tmp_path))


def test_targets_cannot_be_changed_from_outside(tmp_path: Path) -> None:
    one = permitted(BAD, "writes", tmp_path)
    with pytest.raises(AttackError):
        one.block(0, 1)
    assert one.targets.tolist() == [1, 3]
    assert one.targets.flags.writeable


def test_code_that_changes_during_a_run_is_not_run(tmp_path: Path) -> None:
    one = permitted(HONEST, "honest", tmp_path)
    _, mark = attack_file(tmp_path, HONEST + "\nchanged = True\n")
    with pytest.raises(AttackError, match=r"the code of attack 'honest' in .*mine.py changed"):
        reports(one)
    assert not mark.exists()


def test_a_package_that_changed_since_it_was_imported_is_not_run(installed: Path) -> None:
    package(installed, "some_package", live="some_package:honest")
    asks, allowed = experiment(attack=asking("live"), trials=20), CodePermission(names=("live",))
    assert len(reports(permit_code(asks, allowed).cells[0])) == 5
    with (installed / "some_package" / "more.py").open("a") as file:
        file.write("# another line\n")
    with pytest.raises(AttackError, match="changed while ldptui ran"):
        reports(permit_code(asks, allowed).cells[0])


def test_the_store_tells_code_apart(tmp_path: Path) -> None:
    """The code and its options count, not the place where it lies."""

    def key(source: str = HONEST, folder: str = "a", **options: Any) -> str:
        (tmp_path / folder).mkdir(exist_ok=True)
        path = tmp_path / folder / "mine.py"
        path.write_text(source)
        asks = experiment(attack=asking("honest", options), trials=20)
        return cell_keys(permit_code(asks, CodePermission(files=(path,))).cells)[0]

    keys = [key(), key(HONEST + "#"), key(x=1), key(x=2.5), key(x=[1, {"y": "z"}])]
    assert len(set(keys)) == len(keys)
    assert key(folder="b") == keys[0]
    assert key(x=1, y=2) == key(y=2, x=1)


def test_wrong_reports_fail_the_cell_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(AttackError) as error:
        reports(permitted(BAD, "nothing", tmp_path))
    line = BAD[: BAD.index("def nothing")].count("\n") + 1
    assert str(error.value) == (
        "the reports of attack 'nothing' must be an array, uint8[5, 1], got NoneType "
        f"(mine.py, line {line})"
    )
    assert error.value.details == ""
