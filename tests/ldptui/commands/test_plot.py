"""Charts for paper: ldptui plot, and ldptui replay of the file."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from support.commands import TINY, Captured, fail, succeed
from support.plugin_cases import attack_file, toml

from ldptui.commands import cli
from ldptui.session.exporting import read_figure


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("plot") / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return str(path)


def test_a_figure_carries_the_scenario_that_replay_computes_again(
    scenario: str, tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "gain.svg"
    succeed(capsys, "plot", scenario, "--out", str(out), "--columns", "1")
    text = out.read_text(encoding="utf-8")
    # 84 mm are 238 points; letters are text in local fonts, and nothing is fetched.
    width = re.search(r'width="([0-9.]+)pt"', text)
    assert width is not None
    assert float(width[1]) == pytest.approx(84 / 25.4 * 72, abs=0.1)
    assert "http" not in re.sub(r"http://(www\.w3\.org|purl\.org|creativecommons)[^\"]*", "", text
                                ).replace("https://matplotlib.org/", "")  # fmt: skip
    again = succeed(capsys, "replay", str(out), "--quiet")
    assert re.match(r"identical: \d+ trials, xxh3:", again)
    out.write_text(text.replace("ldptui-scenario:", "ldptui-scenario:AAAA"), encoding="utf-8")
    assert "the scenario in it is damaged" in fail(capsys, 3, "replay", str(out))


@pytest.mark.every(2)
@pytest.mark.parametrize("suffix", ["pdf", "png", "txt"])
def test_every_format_keeps_the_scenario(
    scenario: str, tmp_path: Path, capsys: Captured, suffix: str
) -> None:
    out = tmp_path / f"figure.{suffix}"
    succeed(capsys, "plot", scenario, "--chart", "frequencies", "--out", str(out), "--quiet")
    kept = read_figure(out)
    assert kept is not None
    assert kept.document["protocol"]["kind"]
    assert kept.digest.startswith("xxh3:")
    assert kept.numpy == np.__version__
    if suffix == "txt":
        assert "Targets, top items" in out.read_text(encoding="utf-8")


def test_several_runs_stand_in_one_picture(scenario: str, tmp_path: Path, capsys: Captured) -> None:
    store, out = str(tmp_path / "runs.sqlite3"), tmp_path / "runs.txt"
    for epsilon in ("1", "2"):
        settings = ("--set", f"protocol.epsilon={epsilon}", "--set", "attack.share=[0.05,0.1]")
        succeed(capsys, "run", scenario, *settings, "--store", store)
    more = ("--store", store, "--out", str(out), "--quiet")
    succeed(capsys, "plot", "2", "1", *more)
    drawn = out.read_text(encoding="utf-8")
    assert all(name in drawn for name in ("● ε 2", "△ ε 1"))
    said = fail(capsys, 2, "plot", "2", "1", "--chart", "map", *more)
    assert (
        '--chart must be one of gain, error, success, frequencies for several runs, got "map"'
        in said
    )


def test_what_cannot_be_drawn_is_one_sentence(
    scenario: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "must end in .svg" in fail(capsys, 2, "plot", scenario, "--out", str(tmp_path / "a.doc"))
    text = tmp_path / "trials.txt"
    succeed(capsys, "plot", scenario, "--chart", "trials", "--out", str(text), "--quiet")
    assert "Estimates of single trials" in text.read_text(encoding="utf-8")
    out = str(tmp_path / "a.svg")
    for chart, needs in (
        ("timeline", "rounds"), ("distribution", "a task about numbers"),
        ("success", "a task that names items, or a metric of your own"),
    ):  # fmt: skip
        refusal = f'got "{chart}" (it needs {needs})'
        said = fail(capsys, 2, "plot", scenario, "--chart", chart, "--out", out, "--quiet")
        assert refusal in said
        assert "--chart must be a chart of this run: gain, error, frequencies" in said
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(["plot", scenario, "--out", out]) == 2
    said = capsys.readouterr().err
    assert "figures need matplotlib: " in said
    assert f"{sys.executable}" in said
    assert "pip install" in said


def test_users_from_a_csv_file_are_found_from_any_folder(tmp_path: Path, capsys: Captured) -> None:
    rows = "\n".join(["tea"] * 60 + ["water"] * 39 + ["juice"])
    (tmp_path / "answers.csv").write_text(f"answer\n{rows}\n", encoding="utf-8")
    (tmp_path / "own.toml").write_text(
        """format = 1
        trials = 2
        population = { kind = "csv", path = "answers.csv", column = "answer" }
        protocol = { kind = "grr", epsilon = 1.0 }
        attack = { kind = "mga", share = 0.1, targets = { items = ["juice"] } }
        """,
        encoding="utf-8",
    )
    out = tmp_path / "gain.txt"
    succeed(capsys, "plot", str(tmp_path / "own.toml"), "--out", str(out), "--quiet")
    assert "share of fake users" in out.read_text(encoding="utf-8")


@pytest.mark.long
def test_a_map_shows_the_metric_asked_for(tmp_path: Path, capsys: Captured) -> None:
    swept = '[[defence]]\nkind = "none"\n[sweep]\n"protocol.kind" = ["grr", "oue"]\n'
    swept += '"attack.kind" = ["ria", "mga"]\n"defence.kind" = ["none", "norm-sub", "norm"]\n'
    path, out = tmp_path / "swept.toml", tmp_path / "map.txt"
    path.write_text(TINY + swept, encoding="utf-8")
    order = ("plot", str(path), "--chart", "map", "--out", str(out), "--quiet", "--metric")
    succeed(capsys, *order, "mse_after")
    drawn = out.read_text(encoding="utf-8")
    # The defences against the attacks, in place of the first two of the sweep.
    assert re.search(r"defence +ria +mga", drawn)
    named = re.findall(r"^(none|norm-sub|norm) ", drawn, re.MULTILINE)
    assert " ".join(named) == "none norm-sub norm"
    assert "protocol oue" in drawn
    assert "error" in drawn.splitlines()[0]
    sentence = fail(capsys, 2, *order, "recall")
    assert sentence.startswith("--metric must be a metric of this chart (gain_after, gain, ")
    assert sentence.endswith('got "recall"')


PHASES = """format = 1
title = "Two phases"
trials = 2
[population]
kind = "uniform"
items = 8
users = 500
[protocol]
kind = "grr"
epsilon = 1.0
[campaign]
rounds = 4
[[attack.phase]]
rounds = 4
share = { from = 0.0, to = 0.1 }
targets = { items = [1, 2] }
mix = [{ kind = "mga", weight = 1 }]
"""


def test_an_attack_in_phases_has_its_gain_and_any_metric_over_the_rounds(
    tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "phases.toml").write_text(PHASES, encoding="utf-8")
    (tmp_path / "quiet.toml").write_text(PHASES.partition("[[attack")[0], encoding="utf-8")

    def drawn(name: str, *options: str) -> str:
        order = ("plot", str(tmp_path / name), "--out", str(tmp_path / "a.txt"), "--quiet")
        succeed(capsys, *order, *options)
        return (tmp_path / "a.txt").read_text(encoding="utf-8")

    assert "Gain of the attack over the rounds" in drawn("phases.toml")
    assert "Normalised gain over the rounds" in drawn(
        "phases.toml", "--chart", "timeline", "--metric", "normalised_gain"
    )
    # Without targets their estimates would be an empty chart.
    assert "Privacy spent" in drawn("quiet.toml", "--chart", "timeline")
    assert "Mean squared error" in drawn("quiet.toml", "--chart", "timeline", "--metric", "mse")
    assert "Error without attack" in drawn("quiet.toml")  # the first chart that there is
    order = ("plot", str(tmp_path / "quiet.toml"), "--chart", "gain")
    assert "it needs an attack" in fail(capsys, 2, *order, "--out", str(tmp_path / "b.txt"), "-q")


def test_a_figure_in_text_has_eighty_columns_and_the_cell_that_it_shows(
    scenario: str, tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "a.txt"
    swept = Path(scenario).read_text(encoding="utf-8") + '[sweep]\n"attack.share" = [0.1, 0.2]\n'
    (tmp_path / "swept.toml").write_text(swept, encoding="utf-8")
    order = ("plot", str(tmp_path / "swept.toml"), "--chart", "frequencies", "--out", str(out))
    succeed(capsys, *order, "--quiet")
    *shown, _, end = out.read_text(encoding="utf-8").split("\n")
    assert end == ""
    assert max(map(len, shown)) <= 80
    assert "mean of 4 trials; β 0.1" in "\n".join(shown)
    succeed(capsys, *order[:3], "error", *order[4:], "--quiet")  # of which β is no matter
    assert "β" not in out.read_text(encoding="utf-8")


@pytest.mark.usefixtures("threads")
def test_single_trials_of_an_attack_in_python_are_drawn_where_it_may_run(
    tmp_path: Path, capsys: Captured
) -> None:
    code, _ = attack_file(tmp_path)
    (tmp_path / "own.toml").write_text(toml("honest"), encoding="utf-8")
    out = tmp_path / "a.txt"
    order = ("plot", str(tmp_path / "own.toml"), "--chart", "trials", "--out", str(out), "--quiet")
    assert "not allowed" in fail(capsys, 2, *order)
    succeed(capsys, *order, "--code", str(code))
    assert "Estimates of single trials" in out.read_text(encoding="utf-8")


def test_an_error_chart_of_attacked_cells_has_their_clean_arms(
    scenario: str, tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "error.txt"
    swept = ("--set", "protocol.epsilon=[1,2]", "--set", "attack.share=[0.01,0.1]")
    succeed(capsys, "plot", scenario, *swept, "--chart", "error", "--out", str(out))
    text = out.read_text(encoding="utf-8")
    assert "points: mean of 4 trials ± 95 %" in text
    assert "other settings" not in text
