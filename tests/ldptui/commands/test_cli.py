"""The command: outputs, exit codes, errors of one line, Ctrl-C, files written whole."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import math
import os
import pty
import select
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from support.commands import TINY, Captured, fail, succeed
from support.kinds import CAO_ATTACKS

import ldptui
from core.arms import UNDEFENDED
from core.errors import FileError, RunError
from core.experiment import compile
from core.kernels.loops import LOOPS
from core.metrics import metrics_of
from core.protocols import CENTRAL, KINDS, NAMED, PROTOCOLS
from core.running.runner import Progress, run
from core.scenario import parse
from ldptui import __main__ as program
from ldptui import exits
from ldptui.catalogue import key_words
from ldptui.commands import cli, progress, theory_options
from ldptui.commands.runs import keeping
from ldptui.terminal.output import write_out
from ldptui.text import table


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return str(path)


# Start and help.


@pytest.mark.parametrize("name", ["pthread_sigmask", "SIGHUP"])
def test_a_platform_without_the_signals_is_refused(
    name: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(signal, name)
    assert program.main() == exits.USAGE
    said = f"ldptui: {sys.platform} has no {name}, which stops a run; ldptui runs on Linux and"
    assert said in capsys.readouterr().err


def test_a_run_that_cannot_start_does_not_hang(
    tiny: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.delattr(signal, "pthread_sigmask")
    assert cli.main(["run", tiny]) == exits.BUG
    assert "pthread_sigmask" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", ""), "SCENARIO must be a file or a bundled scenario, it is empty"),
        (("run", "quickstart", "--set", ""), "--set must be KEY=VALUE, it is empty"),
        (("run", "quickstart", "--set", "attack.share="), "a number in [0, 1), it is empty"),
        (("run", "quickstart", "--out", ""), "--out must be a file, it is empty"),
        (("run", "quickstart", "--workers", "5000"), "--workers must be in [1, 1000], got 5000"),
        (
            ("run", "quickstart", "--set", "attack.targets.pick=random"),
            "attack.targets.pick must be left out: targets are picked, or listed as items",
        ),
        (
            ("run", "quickstart", "--trials", "100000"),
            "at most 1 000 000, got 100 000 × 21 (--no-limits lifts this)",
        ),
        (("theory", "oue", "--items", "8", "--epsilon=-1"), "must be in (0, 20], got -1"),
        (("runn", "quickstart"), "did you mean the command run?"),
        (("--store", "x", "run", "quickstart"), "run is a command: it comes before its options"),
    ],
)
def test_a_message_helps_to_mend_the_fault(
    capsys: Captured, arguments: tuple[str, ...], told: str
) -> None:
    assert told in fail(capsys, 2, *arguments)


def test_a_name_that_is_too_long_is_no_bug(capsys: Captured) -> None:
    assert fail(capsys, 3, "run", "x" * 5000).endswith("… cannot be read: File name too long")


def test_a_key_of_set_may_have_quotes(capsys: Captured, tiny: str) -> None:
    text = succeed(capsys, "run", tiny, "--format", "json", "--set", '"attack.share"=0.2')
    assert json.loads(text)["cells"][0]["parameters"]["attack.share"] == 0.2


def test_a_scenario_may_begin_with_a_byte_order_mark(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "bom.toml"
    path.write_text(TINY, encoding="utf-8-sig")
    assert succeed(capsys, "scenarios", "check", str(path)) == f"{path}: valid: 1 cell, 4 trials\n"


def test_version_and_help(capsys: Captured) -> None:
    version = f"ldptui {ldptui.__version__}\n"
    assert succeed(capsys, "--version") == version
    verbose = succeed(capsys, "--version", "--verbose")
    assert verbose.startswith(version)
    assert f"\nloops that count reports: {LOOPS.words}\n" in verbose
    assert "--verbose goes with --version" in fail(capsys, 2, "--verbose")
    text = succeed(capsys, "--help")
    for word in ("run SCENARIO", "theory PROTOCOL", "scenarios", "schema", "--charset", "130"):
        assert word in text
    for command in ("run", "theory", "scenarios", "schema"):
        assert f"usage: ldptui {command}" in succeed(capsys, command, "--help")
    for command in ("theory", "check"):
        words = " ".join(succeed(capsys, command, "--help").split())
        assert key_words("protocol.subset_size").first in words


@pytest.mark.parametrize(
    "arguments",
    [
        ("--nonsense",),
        ("run",),
        ("run", "quickstart", "--format", "xml"),
        ("run", "quickstart", "--trials", "many"),
        ("run", "quickstart", "--trials", "0"),
        ("run", "quickstart", "--seed", "-1"),
        ("run", "quickstart", "--workers", "0"),
        ("run", "quickstart", "--set", "attack.share"),
        ("run", "quickstart", "--set", "=1"),
        ("run", "quickstart", "--set", "attack.share=2"),
        ("run", "quickstart", "--set", "attack.shar=0.1"),
        ("run", "quickstart", "--set", "population.items=99999999"),
        ("theory",),
        ("theory", "shuffle", "--epsilon", "1", "--items", "8"),
        *[("theory", kind, "--epsilon", "1", "--items", "8") for kind in NAMED.keys() - KINDS],
        *[("check", kind, "--epsilon", "1", "--items", "8") for kind in NAMED.keys() - KINDS],
        ("theory", "rappor", "--epsilon", "3", "--items", "8"),
        ("theory", "oue", "--items", "8"),
        ("theory", "oue", "--epsilon", "0", "--items", "8"),
        ("theory", "oue", "--epsilon", "nan", "--items", "8"),
        ("theory", "oue", "--epsilon", "1", "--items", "1"),
        ("theory", "oue", "--epsilon", "1", "--items", "8", "--targets", "9"),
        ("theory", "oue", "--epsilon", "1", "--items", "8", "--share", "1"),
        ("theory", "oue", "--epsilon", "1", "--items", "8", "--target-frequency", "1.1"),
        ("theory", "oue", "--epsilon", "1", "--items", "8", "--hash-range", "3"),
        ("theory", "olh", "--epsilon", "1", "--items", "8", "--hash-range", "1"),
        ("theory", "olh", "--epsilon", "1", "--items", "8", "--hash-range", "some"),
        ("theory", "olh", "--epsilon", "20", "--items", "8"),
        ("scenarios", "show", "nonsense"),
        ("scenarios", "fly"),
        ("schema", "more"),
        ("--theme", "x", "run"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(
    capsys: Captured, arguments: tuple[str, ...]
) -> None:
    assert fail(capsys, 2, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "no-such-scenario"),
        ("run", "no/such/file.toml"),
        ("run", "."),
        ("scenarios", "check", "no-such-file.toml"),
        ("run", "quickstart", "--trials", "1", "--out", "."),
        ("run", "survey", "--set", "population.path=/no/such.csv"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line_and_exit_code_3(
    capsys: Captured, arguments: tuple[str, ...]
) -> None:
    assert fail(capsys, 3, *arguments)


def test_a_misspelt_name_is_refused_with_the_nearest(capsys: Captured) -> None:
    assert "did you mean quickstart?" in fail(capsys, 3, "run", "quickstrat")
    assert "did you mean survey?" in fail(capsys, 2, "scenarios", "show", "surve")


def test_the_example_of_the_contract(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(TINY.replace("share = 0.1", "share = 1.5"), encoding="utf-8")
    for arguments in (("run", str(path)), ("scenarios", "check", str(path))):
        line = fail(capsys, 2, *arguments)
        assert line == f"{path}: attack.share must be in [0, 1), got 1.5"


def test_a_failed_run_is_exit_code_1(
    capsys: Captured, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RunError("a worker process died")

    monkeypatch.setattr(keeping, "measure", broken)
    assert fail(capsys, 1, "run", tiny) == "a worker process died"

    def starved(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(keeping, "measure", starved)
    assert "memory" in fail(capsys, 1, "run", tiny)


def test_a_bug_is_one_line_with_a_report_and_exit_code_70(
    capsys: Captured, tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(keeping, "measure", broken)
    monkeypatch.setattr("ldptui.terminal.crash.state_dir", lambda: tmp_path / "state")
    line = fail(capsys, 70, "run", tiny)
    assert line.startswith("ldptui: bug: ZeroDivisionError: two lines; ")
    (report,) = (tmp_path / "state").iterdir()
    assert str(report) in line
    text = report.read_text(encoding="utf-8")
    assert "Traceback" in text
    assert ldptui.__version__ in text
    assert tiny in text


def test_a_bug_is_printed_where_no_report_can_be_written(
    capsys: Captured, tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("x")

    (tmp_path / "file").touch()
    monkeypatch.setattr(keeping, "measure", broken)
    monkeypatch.setattr("ldptui.terminal.crash.state_dir", lambda: tmp_path / "file" / "state")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "file" / "tmp"))
    assert fail(capsys, 70, "run", tiny) == "ldptui: bug: ZeroDivisionError: x"


# run


def test_json(capsys: Captured, tiny: str) -> None:
    document = json.loads(succeed(capsys, "run", tiny, "--format", "json"))
    assert document["status"] == "done"
    assert document["ldptui"] == ldptui.__version__
    assert document["scenario"]["title"] == "Tiny"
    (cell,) = document["cells"]
    assert cell["trials"] == 4
    assert "frequencies" not in cell
    with_more = succeed(capsys, "run", tiny, "--format", "json", "--frequencies")
    assert len(json.loads(with_more)["cells"][0]["frequencies"]["attacked"]) == 8


def test_csv(capsys: Captured, tiny: str) -> None:
    text = succeed(capsys, "run", tiny, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["trial"] for row in rows] == ["0", "1", "2", "3"]
    assert set(metrics_of(UNDEFENDED)) < set(rows[0])


def test_options_change_the_scenario(capsys: Captured, tiny: str) -> None:
    text = succeed(
        capsys,
        *("run", tiny, "--format", "json", "--trials", "2", "--seed", "7", "--path", "reports"),
        *("--set", "protocol.kind=olh", "--set", "protocol.hash_range=5"),
        *("--set", "attack.targets.items=[3]"),
        *("--set", "title=A name"),
    )
    document = json.loads(text)
    (cell,) = document["cells"]
    assert cell["parameters"]["trials"] == 2
    assert cell["parameters"]["seed"] == 7
    assert cell["path"] == "reports"
    assert cell["hash_range"] == 5
    assert cell["parameters"]["attack.targets.items"] == [3]
    assert document["scenario"]["title"] == "A name"


def test_setting_a_swept_key_replaces_its_sweep(capsys: Captured) -> None:
    arguments = ("run", "quickstart", "--format", "json", "--trials", "1")
    text = succeed(capsys, *arguments, "--set", "attack.share=0.1")
    (cell,) = json.loads(text)["cells"]
    assert cell["parameters"]["attack.share"] == 0.1
    text = succeed(capsys, *arguments, "--set", "sweep.attack.share=[0.1, 0.2]")
    assert [cell["parameters"]["attack.share"] for cell in json.loads(text)["cells"]] == [0.1, 0.2]


def test_answers_that_took_a_search_are_known_the_next_time(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = ("--set", "goal.metric=targets_in_top_k", "--set", "goal.at_least=5", "--trials", "1",
            "--set", "population.users=2000", "--store", str(tmp_path / "runs"))  # fmt: skip
    first = succeed(capsys, "run", "quickstart", *goal, "--no-store")
    assert succeed(capsys, "run", "quickstart", *goal) == first
    monkeypatch.setattr("core.cell.Cell.block", None)
    assert cli.main(["run", "quickstart", *goal]) == 0
    out, told = capsys.readouterr()
    assert out == first
    assert "note: 1 of 1 answers to goals were known (--fresh searches again)" in told
    assert cli.main(["run", "quickstart", *goal, "--fresh"]) == 70


def test_a_goal_set_by_hand_takes_the_place_of_the_share(capsys: Captured) -> None:
    arguments = ("run", "quickstart", "--format", "json", "--trials", "1")
    goal = ("--set", "goal.metric=gain", "--set", "goal.at_least=0.5")
    assert cli.main([*arguments, *goal]) == 0
    output = capsys.readouterr()
    (cell,) = json.loads(output.out)["cells"]  # and the sweep of the share is gone
    assert cell["answer"]["reached"]
    (told,) = output.err.splitlines()
    assert told.endswith("quickstart.toml is left out: [goal] is set in its place")
    assert told.startswith("note: attack.share of ")
    assert cli.main(["run", "fake-accounts", "--set", "attack.share=0.1", "--trials", "1"]) == 0
    output = capsys.readouterr()
    assert "it takes" not in output.out
    (told,) = output.err.splitlines()
    assert told.endswith("fake-accounts.toml is left out: attack.share is set in its place")
    # Both by hand contradict each other.
    rule = "attack.share must be left out where [goal] is given, which finds it, got 0.2"
    assert rule in fail(capsys, 2, *arguments, *goal, "--set", "attack.share=0.2")


def test_each_column_of_an_answer_has_a_name_of_its_own(capsys: Captured) -> None:
    goal = ("--set", "goal.metric=gain", "--set", "goal.at_least=1", "--quiet")
    written = succeed(capsys, "run", "cao-gain-beta", "--trials", "1", *goal)
    assert "protocol  attack  fakes m" in written


def test_trials_and_workers_do_not_change_a_number(capsys: Captured, tiny: str) -> None:
    def cells(*more: str) -> Any:
        return json.loads(succeed(capsys, "run", tiny, "--format", "json", *more))

    alone, together = cells("--trials", "45"), cells("--trials", "45", "--workers", "2")
    assert alone == together
    assert alone["digest"] != cells("--trials", "44")["digest"]
    assert alone["digest"] != cells("--trials", "45", "--seed", "1")["digest"]


def test_limits(capsys: Captured, tiny: str) -> None:
    setting = ("--set", "population.users=20_000_000_000_000")
    assert "--no-limits" in fail(capsys, 2, "run", tiny, *setting)
    assert succeed(capsys, "run", tiny, *setting, "--no-limits")


def test_out_writes_the_file_whole_and_prints_nothing(
    capsys: Captured, tiny: str, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "result.json"
    assert cli.main(["run", tiny, "--format", "json", "--out", str(out)]) == 0
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == f"wrote {out}\n"
    assert json.loads(out.read_text(encoding="utf-8"))["status"] == "done"
    text = out.with_suffix(".txt")
    assert cli.main(["run", tiny, "--out", str(text), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert text.read_text(encoding="utf-8").startswith("Tiny\n")
    assert {file.name for file in out.parent.iterdir()} == {"result.json", "result.txt"}


def test_the_end_of_a_files_name_says_its_format(
    capsys: Captured, tiny: str, tmp_path: Path
) -> None:
    for name, form in (("a.csv", "csv"), ("a.json", "json"), ("A.CSV", "csv")):
        assert cli.main(["run", tiny, "--out", str(tmp_path / name), "--quiet"]) == 0
        written = (tmp_path / name).read_text("utf-8")
        assert written == succeed(capsys, "run", tiny, "--format", form)
    out = str(tmp_path / "a.csv")
    line = fail(capsys, 2, "run", tiny, "--format", "json", "--out", out)
    assert line.endswith(
        '--format must be csv or csv-cells for a file that ends in .csv, got "json"'
    )
    line = fail(capsys, 2, "run", tiny, "--format", "parquet")
    assert line.endswith("--out is required: Parquet goes into a file")


@pytest.mark.parametrize("name", ["core.py", "core/__init__.py"])
def test_a_package_that_hides_the_simulator_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    done = subprocess.run(
        [sys.executable, "-m", "ldptui", "run", "quickstart"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert str(tmp_path / "core") in line
    assert "start from another folder" in line


def test_a_file_stays_as_it_was_when_it_cannot_be_written(
    capsys: Captured, tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "result.csv"
    out.write_text("precious", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    line = fail(capsys, 3, "run", tiny, "--format", "csv", "--out", str(out))
    assert line == f"{out} cannot be written: No space left on device"
    assert out.read_text(encoding="utf-8") == "precious"
    assert {path.name for path in tmp_path.iterdir()} == {"result.csv", "tiny.toml"}


def test_out_writes_through_a_link_and_into_a_pipe(tiny: str, tmp_path: Path) -> None:
    goal, link = tmp_path / "goal.csv", tmp_path / "link.csv"
    goal.touch()
    link.symlink_to(goal)
    assert cli.main(["run", tiny, "--format", "csv", "--out", str(link), "--quiet"]) == 0
    assert link.is_symlink()
    assert goal.read_text(encoding="utf-8").startswith("cell,trial,")
    assert cli.main(["run", tiny, "--out", os.devnull, "--quiet"]) == 0
    assert Path(os.devnull).is_char_device()


# The table.


def rows_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_table_of_a_sweep_fits_and_names_everything(width: int) -> None:
    scenario = parse(TINY + '[sweep]\n"protocol.kind" = ["grr", "olh"]\n"attack.share" = [0, 0.1]')
    *_, last = run(compile(scenario))
    text = table.results_table(last.results, width)
    assert max(map(len, text.splitlines())) <= width
    for word in ("Tiny", "GRR, OLH", "d = 8 items", "n = 500 users", "r = 2 listed targets: 1, 2",
                 "protocol", "share", "gain", "theory", "z", "±", "seed 0", "counts path",
                 "4 trials", last.results.digest, "mean squared error"):  # fmt: skip
        assert word in text, word
    rows = [row for row in rows_of(text) if row[:1] in (["grr"], ["olh"])]
    blocks = len(rows) // 4
    assert [row[:2] for row in rows] == [
        ["grr", "0"], ["grr", "0.1"], ["olh", "0"], ["olh", "0.1"]
    ] * blocks  # fmt: skip
    assert (blocks == 1) == (width == 200)


def test_measured_theory_and_z_stand_in_one_row() -> None:
    *_, last = run(compile(parse(TINY)))
    text = table.results_table(last.results, 80)
    (row,) = [row for row in rows_of(text) if row[:1] == ["gain"]]
    value, _, error, theory, z = row[1:]
    estimate = last.results.cells[0].estimate("gain")
    assert estimate.mean is not None
    assert estimate.standard_error is not None
    assert float(value) == pytest.approx(estimate.mean, abs=float(error) / 10)
    assert float(error) == pytest.approx(estimate.standard_error, rel=0.05)
    assert len(error.lstrip("0.")) == 2  # two digits of uncertainty
    assert (float(value) - float(theory)) / float(error) == pytest.approx(float(z), abs=0.2)


def test_the_largest_z_of_few_trials_is_a_normal_score() -> None:
    *_, last = run(compile(parse(TINY.replace("trials = 4", "trials = 2"))))
    text = table.results_table(last.results, 80)
    cell, measured = last.results.experiment.cells[0], last.results.cells[0]
    expected = cell.task.expected(cell)
    scores = []
    for metric in cell.metrics:
        z = measured.estimate(metric, expected[metric]).z
        if z is None:
            continue
        scores.append(-NormalDist().inv_cdf(0.5 - math.atan(abs(z)) / math.pi))
    assert f"largest |z| of those shown (6), as a normal score: {max(scores):.1f}\n" in text


def test_the_version_of_numpy_stands_beside_the_digest() -> None:
    *_, last = run(compile(parse(TINY)))
    digest = last.results.digest
    assert f"digest {digest}, drawn by NumPy {np.__version__}" in table.results_table(last.results)
    assert f"{digest}, drawn by NumPy 1.2.3" in table.results_table(last.results, numpy="1.2.3")


def test_points_are_aligned_and_uncertainties_have_two_digits() -> None:
    axis = '[sweep]\n"population.users" = [100, 10_000, 1_000_000, 100_000_000]'
    *_, last = run(compile(parse(TINY + axis)))
    lines = table.results_table(last.results, 80).splitlines()
    start = next(k for k, line in enumerate(lines) if "gain" in line) + 3
    rows = lines[start : start + 4]
    assert len({row.index("±") for row in rows}) == 1
    assert len({row.index(".") for row in rows}) == 1
    for row in rows:
        error = row.split("±")[1].split()[0]
        assert len(error.lstrip("0.")) == 2


def test_a_percent_sign_is_no_part_of_the_number_before_it() -> None:
    """`3 %` stood as far left as 300."""
    assert table.aligned(["126", "2.83 %", "3 %", "1e-6"]) == (
        "126     ", "  2.83 %", "  3 %   ", "  1e-6  ",
    )  # fmt: skip


def test_one_trial_has_no_uncertainty_and_no_attack_no_gain() -> None:
    text = TINY.replace("trials = 4", "trials = 1")
    *_, last = run(compile(parse(text)))
    shown = table.results_table(last.results, 80)
    assert "±" not in shown.partition("mean ±")[0]
    text = TINY.replace('kind = "mga"', 'kind = "none"')
    *_, last = run(compile(parse(text)))
    shown = table.results_table(last.results, 80)
    assert "gain" not in shown
    assert "attack      none" in shown


def test_labels_name_the_targets(capsys: Captured) -> None:
    text = succeed(capsys, "run", "survey", "--trials", "2")
    assert "gout, tinnitus" in text
    assert "column condition" in text


def test_a_table_for_a_poor_terminal_is_ascii(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert cli.main(["run", tiny]) == 0
    assert "+/-" in raw.getvalue().decode("ascii")


# theory


def forms(capsys: Captured, *arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(succeed(capsys, "theory", *arguments, "--format", "json"))
    return document


@pytest.mark.parametrize("kind", CENTRAL)
def test_theory_of_a_curator(kind: str, capsys: Captured) -> None:
    arguments = ("theory", kind, "--epsilon", "1", "--items", "100", "--users", "10000")
    attacked = ("--share", "0.05", "--targets", "4", "--target-frequency", "0.02")
    found = json.loads(succeed(capsys, *arguments, *attacked, "--format", "json"))
    assert [found[key] for key in ("p", "q", "hash_range", "variance_per_user")] == [None] * 4
    assert (found["scale"], found["sensitivity"], found["neighbours"]) == (2, 2, "change-one")
    rho = math.exp(-0.5)
    variance = 2 * rho / (1 - rho) ** 2 if kind == "geometric" else 8
    assert found["frequency_std"] == pytest.approx(math.sqrt(variance) / 10_000)
    if kind == "stability":
        assert found["gain"] == dict.fromkeys(CAO_ATTACKS)
        assert found["threshold"] == pytest.approx(2 * math.log(2e6) + 1)
    else:
        gains = {"rpa": 0.05 * (0.04 - 0.02), "ria": 0.05 * 0.98, "mga": 0.05 * 0.98}
        assert found["gain"] == pytest.approx(gains)
        assert found["gain_std"]["mga"] == pytest.approx(0.05 * math.sqrt(4 * variance) / 1e4, 1e-3)
    near = json.loads(succeed(capsys, *arguments, "--neighbours", "add-remove", "--format", "json"))
    assert near["scale"] == 1
    written = succeed(capsys, *arguments, *attacked)
    assert f"{kind.upper()}, ε = 1" in written
    assert "no local protocol" in written


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stability", "--delta", "0"), "--delta must be greater than 0 for the stability"),
        (("laplace", "--delta", "0.1"), "--delta is an option of stability, not of laplace"),
        (
            ("oue", "--neighbours", "add-remove"),
            "--neighbours is an option of laplace, geometric or stability, not of",
        ),
    ],
)
def test_options_of_a_curator(arguments: tuple[str, ...], words: str, capsys: Captured) -> None:
    line = fail(capsys, exits.USAGE, "theory", *arguments, "--epsilon", "1", "--items", "10")
    assert words in line


def test_theory_json_has_the_keys_of_the_contract(capsys: Captured) -> None:
    full = forms(
        capsys,
        *("oue", "--epsilon", "1", "--items", "1024", "--users", "100000", "--share", "0.05"),
        *("--targets", "1", "--target-frequency", "0.01"),
    )
    assert list(full) == [
        "p",
        "q",
        "hash_range",
        "variance_per_user",
        "gain_factor",
        "report_bits",
        "frequency_std",
        "gain",
        "gain_std",
        "recommended",
        "bound",
    ]
    assert full["p"] == 0.5
    assert full["hash_range"] is None
    assert full["variance_per_user"] == pytest.approx(3.6827, abs=1e-4)
    assert full["frequency_std"] == pytest.approx((3.6827 / 100_000) ** 0.5, rel=1e-4)
    assert full["gain"] == {
        "rpa": pytest.approx(0.0495),
        "ria": pytest.approx(0.0495),
        "mga": pytest.approx(0.1577, abs=1e-4),
    }
    assert set(full["gain_std"]) == set(CAO_ATTACKS)
    assert full["recommended"] == "oue"


def test_theory_has_an_option_for_every_key_of_a_protocol() -> None:
    options = {action.dest for action in theory_options.parser("theory", cli._parser)._actions}
    keys = {key.name for spec in KINDS.values() for key in fields(spec)} - {"kind"}
    assert keys <= options, "a key of a protocol has no row in ldptui/catalogue/keys.toml"


def test_what_needs_an_option_that_is_not_given_is_null(capsys: Captured) -> None:
    nothing = dict.fromkeys(CAO_ATTACKS)
    bare = forms(capsys, "grr", "--epsilon", "1", "--items", "8")
    assert bare["recommended"] == "grr"
    assert bare["frequency_std"] is None
    assert bare["gain"] == bare["gain_std"] == nothing
    options = ("--share", "0.05", "--targets", "2", "--target-frequency", "0.1")
    without_users = forms(capsys, "grr", "--epsilon", "1", "--items", "8", *options)
    assert None not in without_users["gain"].values()
    assert without_users["gain_std"] == nothing
    for missing in range(0, 6, 2):
        fewer = options[:missing] + options[missing + 2 :]
        found = forms(capsys, "grr", "--epsilon", "1", "--items", "8", "--users", "9", *fewer)
        assert found["gain"] == found["gain_std"] == nothing


@pytest.mark.parametrize(("rule", "g"), [("nearest", 8), ("ceil", 9), ("floor", 8), ("5", 5)])
def test_the_hash_range_follows_its_rule(capsys: Captured, rule: str, g: int) -> None:
    found = forms(capsys, "olh", "--epsilon", "2", "--items", "64", "--hash-range", rule)
    assert found["hash_range"] == g
    assert found["q"] == pytest.approx(1 / g)


def test_the_seed_search_of_theory(capsys: Captured) -> None:
    given = ("--share", "0.05", "--targets", "10", "--target-frequency", "0.01")
    base = ("OLH", "--epsilon", "1", "--items", "1024", *given)
    gains = [
        forms(capsys, *base, "--seeds", seeds, "--scoring", scoring)["gain"]["mga"]
        for seeds, scoring in (("1", "anchor"), ("1000", "anchor"), ("1000", "bucket"))
    ]
    assert gains == sorted(gains)
    assert gains[1] == pytest.approx(1.1852, abs=1e-4)


def test_the_theory_table_names_each_quantity_its_formula_and_its_source(
    capsys: Captured,
) -> None:
    given = ("--share", "0.05", "--targets", "10", "--target-frequency", "0.01", "--users", "9999")
    for protocol in PROTOCOLS:
        text = succeed(capsys, "theory", protocol, "--epsilon", "1", "--items", "64", *given)
        assert max(map(len, text.splitlines())) <= 80
        for word in ("variance per user", "frequency std", "gain of MGA", "CJG eq. 7", "USENIX"):
            assert word in text
        own = hasattr(KINDS[protocol].mechanism, "unit_variance")  # not Wang's
        assert ("W17 th. 2" in text) is not own
    assert "--users" in succeed(capsys, "theory", "grr", "--epsilon", "1", "--items", "8")


# scenarios, schema


def test_the_list_and_the_text_of_scenarios(capsys: Captured) -> None:
    import scenarios

    listed = succeed(capsys, "scenarios", "list")
    assert listed == succeed(capsys, "scenarios")
    for name in scenarios.names():
        assert name in listed
    shown = succeed(capsys, "scenarios", "show", "survey")
    assert shown == scenarios.path("survey").read_text(encoding="utf-8")


def test_a_copy_runs_from_where_it_is(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    succeed(capsys, "scenarios", "copy", "survey")
    assert (tmp_path / "survey.csv").is_file()
    assert "valid: 5 cells, 500 trials" in succeed(capsys, "scenarios", "check", "survey.toml")
    assert "exists already" in fail(capsys, 3, "scenarios", "copy", "survey")
    succeed(capsys, "scenarios", "copy", "survey", "other.toml")  # shares the data file
    succeed(capsys, "scenarios", "copy", "quickstart", "new/folder/mine.toml")
    assert (tmp_path / "new" / "folder" / "mine.toml").is_file()
    succeed(capsys, "scenarios", "copy", "quickstart", "new")
    assert (tmp_path / "new" / "quickstart.toml").is_file()


def test_check_lists_every_problem(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(TINY.replace("0.1", "2.0").replace("items = 8", "items = 1"), "utf-8")
    assert cli.main(["scenarios", "check", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{path}: ") for line in lines)


def test_the_schema_is_printed_as_json(capsys: Captured) -> None:
    assert json.loads(succeed(capsys, "schema"))["title"] == "ldptui scenario"


# Real processes.

START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores SIGINT

class Announce:
    def find_spec(self, name, path, target=None):
        if name == "numpy":
            print("importing numpy", file=sys.stderr, flush=True)

if "--announce" in sys.argv:
    sys.argv.remove("--announce")
    sys.meta_path.insert(0, Announce())
from ldptui.__main__ import main
sys.argv[0] = "ldptui"
sys.exit(main())
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", START, *arguments]


ENDLESS = ("run", "quickstart", "--trials", "40000", "--quiet")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_prints_what_is_finished_as_partial(workers: str, tmp_path: Path) -> None:
    """In a pseudo-terminal, where Ctrl-C reaches the worker processes as well."""
    out = tmp_path / "partial.json"
    arguments = ("run", "quickstart", "--trials", "40000", "--workers", workers)
    output, code, waited = interrupted(
        command(*arguments, "--format", "json", "--out", str(out)), "trials/s", 4
    )
    assert code == 130, output
    assert "Traceback" not in output
    assert "ldptui: interrupted: " in output
    assert waited < 2  # 0.2 s is the aim; a loaded machine may take longer
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["status"] == "partial"
    done = sum(cell["trials"] for cell in document["cells"])
    assert 0 < done < 40_000 * 21
    assert document["cells"][0]["metrics"]["mse"]["mean"] is not None


def test_ctrl_c_while_processes_start_is_quiet() -> None:
    """Typed at the first sight of the progress bar, when the workers are importing."""
    arguments = ("run", "quickstart", "--trials", "40000", "--workers", "2")
    output, code, waited = interrupted(command(*arguments), "  0% ", 1)
    assert code == 130
    assert "Traceback" not in output
    assert "partial: interrupted after 0 of 840 000 trials" in output
    assert waited < 2


def test_ctrl_c_while_modules_are_loaded_is_quiet() -> None:
    output, code, _ = interrupted(command(*ENDLESS, "--announce"), "importing numpy", 1)
    assert code == 130
    assert "Traceback" not in output


def interrupted(arguments: list[str], mark: str, times: int) -> tuple[str, int, float]:
    """Run in a pseudo-terminal and type Ctrl-C when `mark` was shown `times` times.

    Returns what was printed, the exit code, and the seconds from Ctrl-C to the end.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        arguments, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=take_terminal,
    )  # fmt: skip
    os.close(theirs)
    seen, typed = b"", None
    try:
        while True:
            if typed is None and seen.count(mark.encode()) >= times:
                os.write(ours, b"\x03")
                typed = time.monotonic()
            ready, _, _ = select.select([ours], [], [], 30)
            assert ready, f"nothing more after {seen[-300:]!r}"
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            seen += data
        code = process.wait(30)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        os.close(ours)
    assert typed is not None
    return seen.decode(errors="replace"), code, time.monotonic() - typed


