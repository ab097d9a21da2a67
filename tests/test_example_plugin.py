"""The package in examples/plugin: installed by pip, found by name, run where it is allowed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Captured, fail, succeed

from ldptui.commands import cli
from ldptui.terminal import exits

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "examples" / "plugin"


def done(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A Python of this environment that sees the packages in a folder besides."""
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=500,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "there"), str(ROOT)])},
    )  # fmt: skip


@pytest.mark.long
def test_the_example_installs_and_runs(tmp_path: Path) -> None:
    install = ("-m", "pip", "install", "--quiet", "--no-deps", "--target", "there", str(PLUGIN))
    assert done(tmp_path, *install).returncode == 0
    tests = done(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PLUGIN / "tests"))
    assert tests.returncode == 0, tests.stdout
    scenario = ("-m", "ldptui", "run", str(PLUGIN / "scenario.toml"), "--no-store", "--quiet")
    refused = done(tmp_path, *scenario)
    assert refused.returncode == 2
    assert "--allow NAME that of an installed package" in refused.stderr
    whose = (
        "attack=spread",
        "defence=floor",
        "protocol=pairs",
        "population=steps",
        "metric=kendall_tau",
    )
    ran = done(tmp_path, *scenario, *(f"--allow-{name}" for name in whose))
    assert ran.returncode == 0, ran.stderr
    assert "digest xxh3:" in ran.stdout
    checked = done(tmp_path, "-m", "ldptui", "check", "pairs", "--items", "5", "--epsilon", "1")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "Proved by enumeration" in checked.stdout
    assert checked.stdout.count("kept, in standard errors") == 7


PROTOCOL = ROOT / "tests" / "support" / "own_protocol.py"
"""One that has every method that is checked."""


def test_a_strangers_protocol_is_checked(tmp_path: Path, capsys: Captured) -> None:
    """Its ε by enumeration, and the contract that simulations rely on; a wrong one is told."""
    options = ("--items", "5", "--epsilon", "1", "--format", "json")
    found = json.loads(succeed(capsys, "check", f"{PROTOCOL}:Pairs", *options))
    assert found["verdict"] == "proved"
    assert abs(found["enumeration"]["epsilon"] - 1) < 1e-9
    assert [clause["holds"] for clause in found["contract"]] == [True] * 7
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        PROTOCOL.read_text("utf-8").replace("self.table[:, 1]", "self.table[:, 0] / 2")
    )
    assert cli.main(["check", f"{wrong}:Pairs", *options]) == exits.ALARM
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "proved"
    assert "and any other item with probability q" in [
        clause["promise"] for clause in found["contract"] if not clause["holds"]
    ]
    text = PROTOCOL.read_text("utf-8")
    wrong.write_text(text.replace("return self.table[reports]", "return self.tables[reports]"))
    told = fail(capsys, 1, "check", f"{wrong}:Pairs", *options)
    assert "the contract cannot be tested: AttributeError: 'Pairs' object has no" in told
    wrong.write_text(text.replace("def sample_counts", "def sampled_counts"))
    found = json.loads(succeed(capsys, "check", f"{wrong}:Pairs", *options))
    assert found["contract"] is None


@pytest.mark.usefixtures("threads")
def test_the_example_runs_from_its_files(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The protocol is checked, and collects from the population."""
    code = PLUGIN / "src" / "ldptui_example"
    found = json.loads(succeed(capsys, "check", f"{code / 'protocol.py'}:pairs", "--items", "5",
                               "--epsilon", "1", "--format", "json"))  # fmt: skip
    assert found["verdict"] == "proved"
    assert [clause["holds"] for clause in found["contract"]] == [True] * 7
    whole = (PLUGIN / "scenario.toml").read_text("utf-8")
    head, metric = whole.partition("[attack]")[0], whole.partition("[[metric]]")[2]
    (tmp_path / "mine.toml").write_text(f"{head}[[metric]]{metric.partition('[')[0]}", "utf-8")
    files = [f"--{name}-file={code / name}.py" for name in ("protocol", "population", "metric")]
    monkeypatch.chdir(tmp_path)
    printed = succeed(capsys, "run", "mine.toml", *files, "--no-store", "--trials", "2")
    assert "pairs, ε = 1" in printed
    assert "steps, d = 32 items, n = 2000 users" in printed
    assert re.search(r"^kendall tau +0\.\d+ ± ", printed, re.MULTILINE)
