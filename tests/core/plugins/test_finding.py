"""Code in files and installed packages, found without being run."""

import pickle
from pathlib import Path

import pytest
from support.cases import cell, experiment, results_of
from support.plugin_cases import asking, attack_file, package

from ldptui.core import plugins
from ldptui.core.base.errors import ScenarioError
from ldptui.core.experiment import Experiment
from ldptui.core.plugins import Allowed, asked, find, permit
from ldptui.core.running.runner import run
from ldptui.core.scenario import Scenario


def test_a_file_is_read_not_run(tmp_path: Path) -> None:
    path, mark = attack_file(tmp_path)
    source = find("honest", Allowed(files=(path, path)))
    assert (source.name, source.place) == ("honest", path)
    whole = permit(experiment(attack=asking("honest"), trials=20), Allowed(files=(path,)))
    again = pickle.loads(pickle.dumps(whole.cells[0]))
    assert not mark.exists()
    again.block(0, 1)
    assert mark.read_text() == "ran"


def test_entry_points_are_listed_and_found_without_importing(installed: Path) -> None:
    marks = [
        package(installed, "first_package", one="first_package:honest"),
        package(installed, "second_package", two="second_package.more:honest"),
    ]
    assert {"one", "two"} <= set(plugins.available())
    asks = experiment(attack=asking("two"), trials=20)
    with pytest.raises(ScenarioError) as error:
        permit(asks, Allowed())
    assert "--allow two lets it run" in str(error.value)
    whole = permit(asks, Allowed(names=("two",)))
    assert not any(mark.exists() for mark in marks)
    whole.cells[0].block(0, 1)
    assert [mark.exists() for mark in marks] == [False, True]


DEFENCES = """
import numpy as np

def least(frequencies, known, *, floor=0.0):
    return np.maximum(frequencies, floor)

class Few:
    def sift(self, received):
        return received.protocol.supports(received.reports).sum(axis=1) <= 2

few = Few()
"""


def test_a_package_publishes_defences_apart_from_attacks(installed: Path) -> None:
    places = {"least": "guards:least", "few": "guards.more:few"}
    mark = package(installed, "guards", DEFENCES, "defence", **places)
    package(installed, "fakes", least="fakes:honest")
    assert set(places) <= set(plugins.available("defence"))
    assert "few" not in plugins.available()
    steps = [
        {"kind": "plugin-filter", "name": "few"},
        {"kind": "plugin", "name": "least", "options": {"floor": 0.01}},
    ]
    asks = experiment(attack=asking("least"), defence=steps, trials=2)
    with pytest.raises(ScenarioError, match=r"defence 'few', .*: --allow few lets it"):
        permit(asks, Allowed(names=("least",)))
    whole = permit(asks, Allowed(names=("few", "least")))
    assert not mark.exists()
    (measured,) = results_of(whole).cells
    assert mark.exists()
    assert measured.metrics["reports_kept"].max() < whole.cells[0].users
    assert measured.metrics["target_frequency_after"].min() >= 0.01 * whole.cells[0].targets.size


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "honest",
            "test: attack.name asks for the attack 'honest', somebody's Python code, which is not",
        ),
        ("wanted", "test: attack.name must be an attack of an installed package (there are: "),
    ],
)
def test_what_is_not_allowed_is_refused_with_its_name(name: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        permit(experiment(attack=asking(name)), Allowed(names=("wanted",)))
    assert str(error.value).startswith(message)
    assert str(error.value).isprintable()


def test_a_scenario_without_python_needs_no_permission() -> None:
    whole = experiment()
    assert asked(whole) == ()
    assert permit(whole, Allowed(files=(Path("/nowhere"),))) is whole


def test_files_that_are_none(tmp_path: Path) -> None:
    path, _ = attack_file(tmp_path, "def broken(:\n    pass\n")
    with pytest.raises(ScenarioError, match=r"mine.py:1: is not Python: invalid syntax"):
        find("honest", Allowed(files=(path,)))
    with pytest.raises(ScenarioError, match=r"run; .*nowhere.py cannot be read: No such file"):
        find("honest", Allowed(files=(tmp_path / "nowhere.py",)))
    path.write_bytes(b"x = 1\0")
    with pytest.raises(ScenarioError, match=r"mine.py.*is not Python"):
        find("honest", Allowed(files=(path,)))
    other, _ = attack_file(tmp_path, "def other(): pass")
    with pytest.raises(ScenarioError, match=r"run; .*mine.py has none of that name"):
        find("honest", Allowed(files=(other,)))


def test_a_name_must_mean_one_attack(tmp_path: Path) -> None:
    files = tuple(attack_file(tmp_path, name=name)[0] for name in ("a.py", "b.py"))
    with pytest.raises(ScenarioError, match=r"'honest' is in .*a.py and .*b.py"):
        find("honest", Allowed(files=files))


def test_an_attack_that_was_not_permitted_does_not_run() -> None:
    one = cell(attack=asking("honest"), trials=20)
    *_, last = run(Experiment(Scenario({}), (one,)))
    (failure,) = last.results.failures
    assert failure.error == "attack 'honest' is somebody's code and not allowed"
