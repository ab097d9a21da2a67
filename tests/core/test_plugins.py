"""Attacks and defences in Python: found without being run, run where allowed, and checked."""

import dataclasses
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import CASES, bind, cell, experiment, results_of
from support.plugin_cases import HONEST, asking, attack_file, package
from support.report_laws import Case

from core import plugins, theory
from core.attacks import ListedTargets, PythonAttack, RandomItem, View
from core.cell import Cell
from core.errors import AttackError, ScenarioError
from core.experiment import Experiment
from core.plugins import Allowed, Plugin, asked, find, permit
from core.protocols import RapporSpec
from core.pure import LocalMechanism, Rng
from core.running.runner import run
from core.scenario import Scenario, parse, schema, sweepable_keys
from core.store import cell_keys
from scenarios.one_by_one import chosen, one_by_one

TARGETS = np.array([1, 3])


def permitted(source: str, name: str, folder: Path, **options: Any) -> Cell:
    """A cell whose attack is in a file of this source."""
    path, _ = attack_file(folder, source)
    asks = experiment(attack=asking(name, options), trials=20)
    return permit(asks, Allowed(files=(path,))).cells[0]


def reports(one: Cell, count: int = 5, rng: Rng | None = None) -> Any:
    assert one.attack is not None
    rng = rng or np.random.default_rng(0)
    return one.attack.reports(one.protocol, View(TARGETS), count, rng)


# Asking.


def test_a_scenario_asks_by_name_and_runs_on_the_reports_path(tmp_path: Path) -> None:
    one = cell(attack=asking("honest", {"b": [1, {"y": 2, "x": 3}], "a": True}), trials=20)
    assert isinstance(one.attack, PythonAttack)
    assert one.attack.options == {"a": True, "b": [1, {"x": 3, "y": 2}]}
    assert repr(one.attack.options) == "{'a': True, 'b': [1, {'x': 3, 'y': 2}]}"
    assert one.path == "reports"
    assert (one.malicious, one.targets.tolist()) == (1111, [1, 3])
    assert one.parameters["attack.options.a"] is True
    assert one.parameters["attack.options.b"] == [1, {"y": 2, "x": 3}]


@pytest.mark.parametrize(
    ("attack", "top", "message"),
    [
        ({}, {"simulate": {"path": "counts"}}, 'simulate.path must be "auto" or "reports"'),
        ({"options": [1]}, {}, "attack.options must be a table, got [1]"),
        ({"seeds": 3}, {}, "attack.seeds is not a known key"),
    ],
)
def test_what_it_asks_is_checked(attack: Any, top: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        experiment(attack={**asking("honest"), **attack}, **top)
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "right\u202eto left"])
def test_a_name_can_be_shown(name: str) -> None:
    with pytest.raises(ScenarioError, match=r"attack.name must be the name of an attack") as error:
        experiment(attack=asking(name))
    assert str(error.value).isprintable()


def test_a_name_is_text() -> None:
    with pytest.raises(ScenarioError, match=r"attack.name must be text, got 3"):
        experiment(attack={**asking("x"), "name": 3})


def test_options_can_be_swept() -> None:
    whole = experiment(
        attack=asking("honest", {"strength": 0}),
        sweep={"attack.options.strength": [1, 2], "attack.kind": ["mga", "plugin"]},
    )
    assert [cell.parameters.get("attack.options.strength") for cell in whole.cells] == [
        None, 1, None, 2,
    ]  # fmt: skip
    assert [cell.path for cell in whole.cells] == ["counts", "reports"] * 2
    axis = {"from": 0.0, "to": 1.0, "points": 3}
    spaced = experiment(attack=asking("honest"), sweep={"attack.options.deep.x": axis})
    values = [cell.parameters["attack.options.deep.x"] for cell in spaced.cells]
    assert values == [0.0, 0.5, 1.0]
    assert "attack.options" not in sweepable_keys()
    with pytest.raises(ScenarioError, match="is not a key that can be swept"):
        experiment(attack=asking("honest"), sweep={"attack.options": [{}]})
    names = schema()["properties"]["sweep"]["propertyNames"]["anyOf"]
    assert "attack.name" in names[0]["enum"]
    assert {"pattern": r"^attack\.options\."} in names


def test_nothing_of_it_has_a_closed_form() -> None:
    expected = theory.expected_metrics(cell(attack=asking("honest")))
    known = {name for name, value in expected.items() if value is not None}
    assert known == {"mse_clean", "target_frequency_clean"}


