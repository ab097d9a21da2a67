"""Protocols and populations in Python: asked for by name, made where allowed, and checked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import results_of
from support.plugin_cases import attack_file, package

from ldptui.core import compile, theory
from ldptui.core.base.errors import FileError, ProtocolError, ScenarioError
from ldptui.core.experiment import Experiment
from ldptui.core.law.pure import SeedSearch
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.protocols import GRR, PythonProtocol, TableProtocol
from ldptui.core.scenario import Scenario
from ldptui.core.store import begin, cell_keys, open_store, resume

CODE = """
import itertools, math
import numpy as np
from ldptui.core import GRR, SUE

class Pairs:
    def __init__(self, items, epsilon, size=2):
        subsets = list(itertools.combinations(range(items), size))
        self.table = np.zeros((len(subsets), items), dtype=bool)
        for row, subset in enumerate(subsets):
            self.table[row, list(subset)] = True
        weights = np.where(self.table.T, math.exp(epsilon), 1.0)
        self.law = weights / weights.sum(axis=1, keepdims=True)

def direct(items, epsilon):
    return GRR(items, epsilon)

class bare:
    def __init__(self, items, epsilon):
        self.grr = GRR(items, epsilon)
        self.p, self.q = self.grr.p, self.grr.q
        self.perturb, self.support_counts = self.grr.perturb, self.grr.support_counts

def steps(items, width=2):
    return 1 + np.arange(items) // width
