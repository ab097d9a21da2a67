"""The commands about runs: kept, listed, resumed, replayed, shared, compared, exported."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import results_of
from support.commands import TINY, Captured, fail, succeed

import core
from core.export import to_csv
from core.metrics import METRICS
from core.scenario import parse
from core.store import open_store, opening
from ldptui import exits
from ldptui.catalogue import key_words
from ldptui.commands import cli, progress
from ldptui.commands import parquet as tables_of_trials
from ldptui.commands.runs import options as run_options
from ldptui.terminal import places
from ldptui.text.format import short

TWENTY = TINY.replace("trials = 4", "trials = 20")

LONG = """\
format = 1
title = "Long"
trials = 60

[population]
kind = "zipf"
items = 64
users = 4000
exponent = 1.0

[protocol]
kind = "oue"
epsilon = 1.0

[simulate]
path = "reports"

[sweep]
"protocol.kind" = ["grr", "oue", "olh"]
"protocol.epsilon" = [0.5, 1.0, 2.0]
"""


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    path = tmp_path / "tiny.toml"
    path.write_text(TWENTY, encoding="utf-8")
    return str(path)


@pytest.fixture
def kept() -> Path:
    """The store that the tests' environment names."""
    return Path(os.environ["LDPTUI_STORE"])


def noted(capsys: Captured, *arguments: str) -> str:
    """The standard error of a command that succeeds."""
    code = cli.main(arguments)
    output = capsys.readouterr()
    assert code == 0, output.err
    return output.err


def listed(capsys: Captured, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        succeed(capsys, "runs", "list", "--format", "json", *arguments)
    )
    return found


# Keeping.


def test_a_run_is_kept_and_shown_again(tiny: str, kept: Path, capsys: Captured) -> None:
    full = ("--format", "json", "--frequencies")
    printed = succeed(capsys, "run", tiny, "--tag", "first", *full)
    assert kept.exists()
    (run,) = listed(capsys)
    assert (run["run"], run["status"], run["done"], run["tags"]) == (1, "done", 20, ["first"])
    assert run["digest"] == json.loads(printed)["digest"]
    assert run["source"] == tiny
    assert succeed(capsys, "runs", "show", "1", *full) == printed
    shown = succeed(capsys, "runs", "show", "last")
    for words in ("run 1: done", "OUE ε=1, MGA β=0.1", "tags: first", "NumPy", run["digest"]):
        assert words in shown