# Finding, which runs nothing.


def test_a_file_is_read_not_run(tmp_path: Path) -> None:
    path, mark = attack_file(tmp_path)
    source = find("honest", Allowed(files=(path, path)))
    assert (source.name, source.place) == ("honest", path)
    whole = permit(experiment(attack=asking("honest"), trials=20), Allowed(files=(path,)))
    again = pickle.loads(pickle.dumps(whole.cells[0]))
    assert not mark.exists()
    again.block(0, 1)
    assert mark.read_text() == "ran"


@pytest.mark.parametrize(
    "source",
    ["def x(): pass", "class x: pass", "x = 3", "x: int = 3", "y = x = print"],
)
def test_names_at_the_top_level_of_a_file(source: str, tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    assert "x" in plugins.names_in(source.encode(), path)
    nested = f"def other():\n    {source}"
    assert plugins.names_in(nested.encode(), path) == {"other": 1}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr("core.plugins.loading._imported", {})
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_entry_points_are_listed_and_found_without_importing(installed: Path) -> None:
    marks = [
        package(installed, "first_package", one="first_package:honest"),
        package(installed, "second_package", two="second_package.more:honest"),
    ]
    assert {"one", "two"} <= set(plugins.available())
    asks = experiment(attack=asking("two"), trials=20)
    with pytest.raises(ScenarioError) as error:
        permit(asks, Allowed())
    assert "--allow-attack two lets it run" in str(error.value)
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
    with pytest.raises(ScenarioError, match=r"defence 'few', .*: --allow-defence few lets it"):
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


# Running.

CLASSES = """
from __future__ import annotations
from dataclasses import dataclass, field

@dataclass(frozen=True)
class Fixed:
    item: int = 0
    def reports(self, protocol, view, count, rng):
        import numpy as np
        return protocol.perturb(np.full(count, self.item), rng)

ready = Fixed(2)

class Plain:
    def __init__(self, item=0): self.item = item
    reports = Fixed.reports

class Instance:
    reports = staticmethod(lambda protocol, view, count, rng: protocol.random_reports(count, rng))
instance = Instance()

def function(protocol, view, count, rng, *, item=0):
    return Fixed(item).reports(protocol, view, count, rng)

number = 3
"""


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Fixed", {"item": 4}), ("ready", {"item": 4}), ("Plain", {"item": 4}),
        ("function", {"item": 4}),
    ],
)  # fmt: skip
def test_functions_classes_and_instances_take_options(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    one = permitted(CLASSES, name, tmp_path, **options)
    made = reports(one, count=4)
    expected = one.protocol.perturb(np.full(4, 4), np.random.default_rng(0))
    assert made.tobytes() == expected.tobytes()
    unset = reports(permitted(CLASSES, name, tmp_path), count=4)
    assert unset.tobytes() != expected.tobytes()


def test_an_instance_of_any_class(tmp_path: Path) -> None:
    assert reports(permitted(CLASSES, "instance", tmp_path)).shape == (5, 1)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("number", {}, "attack 'number' must be a function or have a method reports, got int"),
        ("instance", {"x": 1}, "attack 'instance' must be a function or a dataclass to have optio"),
        ("Fixed", {"itm": 1}, "attack 'Fixed' raised TypeError: Fixed.__init__() got an unexpect"),
        ("function", {"itm": 1}, "attack 'function' raised TypeError: function() got an unexpec"),
        ("ready", {"itm": 1}, "attack 'ready' raised TypeError: Fixed.__init__() got an unexpect"),
    ],
)
def test_what_is_no_attack(
    name: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(AttackError) as error:
        reports(permitted(CLASSES, name, tmp_path, **options))
    assert str(error.value).startswith(message)


def test_the_same_numbers_wherever_it_runs(tmp_path: Path) -> None:
    """Its draws come from the addressed streams, whoever computes them and in what order."""
    path, mark = attack_file(tmp_path)
    allowed = Allowed(files=(path,))
    whole = experiment(attack=asking("honest"), trials=25, sweep={"protocol.epsilon": [1.0, 2.0]})
    digests = set()
    for workers in (1, 2):
        mark.unlink(missing_ok=True)
        *_, last = run(permit(whole, allowed), workers)
        assert last.results.complete
        assert mark.exists()
        digests.add(last.results.digest)
    moved, _ = attack_file(tmp_path, "# cosmetic\n" + HONEST, "moved.py")
    *_, last = run(permit(whole, Allowed(files=(moved,))))
    assert digests == {last.results.digest}


@pytest.mark.parametrize("wrong", [False, True], ids=["right", "mutant"])
def test_a_rewritten_attack_has_the_law_of_the_built_in_one(
    wrong: bool, tmp_path: Path, rng: Rng
) -> None:
    """RIA in Python; the mutant holds the first target only half as often as the second."""
    chance = "rng.random(count) < 1 / 3" if wrong else "rng.integers(0, 2, count) == 0"
    source = f"""
    import numpy as np
    def ria(protocol, view, count, rng):
        return protocol.perturb(np.where({chance}, *view.targets), rng)
    """
    one = permitted(source, "ria", tmp_path)
    counts = one.protocol.support_counts(reports(one, 20_000, rng))
    law = RandomItem(0.1, ListedTargets((1, 3))).support(one.pure, 2)
    # The same proportion for both targets; the mutant's first one is below it.
    assert bool(budget.proportion(counts[TARGETS], 20_000, law.target)) is not wrong


# Faults in it.

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
    asks, allowed = experiment(attack=asking("live"), trials=20), Allowed(names=("live",))
    assert len(reports(permit(asks, allowed).cells[0])) == 5
    with (installed / "some_package" / "more.py").open("a") as file:
        file.write("# another line\n")
    with pytest.raises(AttackError, match="changed while ldptui ran"):
        reports(permit(asks, allowed).cells[0])


def test_the_store_tells_code_apart(tmp_path: Path) -> None:
    """The code and its options count, not the place where it lies."""

    def key(source: str = HONEST, folder: str = "a", **options: Any) -> str:
        (tmp_path / folder).mkdir(exist_ok=True)
        path = tmp_path / folder / "mine.py"
        path.write_text(source)
        asks = experiment(attack=asking("honest", options), trials=20)
        return cell_keys(permit(asks, Allowed(files=(path,))).cells)[0]

    keys = [key(), key(HONEST + "#"), key(x=1), key(x=2.5), key(x=[1, {"y": "z"}])]
    assert len(set(keys)) == len(keys)
    assert key(folder="b") == keys[0]
    assert key(x=1, y=2) == key(y=2, x=1)


# Its results.

FORMS = [*CASES, "rappor"]


def protocol_of(form: Case | str) -> LocalMechanism:
    if isinstance(form, Case):
        return bind(form)
    return RapporSpec("rappor", f=0.5, bits=12, cohorts=4).bind(5)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_report_that_a_protocol_makes_is_received(form: Case | str, rng: Rng) -> None:
    from core.pure import SeedSearch

    protocol = protocol_of(form)
    for made in (
        protocol.perturb(np.arange(5), rng),
        protocol.random_reports(5, rng),
        protocol.craft(TARGETS, 5, SeedSearch(3), rng),
    ):
        received = protocol.received(made, 5)
        assert protocol.support_counts(received).tolist() == protocol.support_counts(made).tolist()
        assert len(protocol.received(made[:0], 0)) == 0


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda made: None,
        lambda made: made.tolist(),
        lambda made: made[:-1],
        lambda made: np.concatenate([made, made]),
        lambda made: made[None],
        lambda made: made.astype(object),
        lambda made: np.zeros(made.shape),
        lambda made: np.zeros(made.shape, dtype=bool),
    ],
)
def test_other_shapes_and_types_are_refused(
    form: Case | str, spoil: Callable[[Any], Any], rng: Rng
) -> None:
    protocol = protocol_of(form)
    with pytest.raises(ValueError, match=r"^must be .*\[5.*\], got "):
        protocol.received(spoil(protocol.random_reports(5, rng)), 5)