def take_terminal() -> None:
    """Make the pseudo-terminal on standard input the one that Ctrl-C comes from."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_reader_that_has_enough_is_no_error() -> None:
    process = subprocess.Popen(
        command("run", "quickstart", "--format", "csv", "--trials", "60"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b"cell,trial,")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0


def test_a_full_disk_is_exit_code_3() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            command("theory", "oue", "--epsilon", "1", "--items", "8"),
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr == "standard output cannot be written: No space left on device\n"


class Filling(io.RawIOBase):
    """A disk with room for some bytes: it takes what fits, and then nothing."""

    def __init__(self, room: int) -> None:
        self.held, self.room = b"", room

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data[: min(self.room - len(self.held), 100)])
        if not part:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.held += part
        return len(part)


@pytest.mark.parametrize("exactly", [True, False])
def test_an_unbuffered_disk_that_fills_is_no_success(
    exactly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in (1000, 999):
        disk = Filling(room)
        out = io.TextIOWrapper(disk, encoding="utf-8", write_through=True)
        monkeypatch.setattr(sys, "stdout", out)
        if room == 1000:
            write_out("x" * 1000, exactly)
            assert disk.held == b"x" * 1000
        else:
            with pytest.raises(FileError, match="standard output cannot be written: No space"):
                write_out("x" * 1000, exactly)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("run", "quickstart", "--trials", "1", "--set", "x=1"), 2), (("run",), 2),
     (("run", "quickstart", "--trials", "1", "--frequencies"), 0)],
)  # fmt: skip
def test_notes_that_cannot_be_written_change_nothing(arguments: tuple[str, ...], code: int) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            command(*arguments), stdout=subprocess.PIPE, stderr=full, text=True, timeout=60
        )
    assert done.returncode == code
    assert bool(done.stdout) == (code == 0)


def test_help_on_a_full_disk_is_exit_code_3() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            command("run", "--help"), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 3
    assert done.stderr == "standard output cannot be written: No space left on device\n"


def test_a_closed_output_is_no_bug() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command("schema")],
        stderr=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_help_can_be_shown_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (["--help"], ["theory", "--help"]):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
        assert cli.main(arguments) == 0
        assert b"usage: ldptui" in raw.getvalue()


# The progress bar.


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_shows_share_counts_rate_and_cell_and_is_erased() -> None:
    experiment = compile(parse(TINY + '[sweep]\n"attack.share" = [0.1, 0.2]'))
    *_, last = run(experiment)
    halfway = Progress(last.results, 4, 8, 2.0, experiment.cells[1])
    line = progress.progress_line(halfway, ["protocol.kind", "attack.share"], 79)
    assert line.startswith(" 50% ████")
    for word in ("4/8", "2 trials/s", "2.0 s left", "oue share=0.2"):
        assert word in line
    assert len(line) <= 79
    terminal = Terminal()
    bar = progress.Bar(terminal, experiment, quiet=False)
    bar.show(halfway)
    bar.show(halfway)  # too soon
    assert terminal.getvalue().count("50%") == 1
    bar.erase()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_the_bar_is_drawn_on_a_terminal_alone_and_never_if_quiet() -> None:
    experiment = compile(parse(TINY))
    *_, last = run(experiment)
    for stream, quiet in ((io.StringIO(), False), (Terminal(), True)):
        bar = progress.Bar(stream, experiment, quiet)
        bar.show(last)
        bar.erase()
        assert stream.getvalue() == ""


def test_sigint_is_listed_here_for_this_platform() -> None:
    assert exits.INTERRUPTED == 128 + signal.SIGINT