"""


@pytest.fixture
def file(tmp_path: Path) -> tuple[Path, Path]:
    """A file of code, and the mark that it leaves when it is run."""
    return attack_file(tmp_path, CODE)


def asks(name: str = "Pairs", **tables: Any) -> Experiment:
    """An experiment whose protocol has this name."""
    document = {
        "format": 1,
        "trials": 20,
        "population": {"kind": "zipf", "items": 6, "users": 400, "exponent": 1.0},
        "protocol": {"kind": "plugin", "name": name, "epsilon": 1.0},
        "attack": {"kind": "ria", "share": 0.1, "targets": {"items": [3, 4]}},
    }
    return compile(Scenario(document | tables))


def made(file: tuple[Path, Path], name: str = "Pairs", **tables: Any) -> Experiment:
    return permit_code(asks(name, **tables), CodePermission(files=(file[0],)))


MGA = {"kind": "mga", "share": 0.1, "targets": {"items": [3, 4]}}


def test_nothing_runs_before_it_is_allowed(file: tuple[Path, Path]) -> None:
    experiment = asks()
    (cell,) = experiment.cells
    assert isinstance(cell.protocol, PythonProtocol)
    assert cell.python_code == (("protocol", "Pairs"),)
    assert {*theory.expected_metrics(cell).values()} == {None}
    with pytest.raises(ScenarioError, match=r"protocol\.name needs the protocol 'Pairs', Pyth"):
        permit_code(experiment, CodePermission())
    with pytest.raises(ProtocolError, match="is somebody's code and not allowed"):
        cell.local.perturb(np.zeros(3, dtype=np.int64), np.random.default_rng(0))
    assert not file[1].exists()
    (ready,) = permit_code(experiment, CodePermission(files=(file[0],))).cells
    assert file[1].exists()
    assert isinstance(ready.protocol, TableProtocol)
    assert ready.parameters == cell.parameters


def test_tables_give_both_paths_and_closed_forms(tmp_path: Path) -> None:
    plain = tmp_path / "plain.py"
    plain.write_text(CODE, encoding="utf-8")  # without a path in it: streams go by the text
    experiment = made((plain, plain), attack=MGA, sweep={"protocol.options.size": [1, 3],
                                               "simulate.path": ["auto", "reports"]})  # fmt: skip
    assert [cell.path for cell in experiment.cells] == ["counts", "reports"] * 2
    assert not any(cell.python_code for cell in experiment.cells)
    grr = GRR(6, 1.0)
    first = experiment.cells[0]
    assert (first.pure.p, first.pure.q) == pytest.approx((grr.p, grr.q))
    direct = compile(Scenario({**experiment.scenario.document, "sweep": {},
                               "protocol": {"kind": "grr", "epsilon": 1.0}})).cells[0]  # fmt: skip
    known, told = (theory.expected_metrics(cell) for cell in (direct, first))
    assert [told[name] is None for name in told] == [known[name] is None for name in known]
    assert [value for value in told.values() if value is not None] == pytest.approx(
        [value for value in known.values() if value is not None]
    )
    law = theory.fake_support(direct)
    assert law is not None
    deviation = theory.gain_std(grr, law, 2, 400, direct.malicious, direct.target_frequency)
    for cell in experiment.cells[:2]:  # the counts path, and the reports path
        gains = cell.block(0, 20).metrics["gain"]
        assert told["gain"] is not None
        assert budget.mean(gains, told["gain"], deviation**2)
        assert not budget.mean(gains, told["gain"] + 2 * deviation, deviation**2)


def test_options_and_code_tell_cells_apart(file: tuple[Path, Path], tmp_path: Path) -> None:
    sweep = {"protocol.options.size": [1, 2]}
    first = made(file, sweep=sweep)
    (tmp_path / "other").mkdir()
    other = attack_file(
        tmp_path / "other", CODE.replace("math.exp(epsilon)", "math.exp(epsilon/2)")
    )
    second = made(other, sweep=sweep)
    keys = [*cell_keys(first.cells), *cell_keys(second.cells)]
    assert len({*keys}) == 4
    assert len({cell.genuine_address for cell in (*first.cells, *second.cells)}) == 4
    assert cell_keys(made(file, sweep=sweep).cells) == keys[:2]


def test_all_code_that_is_asked_for_is_named_at_once() -> None:
    population = {"kind": "plugin", "name": "steps", "items": 6, "users": 40}
    with pytest.raises(ScenarioError, match=r"; it needs the (protocol|population) '\w+' as well$"):
        permit_code(asks(population=population), CodePermission())


def test_rounds_and_defences_are_bound_to_it(file: tuple[Path, Path]) -> None:
    defence = [{"kind": "norm-sub"}]
    (cell,) = made(file, campaign={"rounds": 2}, defence=defence).cells
    assert all(isinstance(part.protocol, TableProtocol) for part in cell.rounds)
    assert cell.rounds[1].parameters == cell.parameters
    assert [part.users for part in (cell, *cell.rounds)] == [800, 400, 400]
    with pytest.raises(
        ScenarioError, match=r"attack.kind must not be \"apa\" against a protocol in"
    ):
        asks(attack={**MGA, "kind": "apa"})
    with pytest.raises(ScenarioError, match="goal must be left out with a protocol in Python"):
        asks(
            goal={"metric": "gain", "at_least": 0.1},
            attack={"kind": "mga", "targets": {"items": [3, 4]}},
        )
    with pytest.raises(ScenarioError, match=r"must be a pure protocol with task\.kind"):
        asks(task={"kind": "heavy-hitters", "k": 2, "bits": 3})


def test_without_tables_its_code_makes_the_reports(file: tuple[Path, Path]) -> None:
    (cell,) = made(file, "direct", attack=MGA).cells
    mine, grr = cell.local, GRR(6, 1.0)
    assert (cell.path, cell.python_code) == ("reports", (("protocol", "direct"),))
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    values = np.array([0, 3, 3, 5])
    assert (mine.perturb(values, rng) == grr.perturb(values, same)).all()
    aims = np.array([3, 4])
    crafted = mine.craft(aims, 9, SeedSearch(), rng)
    assert (crafted == grr.craft(aims, 9, SeedSearch(), same)).all()
    assert (mine.support_counts(crafted) == grr.support_counts(crafted)).all()
    counts = np.array([[10, 0, 5, 5, 0, 0]])
    assert (mine.estimates(counts, 20).frequencies == grr.estimates(counts, 20).frequencies).all()
    results = results_of(made(file, "bare"))
    assert not results.error
    assert {*theory.expected_metrics(cell).values()} == {None}


@pytest.mark.parametrize(
    ("name", "tables", "message"),
    [
        ("bare", {"attack": MGA}, "attack.kind must not be \"mga\" against protocol 'bare', which"),
        ("bare", {"simulate": {"path": "counts"}}, 'simulate.path must be "auto" or "reports"'),
        ("CODE", {}, "has none of that name"),
        ("steps", {}, r"protocol 'steps' must have law and table, or perturb .* got no perturb"),
        ("itertools", {}, "has none of that name"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    file: tuple[Path, Path], name: str, tables: Any, message: str
) -> None:
    with pytest.raises(ScenarioError, match=message):
        made(file, name, **tables)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('no')", "protocol 'Own' raised ValueError: no (mine.py, line 3)"),
        (
            "self.law, self.table = [[1]], 0",
            "the law of protocol 'Own' must be float64[6, reports]",
        ),
        ("pass", "protocol 'Own' must have law and table"),
    ],
)
def test_what_its_code_does_wrong_names_its_line(tmp_path: Path, body: str, message: str) -> None:
    file = attack_file(tmp_path, f"class Own:\n def __init__(self, items, epsilon):\n  {body}\n")
    with pytest.raises(ScenarioError) as error:
        made(file, "Own")
    assert message in str(error.value)
    assert "(mine.py, line " in str(error.value)


def test_an_installed_one_is_named_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    mark = package(tmp_path, "pairs_package", CODE, "protocol", pairs="pairs_package:Pairs")
    with pytest.raises(ScenarioError, match="--allow NAME that of an installed"):
        permit_code(asks("pairs"), CodePermission())
    assert not mark.exists()
    (cell,) = permit_code(asks("pairs"), CodePermission(names=("pairs",))).cells
    assert isinstance(cell.protocol, TableProtocol)


def test_a_population_is_drawn_by_its_weights(file: tuple[Path, Path]) -> None:
    table = {"kind": "plugin", "name": "steps", "items": 6, "users": 4000}
    experiment = asks(population=table, protocol={"kind": "grr", "epsilon": 1.0},
                      sweep={"population.options.width": [1, 3]})  # fmt: skip
    assert experiment.cells[0].population.histogram.tolist() == [667, 667, 667, 667, 666, 666]
    assert not file[1].exists()
    with pytest.raises(ScenarioError, match=r"population\.name needs the population 'steps'"):
        permit_code(experiment, CodePermission())
    ones, threes = permit_code(experiment, CodePermission(files=(file[0],))).cells
    for cell, weights in ((ones, [1, 2, 3, 4, 5, 6]), (threes, [1, 1, 1, 2, 2, 2])):
        law = np.array(weights) / sum(weights)
        assert cell.population.users == 4000
        assert budget.law(cell.population.histogram, law)
        assert not budget.law(cell.population.histogram, law[::-1])
    assert theory.expected_metrics(ones)["mse_clean"]


def test_a_kept_run_has_its_users_and_asks_for_its_protocol(
    file: tuple[Path, Path], tmp_path: Path
) -> None:
    table = {"kind": "plugin", "name": "steps", "items": 6, "users": 400}
    experiment = made(file, population=table)
    with open_store(tmp_path / "kept.db") as store:
        memory = begin(store, experiment, "test")
        memory.finish(results_of(experiment, memory=memory))
        (cell,) = store.experiment(memory.run).cells
        (known,) = experiment.cells
        assert cell.population.histogram.tolist() == known.population.histogram.tolist()
        assert cell.python_code == (("protocol", "Pairs"),)
        assert (cell.decided_path, known.decided_path) == (None, "counts")
        again = permit_code(store.experiment(memory.run), CodePermission(files=(file[0],)))
        assert cell_keys(again.cells) == cell_keys(experiment.cells)
        assert again.cells[0].path == "counts"
        file[0].write_text(CODE + "# changed")
        other = permit_code(store.experiment(memory.run), CodePermission(files=(file[0],)))
        with pytest.raises(FileError, match="code of protocol 'Pairs' is not that of its other"):
            resume(store, memory.run, experiment=other)


def test_weights_that_are_none_are_refused(tmp_path: Path) -> None:
    file = attack_file(tmp_path, "def steps(items):\n    return [1.0] * 3\n")
    table = {"kind": "plugin", "name": "steps", "items": 6, "users": 40}
    with pytest.raises(ScenarioError) as error:
        made(file, population=table, protocol={"kind": "grr", "epsilon": 1.0})
    rule = (
        "population.name population 'steps' must return finite weights of shape [6], got float64[3]"
    )
    assert f"{rule} (mine.py, line 1)" in str(error.value)