def with_field(made: Any, name: str, value: int) -> Any:
    made[name][2] = value
    return made


@pytest.mark.parametrize(
    ("kind", "spoil", "message"),
    [
        ("grr", lambda made: made + 5, r"must be items in \[0, 5\), got "),
        ("grr", lambda made: made - 5, r"must be items in \[0, 5\), got -"),
        ("oue", lambda made: made | 1, "must have 5 bits each, got ones after the last bit"),
        ("olh", lambda made: with_field(made, "value", 9), r"values in \[0, 3\), got 9"),
        ("rappor", lambda made: with_field(made, "cohort", 4), r"cohorts in \[0, 4\), got 4"),
        ("rappor", lambda made: with_field(made, "bits", 255), "must have 12 bits each"),
    ],
)
def test_what_is_out_of_range_is_refused(
    kind: str, spoil: Callable[[Any], Any], message: str, rng: Rng
) -> None:
    form = next((case for case in CASES if case.kind == kind), kind)
    protocol = protocol_of(form)
    with pytest.raises(ValueError, match=message):
        protocol.received(spoil(protocol.random_reports(5, rng)), 5)


def test_items_of_any_integer_type_are_received() -> None:
    protocol = protocol_of(Case("grr", 5, 1.0))
    made = protocol.received(np.array([4, 0], dtype=np.uint8), 2)
    assert (made.dtype, made.tolist()) == (np.int64, [4, 0])
    with pytest.raises(ValueError, match="must be items in"):
        protocol.received(np.array([2**63 + 1, 0], dtype=np.uint64), 2)


