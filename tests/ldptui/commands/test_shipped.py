"""What a package brings along: its pages, and completion in shells."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ldptui import scenarios
from ldptui.commands import program_pages as pages
from ldptui.commands.cli import commands
from ldptui.commands.shell_completion import script, whole
from ldptui.core.base.errors import FileError


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in ("index", "theory", "404"):
        (tmp_path / f"{name}.html").write_text("", encoding="utf-8")
    return tmp_path


def test_a_page_is_found_by_its_name(site: Path) -> None:
    assert pages.page("theory", site) == site / "theory.html"
    with pytest.raises(FileError, match=r"theori is not a page \(did you mean theory\?\)"):
        pages.page("theori", site)
    with pytest.raises(FileError, match=r"/x is not a page \(there are index, theory\)"):
        pages.page("/x", site)


def test_a_copy_without_pages_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"came without its pages: they are text in .*/docs"):
        pages.page("index", tmp_path)


@pytest.mark.parametrize("opens", [True, False])
def test_docs_opens_a_page_where_there_is_a_screen(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], opens: bool
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(pages, "page", lambda name: site / f"{name}.html")
    monkeypatch.setattr(pages, "has_screen", lambda: True)
    monkeypatch.setattr(pages.webbrowser, "open", opened.append)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert pages.open_page("theory", opens) == 0
    assert capsys.readouterr().out == f"{site / 'theory.html'}\n"
    assert opened == [(site / "theory.html").as_uri()] * opens


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_each_shell_has_a_script_with_every_command(shell: str) -> None:
    written = script(shell)
    assert all(command in written for command in commands())
    assert shell == "tcsh" or all(name in written for name in scenarios.names())


def test_commands_below_the_whole_parser_say_what_they_do() -> None:
    text = whole().format_all()
    assert "estimate the frequencies of items" in " ".join(text.split()).lower()


COMPLETE = """\
source completion
try() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=()
  _shtab_ldptui ldptui "${@: -1}" "${@: -2:1}"
  echo "${COMPREPLY[*]}"
}
try ldptui th; try ldptui run quick; try ldptui run --path ''; try ldptui run my
"""


def test_bash_completes_commands_scenarios_choices_and_files(tmp_path: Path) -> None:
    (tmp_path / "completion").write_text(script("bash"), encoding="utf-8")
    (tmp_path / "my.toml").write_text("", encoding="utf-8")
    done = subprocess.run(
        ["bash", "-c", COMPLETE], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    words = [line.split() for line in done.stdout.splitlines()]
    assert words == [["theory"], ["quickstart"], ["auto", "counts", "reports"], ["my.toml"]]
