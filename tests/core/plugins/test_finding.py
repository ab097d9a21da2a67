"""Code in files and installed packages, found without being run."""

import pickle
from pathlib import Path

import pytest
from support.cases import cell, experiment
from support.plugin_cases import asking, attack_file, package

from ldptui.core import plugins
from ldptui.core.base.errors import ScenarioError
from ldptui.core.experiment import Experiment
from ldptui.core.plugins import CodePermission, find_code, permit_code
from ldptui.core.running.runner import run
from ldptui.core.scenario import Scenario


def test_a_file_is_read_not_run(tmp_path: Path) -> None:
    path, mark = attack_file(tmp_path)
    source = find_code("honest", CodePermission(files=(path, path)))
    assert (source.name, source.place) == ("honest", path)
    whole = permit_code(
        experiment(attack=asking("honest"), trials=20), CodePermission(files=(path,))
    )
    again = pickle.loads(pickle.dumps(whole.cells[0]))
    assert not mark.exists()
    again.block(0, 1)
    assert mark.read_text() == "ran"


def test_entry_points_are_listed_and_found_without_importing(installed: Path) -> None:
    marks = [
        package(installed, "first_package", one="first_package:honest"),
        package(installed, "second_package", two="second_package.more:honest"),
    ]
    assert {"one", "two"} <= set(plugins.published_names())
    asks = experiment(attack=asking("two"), trials=20)
    with pytest.raises(ScenarioError) as error:
        permit_code(asks, CodePermission())
    assert "--allow NAME that of an installed package" in str(error.value)
    whole = permit_code(asks, CodePermission(names=("two",)))
    assert not any(mark.exists() for mark in marks)
    whole.cells[0].block(0, 1)
    assert [mark.exists() for mark in marks] == [False, True]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "honest",
            "test: attack.name needs the attack 'honest', Python code that is not",
        ),
        ("wanted", "test: attack.name must be the attack of an installed package (there are: "),
    ],
)
def test_what_is_not_allowed_is_refused_with_its_name(name: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        permit_code(experiment(attack=asking(name)), CodePermission(names=("wanted",)))
    assert str(error.value).startswith(message)
    assert str(error.value).isprintable()


def test_a_scenario_without_python_needs_no_permission() -> None:
    whole = experiment()
    assert permit_code(whole, CodePermission(files=(Path("/nowhere"),))) is whole


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"package; .*nowhere.py cannot be read: No such file"):
        find_code("honest", CodePermission(files=(tmp_path / "nowhere.py",)))
    other, _ = attack_file(tmp_path, "def other(): pass")
    with pytest.raises(ScenarioError, match=r"package; .*mine.py has none of that name"):
        find_code("honest", CodePermission(files=(other,)))


def test_a_name_must_mean_one_attack(tmp_path: Path) -> None:
    files = tuple(attack_file(tmp_path, name=name)[0] for name in ("a.py", "b.py"))
    with pytest.raises(ScenarioError, match=r"'honest' is in .*a.py and .*b.py"):
        find_code("honest", CodePermission(files=files))


def test_an_attack_that_was_not_permitted_does_not_run() -> None:
    one = cell(attack=asking("honest"), trials=20)
    *_, last = run(Experiment(Scenario({}), (one,)))
    (failure,) = last.results.failures
    assert failure.error == "attack 'honest' is somebody's code and not allowed"