def test_wrong_reports_fail_the_cell_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(AttackError) as error:
        reports(permitted(BAD, "nothing", tmp_path))
    line = plugins.names_in(BAD.encode(), tmp_path)["nothing"]
    assert str(error.value) == (
        "the reports of attack 'nothing' must be an array, uint8[5, 1], got NoneType "
        f"(mine.py, line {line})"
    )
    assert error.value.details == ""


def test_a_plugin_is_its_attack_and_where_the_code_is(tmp_path: Path) -> None:
    attack = permitted(HONEST, "honest", tmp_path).attack
    assert isinstance(attack, Plugin)
    names = [field.name for field in dataclasses.fields(PythonAttack)]
    assert [field.name for field in dataclasses.fields(Plugin)] == [*names, "source"]
    assert attack.source.digest not in repr(attack)


def test_a_table_that_names_an_attack_is_toml() -> None:
    text = """\
    format = 1
    population = { kind = "counts", counts = [1, 2] }
    protocol = { kind = "grr", epsilon = 1.0 }
    [attack]
    kind = "plugin"
    name = "x"
    share = 0.1
    targets = { items = [0] }
    [attack.options]
    rate = 0.5
    """
    (point,) = parse(text).points()
    assert isinstance(point.attack, PythonAttack)
    assert point.attack.options == {"rate": 0.5}


# Rounds, and the example.

SPY = """
def spy(protocol, view, count, rng):
    seen = view.published
    with open(LOG, "a") as log:
        print(view.round, view.rounds, seen is None or (len(seen), seen.flags.writeable), file=log)
    return protocol.random_reports(count, rng)
"""


def test_in_a_campaign_it_sees_what_was_published_last(tmp_path: Path) -> None:
    log = tmp_path / "log"
    path, _ = attack_file(tmp_path, f"LOG = {str(log)!r}\n{SPY}")
    asks = experiment(attack=asking("spy"), trials=1, campaign={"rounds": 3})
    whole = permit(asks, Allowed(files=(path,)))
    assert asked(whole) == ("spy",)
    (source,) = plugins.sources(whole, Allowed(files=(path,)))
    assert source.place == path
    whole.cells[0].block(0, 1)
    assert log.read_text().splitlines() == ["0 3 True", "1 3 (5, False)", "2 3 (5, False)"]


@pytest.mark.parametrize(
    ("published", "top_k", "wanted"),
    [
        (None, 2, 0),
        ([0.5, 0.1, 0.2, 0.0, 0.2], 2, 1),  # items 0 and 2 are in the top, 1 and 3 are outside
        ([0.5, 0.0, 0.2, 0.1, 0.2], 2, 3),
        ([0.5, 0.4, 0.2, 0.1, 0.2], 2, 3),
        ([0.1, 0.5, 0.2, 0.3, 0.2], 2, 3),  # both are inside: the one that is nearest to falling
    ],
)
def test_the_example_promotes_the_target_that_needs_least(
    published: list[float] | None, top_k: int, wanted: int
) -> None:
    estimate = None if published is None else np.array(published)
    view = View(TARGETS, 1, 2, estimate, top_k)
    item = TARGETS[chosen(view)] if published is not None else chosen(view)
    assert item == wanted


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_the_example_runs_against_every_protocol(form: Case | str, rng: Rng) -> None:
    protocol = protocol_of(form)
    view = View(TARGETS, 1, 2, np.array([0.5, 0.1, 0.2, 0.0, 0.2]), 2)
    made = protocol.received(one_by_one(protocol, view, 50, rng, seeds=20), 50)
    if isinstance(form, Case):
        assert bind(form).supports(made)[:, 1].all()
