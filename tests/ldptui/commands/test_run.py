"""The command run: formats, options, limits, and files written whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.commands import Captured, fail, succeed

from ldptui.commands import cli


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


def test_answers_that_took_a_search_are_known_the_next_time(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = ("--set", "goal.metric=targets_in_top_k", "--set", "goal.at_least=5", "--trials", "1",
            "--set", "population.users=2000", "--store", str(tmp_path / "runs"))  # fmt: skip
    first = succeed(capsys, "run", "quickstart", *goal, "--no-store")
    assert succeed(capsys, "run", "quickstart", *goal) == first
    monkeypatch.setattr("ldptui.core.cell.Cell.block", None)
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
    assert told.endswith("quickstart is left out: [goal] is set in its place")
    assert told.startswith("note: attack.share of ")
    assert cli.main(["run", "fake-accounts", "--set", "attack.share=0.1", "--trials", "1"]) == 0
    output = capsys.readouterr()
    assert "it takes" not in output.out
    (told,) = output.err.splitlines()
    assert told.endswith("fake-accounts is left out: attack.share is set in its place")
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


@pytest.mark.long
@pytest.mark.parametrize(
    "names",
    [
        ("core/__init__.py", "scenarios/__init__.py"),
        pytest.param(("core.py", "scenarios.py"), marks=pytest.mark.long),
    ],
)
def test_a_folder_with_a_core_of_its_own_hides_nothing(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise RuntimeError('somebody else')")
    code = "import ldptui; ldptui.run('one-heavy-item', trials=1, limits=True)"
    ran = ["-m", "ldptui", "run", "one-heavy-item", "--trials", "1", "--no-store"]
    for words in ([sys.executable, *ran], [sys.executable, "-c", code]):
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


def test_no_file_of_somebody_else_is_written_over(
    capsys: Captured, tiny: str, tmp_path: Path
) -> None:
    """Their data, or the scenario itself, under a name that --out has by mistake."""
    data = tmp_path / "adult.csv"
    plan = ("plan", "--protocol", "oue", "--items", "9", "--share", "0", "--frequency", "0.1",
            "--power", "0.9", "--epsilon", "1")  # fmt: skip
    for written in (("run", tiny), ("record", tiny), ("synthetic", "survey"), plan):
        data.write_text("age,sex\n39,m\n", encoding="utf-8")
        line = fail(capsys, 2, *written, "--out", str(data))
        rule = "which ldptui did not write (remove it first)"
        assert line.endswith(f"--out must be a new file, and {data} is there, {rule}")
        assert data.read_text(encoding="utf-8") == "age,sex\n39,m\n"
        data.write_text("", encoding="utf-8")
        for _ in range(2):  # an empty file, and then what is ours
            assert cli.main([*written, "--out", str(data)]) == 0
        capsys.readouterr()
        for beside in tmp_path.glob("*.budget.txt"):
            beside.unlink()
    for form in ("table", "md", "latex", "csv-cells", "json"):
        for _ in range(2):
            words = ["run", tiny, "--format", form, "--out", str(tmp_path / f"a.{form}")]
            assert cli.main([*words, "--metrics", "gain", "--quiet"]) == 0
    scenario = Path(tiny)
    scenario.write_text(f"# made for ldptui\n{scenario.read_text('utf-8')}", encoding="utf-8")
    line = fail(capsys, 2, "run", tiny, "--format", "json", "--out", tiny)
    assert line.endswith(f"--out must be another file than {tiny}, which is read")


def test_a_recording_that_is_run_says_what_reads_one(
    capsys: Captured, tiny: str, tmp_path: Path
) -> None:
    out = tmp_path / "shared.ldptui"
    assert cli.main(["record", tiny, "--trials", "1", "--out", str(out)]) == 0
    assert f"wrote {out}: 1 trial, " in capsys.readouterr().err
    line = fail(capsys, 2, "run", str(out))
    assert line.startswith(f"{out}: is a recording and no scenario: ldptui replay")


def test_a_target_whose_label_is_another_number_has_both(
    capsys: Captured, tiny: str, tmp_path: Path
) -> None:
    """Labels are sorted as words: 10 stands before 2, and `items = [1]` is the item 10."""
    (tmp_path / "ages.csv").write_text("age,n\n1,500\n2,300\n10,200\n", encoding="utf-8")
    scenario = Path(tiny)
    data = 'kind = "csv"\npath = "ages.csv"\ncolumn = "age"\ncount = "n"'
    text = scenario.read_text("utf-8").replace('kind = "uniform"\nitems = 8\nusers = 500', data)
    scenario.write_text(text, encoding="utf-8")
    found = succeed(capsys, "run", tiny, "--no-store", "--set", 'attack.targets.items=[1,"2"]')
    assert "10 (item 1), 2" in " ".join(found.split())
