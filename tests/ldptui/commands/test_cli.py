"""The command line: help, exit codes, errors of one line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import TINY, Captured, fail, succeed

import ldptui
from ldptui import __main__ as program
from ldptui.catalogue import key_words
from ldptui.commands import cli, run_progress
from ldptui.commands.command_help import GROUPS
from ldptui.core.base.errors import RunError
from ldptui.core.kernels.loops import LOOPS
from ldptui.core.protocols import KINDS, NAMED
from ldptui.terminal import exits

OUE = ("--protocol", "oue", "--epsilon", "1", "--items", "8")


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
            "attack.targets.count is required",
        ),
        (
            ("run", "quickstart", "--set", 'attack={kind="mga",share=0.1}'),
            'attack.targets is required, as { pick = "random", count = 1 }',
        ),
        (
            ("run", "quickstart", "--trials", "100000"),
            "at most 1 000 000, got 100 000 × 21 (--no-limits lifts this)",
        ),
        (("theory", "oue", "--items", "8", "--epsilon=-1"), "must be in (0, 20], got -1"),
        (("runn", "quickstart"), "did you mean the command run?"),
        (("theory", "oe", "--epsilon", "1"), 'got "oe" (did you mean oue?)'),
        (("plot", "quickstart", "--out", "a.png", "--chart", "gian"), "(did you mean gain?)"),
        (("plot", "quickstart", "--out", "a.png", "--paper-columns", "3"), "one of 1, 2, got 3"),
        (("runs", "shwo"), "ACTION: must be one of list, show, rm, tag, star, export, import, gc"),
        (("run", "quickstart", "--set", "protocol.kind=ou"), 'exact, got "ou" (did you mean'),
        (("ledger", "1e400"), "ENTRY 1e400: epsilon must be finite and at least 0, got inf"),
        (("ledger", "0.1x1.5"), 'must be [NAME=]EPSILON[,DELTA][xTIMES], got "0.1x1.5"'),
        (("--store", "x", "run", "quickstart"), "run is a command: it comes before its options"),
    ],
)
def test_a_message_helps_to_mend_the_fault(
    capsys: Captured, arguments: tuple[str, ...], told: str
) -> None:
    assert told in fail(capsys, 2, *arguments)


@pytest.mark.parametrize(
    ("code", "command", "end"),
    [
        (3, "run {}", "… cannot be read: File name too long"),
        (3, "runs import {}", " cannot be read: file name too long"),
        (3, "runs list --store {}", " does not exist"),
        (3, "run quickstart --no-store --quiet --trials 1 --out {}.csv", ": File name too long"),
        (3, "estimate {}.csv --protocol oue --epsilon 1 --items 4", ": File name too long"),
        (3, "scenarios copy quickstart {}", " cannot be written: File name too long"),
        (2, "replay {}", "…"),
        (2, "compare {} {}", "…"),
    ],
)
def test_a_name_that_is_too_long_is_no_bug(
    capsys: Captured, code: int, command: str, end: str
) -> None:
    """A folder that may not be entered is met in the same way, which root would never see."""
    said = fail(capsys, code, *command.format(*["x" * 5000] * 2).split())
    assert said.endswith(end)


def test_a_key_of_set_may_have_quotes(capsys: Captured, tiny: str) -> None:
    text = succeed(capsys, "run", tiny, "--format", "json", "--set", '"attack.share"=0.2')
    assert json.loads(text)["cells"][0]["parameters"]["attack.share"] == 0.2


@pytest.mark.parametrize(
    ("setting", "form"),
    [
        ("attack.share=0.01,0.02", "attack.share=[0.01, 0.02]"),
        ("protocol.kind=grr, oue", 'protocol.kind=["grr", "oue"]'),
    ],
)
def test_a_list_without_brackets_is_told_how_to_sweep(
    capsys: Captured, tiny: str, setting: str, form: str
) -> None:
    said = fail(capsys, 2, "run", tiny, "--set", setting)
    assert said.endswith(f"; a list, which sweeps a key, is written --set '{form}'")
    assert "gain" in succeed(capsys, "run", tiny, "--set", form)


def test_a_word_that_is_nothing_is_told_the_nearest_name(capsys: Captured) -> None:
    assert fail(capsys, 3, "runz").endswith("nor a bundled scenario (did you mean run?)")
    assert "(did you mean quickstart?)" in fail(capsys, 3, "quikstart.csv")
    assert "(ldptui scenarios lists those)" in fail(capsys, 3, "zzzzz")


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
    assert len(text.splitlines()) <= 24
    assert max(map(len, text.splitlines())) <= 80
    words = {word.strip(" ,") for word in text.split()}
    assert words >= {*cli.commands()}
    assert all(f"\n{group}: " in text for group in GROUPS)
    assert not words & {"spec", "vectors"}
    text = succeed(capsys, "help")
    for word in ("run SCENARIO", "theory PROTOCOL", "scenarios", "schema", "--charset", "130"):
        assert word in text
    assert succeed(capsys, "help", "run") == succeed(capsys, "run", "--help")
    assert "must be a command or a protocol, got rnu (did you mean run?)" in fail(
        capsys, 2, "help", "rnu"
    )
    for command in ("run", "theory", "scenarios", "schema"):
        assert f"usage: ldptui {command}" in succeed(capsys, command, "--help")
    for command in ("theory", "conclude", "estimate"):
        shown = succeed(capsys, command, "--help")
        assert "--subset-size" in shown
        assert key_words("protocol.subset_size").first not in " ".join(shown.split())
        assert max(map(len, shown.partition("\nexample")[0].splitlines())) <= 80
    shown = " ".join(succeed(capsys, "help", "ss").split())
    assert f"--subset-size {key_words('protocol.subset_size').meaning} Allowed: " in shown
    assert "--hash-range" not in shown


def test_every_command_has_letters_and_a_log(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert succeed(capsys, "-V") == succeed(capsys, "--version")
    words = ("quickstart", "--trials", "1", "--no-store", "-q", "-o", "out.csv")
    assert cli.main(["run", *words, "--log-file", "log", "--verbose"]) == exits.DONE
    assert (tmp_path / "out.csv").exists()
    said = capsys.readouterr().err
    for text in (said, (tmp_path / "log").read_text("utf-8")):
        assert "ldptui run quickstart" in text
        assert "done in" in text


def test_a_scenario_is_read_from_standard_input(
    capsys: Captured, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("-", "/dev/stdin"):
        done = subprocess.run(
            [sys.executable, "-m", "ldptui", "run", place, "--no-store", "-q"],
            input=Path(tiny).read_bytes(), capture_output=True,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (exits.DONE, b"")
        assert b"gain" in done.stdout


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_protocol_alone_is_told_by_an_example(kind: str, capsys: Captured) -> None:
    assert cli.main(["theory", kind]) == exits.DONE
    output = capsys.readouterr()
    assert "n = 10 000" in output.out
    assert output.err.startswith("an example: ")
    assert cli.main(["theory", kind, "--users", "50"]) == exits.DONE
    output = capsys.readouterr()
    assert "n = 50" in output.out
    assert output.err in ("", "an example: --epsilon 1 --items 16\n", "an example: --items 16\n",
                          "an example: --epsilon 1\n")  # fmt: skip


def test_former_names_still_work_and_say_the_new_one(capsys: Captured) -> None:
    words = ("grr", "--epsilon", "1", "--items", "4")
    for name in ("spec", "vectors"):
        assert cli.main([name, *words]) == exits.DONE
        output = capsys.readouterr()
        assert f"ldptui {name} is ldptui client {name} from now on" in output.err
        assert succeed(capsys, "client", name, *words) == output.out
    assert "ACTION must be spec or vectors" in fail(capsys, 2, "client")


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
        ("serve", "no-such-scenario"),
        ("no/such/file.toml",),
        (".",),
        ("replay", "no-such.ldptui"),
        ("estimate", "no-such.csv", *OUE),
        ("deployment", "no-such.csv", *OUE, "--share", "0.1"),
        ("deployment", *OUE[:4], "--domain", "no-such.txt", "--users", "9", "--share", "0.1"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line_and_exit_code_3(
    capsys: Captured, arguments: tuple[str, ...]
) -> None:
    assert fail(capsys, 3, *arguments)


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

    monkeypatch.setattr(run_progress, "measure", broken)
    assert fail(capsys, 1, "run", tiny) == "a worker process died"

    def starved(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(run_progress, "measure", starved)
    assert "memory" in fail(capsys, 1, "run", tiny)


def test_a_bug_is_one_line_with_a_report_and_exit_code_70(
    capsys: Captured, tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(run_progress, "measure", broken)
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
    monkeypatch.setattr(run_progress, "measure", broken)
    monkeypatch.setattr("ldptui.terminal.crash.state_dir", lambda: tmp_path / "file" / "state")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "file" / "tmp"))
    assert fail(capsys, 70, "run", tiny) == "ldptui: bug: ZeroDivisionError: x"


def test_sigint_is_listed_here_for_this_platform() -> None:
    assert exits.INTERRUPTED == 128 + signal.SIGINT