def test_what_is_known_is_not_computed_again(
    tiny: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert noted(capsys, "run", tiny) == ""
    printed = succeed(capsys, "run", tiny, "--format", "csv", "--fresh")
    monkeypatch.setattr("core.cell.Cell.block", None)
    assert succeed(capsys, "run", tiny, "--format", "csv") == printed
    words = "note: 20 of 20 trials were known (--fresh computes them again)\n"
    assert noted(capsys, "run", tiny) == words
    assert noted(capsys, "run", tiny, "--quiet") == ""
    assert cli.main(["run", tiny, "--fresh"]) == exits.BUG
    assert cli.main(["run", tiny, "--no-store"]) == exits.BUG
    capsys.readouterr()
    assert [run["status"] for run in listed(capsys)] == ["failed", *["done"] * 5]
    assert "NoneType" in listed(capsys)[0]["error"]


def test_where_runs_are_kept(
    tiny: str, kept: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "else where?" / "#my runs"
    succeed(capsys, "run", tiny, "--no-store")
    succeed(capsys, "run", tiny, "--store", str(elsewhere))
    assert not kept.exists()
    assert len(listed(capsys, "--store", str(elsewhere))) == 1
    assert succeed(capsys, "runs", "--store", str(elsewhere)).count("Tiny") == 1
    monkeypatch.setenv("LDPTUI_STORE", "")
    monkeypatch.setattr(places, "store_file", lambda: tmp_path / "home" / "runs.sqlite3")
    assert succeed(capsys, "runs") == "no runs\n"
    succeed(capsys, "run", tiny)
    assert (tmp_path / "home" / "runs.sqlite3").exists()


def test_a_store_that_cannot_be_used(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(b"something else" * 100)
    assert fail(capsys, 3, "run", tiny, "--store", str(bad)) == f"{bad} is not a store of ldptui"
    assert fail(capsys, 3, "runs", "--store", str(bad)) == f"{bad} is not a store of ldptui"
    monkeypatch.delenv("LDPTUI_STORE")
    monkeypatch.setattr(places, "store_file", lambda: bad)
    words = f"note: this run is not kept: {bad} is not a store of ldptui\n"
    assert noted(capsys, "run", tiny) == words
    monkeypatch.setattr(places, "store_file", lambda: bad / "home" / "runs.sqlite3")
    assert "cannot be made" in noted(capsys, "run", tiny)


@pytest.mark.parametrize("shard", [(), ("--shard", "1/1"), ("--shard", "1/2")])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_that_is_deleted_in_the_middle(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, replaced: bool,
    shard: tuple[str, ...],
) -> None:  # fmt: skip
    """The results are there all the same, the sentence says what is not, and the code is 3."""
    store, compute = tmp_path / "kept.sqlite3", progress.measure

    def losing(*args: Any, **kwargs: Any) -> Any:
        store.rename(tmp_path / "gone")
        if replaced:
            store.write_bytes(b"")
        return compute(*args, **kwargs)

    monkeypatch.setattr(progress, "measure", losing)
    assert cli.main(["run", tiny, "--store", str(store), *shard]) == exits.NO_FILE
    output = capsys.readouterr()
    what = "replaced by another file" if replaced else "deleted"
    assert f"not kept, or in part: {store} was {what} while it was in use" in output.err
    assert ("xxh3:" in output.out) == (shard != ("--shard", "1/2"))
    assert "are kept in" not in output.err


def test_a_file_name_that_is_not_text(tmp_path: Path, capsys: Captured) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.toml")
    Path(path).write_text(TWENTY.replace('title = "Tiny"', ""), encoding="utf-8")
    succeed(capsys, "run", path)
    (run,) = listed(capsys)
    assert run["title"] == "?.toml"


def test_a_store_on_a_network_home_says_so(
    tiny: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "file_system", lambda _: "nfs4")
    assert "network file system (nfs4): using a rollback journal" in noted(capsys, "run", tiny)


def test_runs_are_filtered_tagged_and_removed(tiny: str, capsys: Captured) -> None:
    succeed(capsys, "run", tiny)
    succeed(capsys, "run", tiny, "--set", "protocol.kind=grr", "--set", "attack.kind=none")
    assert succeed(capsys, "runs", "tag", "2", "plain", "mine") == "tags of run 2: mine, plain\n"
    assert succeed(capsys, "runs", "tag", "2", "mine", "--remove") == "tags of run 2: plain\n"

    def found(*only: str) -> list[int]:
        return [run["run"] for run in listed(capsys, *only)]

    assert found() == [2, 1]
    assert found("--protocol", "grr") == [2]
    assert found("--attack", "mga") == [1]
    assert found("--tag", "plain") == [2]
    assert found("--since", "2000-01-01") == [2, 1]
    assert found("--until", "2000-01-01") == []
    assert found("--until", time.strftime("%Y-%m-%d")) == [2, 1]
    assert "no runs" in succeed(capsys, "runs", "--tag", "nothing")
    assert "run 1 is removed; ldptui runs rm --undo 1" in succeed(capsys, "runs", "rm", "1")
    assert found() == [2]
    assert found("--removed") == [1]
    succeed(capsys, "runs", "rm", "--undo", "1")
    assert found() == [2, 1]
    succeed(capsys, "runs", "rm", "1")
    succeed(capsys, "runs", "star", "2")
    assert "2*" in succeed(capsys, "runs")
    assert succeed(capsys, "runs", "gc", "--before", "2100-01-01").startswith(
        "forgot 1 runs and 1 cells"
    )
    assert found() == [2]
    rows = list(csv.DictReader(io.StringIO(succeed(capsys, "runs", "list", "--format", "csv"))))
    assert rows[0]["protocols"] == "grr"


@pytest.mark.parametrize(
    ("code", "arguments", "words"),
    [
        (2, ("runs", "show", "7"), "there is no run 7"),
        (2, ("runs", "show", "x"), 'RUN must be the number of a run, or "last", got "x"'),
        (2, ("runs", "list", "--since", "soon"), '--since must be a day as 2026-01-31, got "soon"'),
        (2, ("runs", "tag", "1", "a,b"), "--tag must be words without commas"),
        (2, ("run", "quickstart", "--tag", ""), "--tag must be words"),
        (2, ("runs", "fly"), "invalid choice"),
        (2, ("resume",), "RUN"),
        (2, ("compare", "1", "1", "--metric", "luck"), "--metric must be one of gain,"),
        (2, ("replay", "1", "--workers", "0"), "--workers must be in [1, 1000], got 0"),
        (3, ("runs", "import", "no-such-file"), "no-such-file cannot be read"),
        (3, ("runs", "show", "1", "--store", "/no/such/store"), "there are no runs"),
        (3, ("runs", "export", "1", "--out", "/"), "/ cannot be written: it is a folder"),
    ],
)
def test_a_mistake_is_one_line(
    tiny: str, capsys: Captured, code: int, arguments: tuple[str, ...], words: str
) -> None:
    succeed(capsys, "run", tiny)
    assert words in fail(capsys, code, *arguments)


@pytest.mark.parametrize("command", run_options.COMMANDS)
def test_help_imports_nothing_heavy(command: str) -> None:
    program = (
        "import sys; from ldptui.commands.cli import main;"
        f"code = main(['{command}', '--help']); print(code, *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert f"usage: ldptui {command}" in done.stdout
    code, *names = done.stdout.splitlines()[-1].split()
    assert code == "0"
    assert not {"numpy", "pydantic", "textual", "sqlite3", "core.store"} & set(names)


# Resuming.


@pytest.mark.every(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_stopped_is_resumed(
    tmp_path: Path, kept: Path, capsys: Captured, number: signal.Signals
) -> None:
    scenario = tmp_path / "long.toml"
    scenario.write_text(LONG, encoding="utf-8")
    whole = succeed(capsys, "run", str(scenario), "--format", "json", "--no-store")
    # A background job's children may ignore SIGINT; a shell's foreground jobs do not.
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from ldptui.__main__ import main; sys.exit(main())"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, "run", str(scenario)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if kept.exists():
            with open_store(kept) as there:
                if any(run.done for run in there.runs()):
                    break
        assert child.poll() is None
    child.send_signal(number)
    _, said = child.communicate(timeout=60)
    if number == signal.SIGINT:
        assert child.returncode == 130
        assert "ldptui resume 1 goes on with it" in said
    (run,) = listed(capsys)
    assert run["status"] == ("partial" if number == signal.SIGINT else "interrupted")
    assert 0 < run["done"] < run["total"]
    assert f"{run['done']} of 540" in succeed(capsys, "runs")
    resumed = succeed(capsys, "resume", "last", "--format", "json", "--quiet")
    assert resumed == whole
    (run,) = listed(capsys)
    assert (run["status"], run["done"]) == ("done", 540)
    assert "identical: 540 trials" in succeed(capsys, "replay", "last", "--quiet")


# Replays, recordings.


def test_a_replay_says_identical_or_where_not(tiny: str, kept: Path, capsys: Captured) -> None:
    digest = json.loads(succeed(capsys, "run", tiny, "--format", "json"))["digest"]
    assert succeed(capsys, "replay", "last") == (
        f"identical: 20 trials, {digest}, drawn by NumPy {np.__version__}\n"
    )
    with open_store(kept) as there:
        there._db.execute("UPDATE runs SET ldptui = '0.0.9', numpy = '1.9'")
    words = noted(capsys, "replay", "last")
    assert words.startswith("note: computed with ldptui 0.0.9, this is ")
    assert "computed with NumPy 1.9, here it is" in words
    assert "and yet the numbers are the same" in words
    with open_store(kept) as there:
        there._db.execute("UPDATE trials SET fingerprint = 1 WHERE trial = 4")
    assert cli.main(["replay", "last"]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("different: cell 0, trial 4: the fingerprint of its counts was 0")
    assert "numbers may differ for that reason" in output.err


@pytest.mark.parametrize("here", ["2.4.6", "2.5.0", "2.10.1"])
@pytest.mark.parametrize("there", ["2.4.0", "2.5.5"])
def test_a_replay_that_differs_names_the_law_that_numpy_corrected(
    here: str, there: str, tiny: str, kept: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeed(capsys, "run", tiny, "--quiet")
    with open_store(kept) as store:
        store._db.execute("UPDATE runs SET numpy = ?", (there,))
        store._db.execute("UPDATE trials SET fingerprint = 1 WHERE trial = 4")
    monkeypatch.setattr("numpy.__version__", here)
    assert cli.main(["replay", "last"]) == 1
    corrected = here != "2.4.6"
    told = capsys.readouterr().err
    said = "draws large binomials otherwise" in told
    assert (f"`pip install numpy=={there}` under Python" in told) == said
    assert said == (corrected != (there == "2.5.5"))


def test_a_recording_carries_the_data_of_a_csv_file(
    tmp_path: Path, kept: Path, capsys: Captured
) -> None:
    (tmp_path / "data.csv").write_text("item\nb\na\nb\nc\nü\n", encoding="utf-8")
    scenario = tmp_path / "mine.toml"
    scenario.write_text(
        'format = 1\n[population]\nkind = "csv"\npath = "data.csv"\ncolumn = "item"\n'
        '[protocol]\nkind = "grr"\nepsilon = 1.0\n[attack]\nkind = "mga"\nshare = 0.3\n'
        'targets = { items = ["c", "ü"] }\n',
        encoding="utf-8",
    )
    out = tmp_path / "mine.ldptui"
    assert "wrote" in noted(
        capsys, "record", str(scenario), "--out", str(out), "--tag", "t", "--store", str(kept)
    )
    (tmp_path / "data.csv").unlink()
    scenario.unlink()
    kept.unlink()
    assert str(tmp_path) not in out.read_text("utf-8")
    identical = succeed(capsys, "replay", str(out))
    assert identical.startswith("identical: 20 trials, xxh3:")
    assert not kept.exists()
    assert succeed(capsys, "runs", "import", str(out)) == "run 1 imported\n"
    assert succeed(capsys, "runs", "import", str(out)) == "run 1 was here already\n"
    (run,) = listed(capsys)
    assert run["tags"] == ["t"]
    assert succeed(capsys, "replay", "1") == identical
    again = tmp_path / "again"
    noted(capsys, "runs", "export", "1", "--out", str(again))
    assert again.read_bytes() == out.read_bytes()
    shown = json.loads(succeed(capsys, "runs", "show", "1", "--format", "json", "--frequencies"))
    assert shown["cells"][0]["frequencies"]["items"] == ["a", "b", "c", "ü"]
    out.write_bytes(out.read_bytes().replace(b'"share": 0.3', b'"share": 0.2'))
    assert "its digest is not the one it says" in fail(capsys, 3, "runs", "import", str(out))
    assert "its digest is not the one it says" in fail(capsys, 3, "replay", str(out))


def test_a_recording_alone_needs_no_store(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LDPTUI_STORE")
    monkeypatch.setattr(places, "store_file", lambda: tmp_path / "never")
    out = tmp_path / "out.ldptui"
    noted(capsys, "record", tiny, "--out", str(out), "--trials", "3", "--seed", "5")
    assert "identical: 3 trials" in succeed(capsys, "replay", str(out))
    assert not (tmp_path / "never").exists()


# Comparing, exporting.


def test_runs_that_share_their_streams_are_compared_in_pairs(
    tiny: str, kept: Path, capsys: Captured
) -> None:
    succeed(capsys, "run", tiny)
    succeed(capsys, "run", tiny, "--set", "attack.kind=ria")
    succeed(capsys, "run", tiny, "--seed", "9", "--trials", "40")
    with open_store(kept) as there:
        gains = [there.measured(run)[0].metrics["gain"] for run in (1, 2, 3)]

    def compared(a: str, b: str) -> dict[str, Any]:
        found = json.loads(succeed(capsys, "compare", a, b, "--metric", "gain", "--format", "json"))
        (only,) = found["differences"]
        return {**only, "changed": found["changed"]}

    paired = compared("1", "2")
    apart = gains[1] - gains[0]
    assert paired["paired"] is True
    assert paired["changed"] == "mga → ria"
    assert paired["difference"] == pytest.approx(apart.mean(), rel=1e-12)
    assert paired["standard_error"] == pytest.approx(apart.std(ddof=1) / 20**0.5, rel=1e-12)
    assert paired["z"] == pytest.approx(paired["difference"] / paired["standard_error"])
    other = compared("1", "3")
    assert other["paired"] is False
    assert other["difference"] == pytest.approx(gains[2].mean() - gains[0].mean(), rel=1e-12)
    error = (gains[0].var(ddof=1) / 20 + gains[2].var(ddof=1) / 40) ** 0.5
    assert other["standard_error"] == pytest.approx(error, rel=1e-12)
    same = compared("1", "1")
    assert (same["difference"], same["standard_error"], same["z"]) == (0, 0, None)
    table = succeed(capsys, "compare", "1", "2")
    assert "paired: both drew" in table
    assert "changed: mga → ria" in table
    assert "independent:" in succeed(capsys, "compare", "1", "3")


def test_sweeps_are_compared_where_they_meet(tiny: str, tmp_path: Path, capsys: Captured) -> None:
    for shares in ("[0.1, 0.2, 0.3]", "[0.3, 0.2, 0.4]"):
        path = tmp_path / "sweep.toml"
        path.write_text(f'{TWENTY}\n[sweep]\n"attack.share" = {shares}\n', encoding="utf-8")
        succeed(capsys, "run", str(path))
    found = list(
        csv.DictReader(io.StringIO(succeed(capsys, "compare", "1", "2", "--format", "csv")))
    )
    pairs = {(row["cell_a"], row["cell_b"], row["attack.share"]) for row in found}
    assert pairs == {("1", "1", "0.2"), ("2", "0", "0.3")}
    assert all(float(row["difference"]) == 0 for row in found)
    succeed(capsys, "run", tiny)
    assert "it is not clear which belong together" in fail(capsys, 2, "compare", "1", "3")


def test_exports_are_what_run_prints(tiny: str, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out.csv"
    words = tmp_path / "words.csv"
    printed = succeed(capsys, "run", tiny, "--format", "csv")
    noted(capsys, "runs", "export", "last", "--out", str(out), "--dictionary", str(words))
    assert out.read_text("utf-8") == printed
    meanings = {row["column"]: row for row in csv.DictReader(io.StringIO(words.read_text("utf-8")))}
    assert list(meanings) == next(csv.reader([printed.splitlines()[0]]))
    assert meanings["mse"]["meaning"].startswith("mean over the items")
    printed = succeed(capsys, "run", tiny, "--format", "json")
    noted(capsys, "runs", "export", "last", "--out", str(tmp_path / "out.json"))
    assert (tmp_path / "out.json").read_text("utf-8") == printed


def test_rows_by_cell_are_those_of_run_and_explained(
    tiny: str, tmp_path: Path, capsys: Captured
) -> None:
    out, words = tmp_path / "out.csv", tmp_path / "words.csv"
    printed = succeed(capsys, "run", tiny, "--format", "csv-cells")
    assert succeed(capsys, "runs", "show", "last", "--format", "csv-cells") == printed
    export = ("runs", "export", "last", "--out", str(out), "--format", "csv-cells")
    noted(capsys, *export, "--dictionary", str(words))
    assert out.read_text("utf-8") == printed
    meanings = {row["column"]: row for row in csv.DictReader(io.StringIO(words.read_text("utf-8")))}
    assert list(meanings) == next(csv.reader([printed.splitlines()[0]]))
    assert not any("the scenario's key" in row["meaning"] for row in meanings.values())
    assert meanings["gain_theory"]["meaning"] == "closed form of gain"


def test_the_dictionary_knows_every_metric(capsys: Captured) -> None:
    rows = json.loads(succeed(capsys, "runs", "dictionary", "--format", "json"))
    meanings = {row["column"]: row["meaning"] for row in rows}
    for name in METRICS:
        assert not meanings[name].startswith("the scenario's key")
    assert meanings["protocol.epsilon"].endswith(key_words("protocol.epsilon").meaning)
    assert "standard output" not in succeed(capsys, "runs", "dictionary")


def test_parquet_without_pyarrow_says_what_is_missing(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeed(capsys, "run", tiny)
    for name in ("pyarrow", "pyarrow.parquet"):  # another test may have imported them
        monkeypatch.setitem(sys.modules, name, None)
    out = tmp_path / "out.parquet"
    for command in (("runs", "export", "last"), ("run", tiny)):
        line = fail(capsys, 3, *command, "--out", str(out))
        assert "Parquet needs pyarrow" in line
    assert not out.exists()


def test_parquet_holds_a_row_for_every_trial(
    tiny: str, tmp_path: Path, kept: Path, capsys: Captured
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    succeed(capsys, "run", tiny)
    out = tmp_path / "out.parquet"
    noted(capsys, "runs", "export", "last", "--out", str(out))
    made = parquet.read_table(out)
    with open_store(kept) as there:
        measured = there.measured(1)[0]
    np.testing.assert_array_equal(made["gain"].to_numpy(), measured.metrics["gain"])
    assert made.schema.field("gain").metadata[b"description"].startswith(b"sum over the targets")
    succeed(capsys, "run", tiny, "--out", str(tmp_path / "run.parquet"), "--quiet")
    assert parquet.read_table(tmp_path / "run.parquet").equals(made)


@pytest.mark.parametrize(
    "table", ["[campaign]\nrounds = 2\n", '[sweep]\n"attack.share" = [0.1, 0.2]\n']
)
def test_parquet_has_the_columns_and_rows_of_csv(table: str) -> None:
    results = results_of(core.compile(parse(TWENTY + table)))
    made = tables_of_trials.columns(results)
    assert [len(mark) for mark in made.pop("fingerprint")] == [16] * len(made["cell"])
    names, *rows = csv.reader(io.StringIO(to_csv(results)))
    assert [*made] == names
    for values, texts in zip(made.values(), zip(*rows, strict=True), strict=True):
        assert ["" if value is None else str(value) for value in values] == [*texts]


def test_the_table_of_a_paper_is_that_of_the_run(
    tiny: str, tmp_path: Path, capsys: Captured
) -> None:
    """Whichever command writes it: by the end of a file's name, or by --format."""
    for end, form in (("md", "md"), ("tex", "latex")):
        printed = succeed(capsys, "run", tiny, "--quiet", "--format", form)
        out = tmp_path / f"table.{end}"
        for command in (("run", tiny, "--quiet"), ("runs", "export", "last")):
            assert cli.main([*command, "--out", str(out)]) == 0
            assert out.read_text(encoding="utf-8") == printed
            out.unlink()
        capsys.readouterr()
        assert succeed(capsys, "runs", "show", "last", "--format", form) == printed


def test_columns_have_one_type_each(tmp_path: Path, kept: Path, capsys: Captured) -> None:
    path = tmp_path / "mixed.toml"
    path.write_text(
        TWENTY.replace('kind = "oue"', 'kind = "olh"').replace("share = 0.1", "share = 0.0")
        + '\n[sweep]\n"protocol.hash_range" = ["nearest", 3]\n',
        encoding="utf-8",
    )
    succeed(capsys, "run", str(path))
    with open_store(kept) as there:
        results = there.results(1)
    found = tables_of_trials.columns(results)
    assert found["cell"] == [0] * 20 + [1] * 20
    assert found["trial"] == [*range(20)] * 2
    assert found["protocol.hash_range"] == ["nearest"] * 20 + ["3"] * 20
    assert found["fingerprint"][0] == f"{int(results.cells[0].fingerprints[0]):016x}"
    assert found["mse"][20:] == results.cells[1].metrics["mse"].tolist()


def test_a_run_of_attacks_and_defences_is_a_game(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "game.toml"
    path.write_text(
        'format = 1\ntrials = 2\n[population]\nkind = "zipf"\nitems = 8\nusers = 500\n'
        "exponent = 1.0\n"
        '[protocol]\nkind = "oue"\nepsilon = 1.0\n[attack]\nshare = 0.2\n'
        'targets = { pick = "random", count = 2 }\n[[defence]]\n[sweep]\n'
        '"attack.kind" = ["mga", "ria"]\n"defence.0.kind" = ["none", "norm-sub"]\n'
    )
    succeed(capsys, "run", str(path), "--quiet")
    game = json.loads(succeed(capsys, "game", "last", "--format", "json"))
    matrix = np.array(game["matrix"])
    assert game["metric"] == "gain_after"
    assert game["attacks"] == ["mga", "ria"]
    assert (np.array(game["attack_mixture"]) @ matrix).min() == pytest.approx(game["value"])
    assert (matrix @ np.array(game["defence_mixture"])).max() == pytest.approx(game["value"])
    assert f"value {short(game['value'])}" in succeed(capsys, "game", "last")
    assert "--metric must be one of" in fail(capsys, 2, "game", "last", "--metric", "luck")
    path.write_text(TINY)
    succeed(capsys, "run", str(path), "--quiet")
    assert "RUN must sweep a key of [attack]" in fail(capsys, 2, "game", "last")
