"""Copying: tmux, else OSC 52 up to a size; the sentence says what was done."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
from textual.app import App

from ldptui.terminal import clipboard


class Terminal:
    """Takes what is sent to the terminal's clipboard."""

    def __init__(self) -> None:
        self.got: list[str] = []

    def copy_to_clipboard(self, text: str) -> None:
        self.got.append(text)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("STY", raising=False)
    return Terminal()


def copy(terminal: Terminal, text: str) -> str:
    return clipboard.copy(cast("App[Any]", terminal), text)


def fake_tmux(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    tmux = folder / "tmux"
    tmux.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    tmux.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")


def test_plain_terminal(terminal: Terminal) -> None:
    assert copy(terminal, "ε = 1\nd = 3\n") == "sent 2 lines to the terminal's clipboard"
    assert terminal.got == ["ε = 1\nd = 3\n"]


def test_nothing_to_copy(terminal: Terminal) -> None:
    assert copy(terminal, " \n") == "there is nothing to copy here yet"
    assert terminal.got == []


def test_tmux_takes_the_text_and_the_terminal_is_left_alone(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tmux(tmp_path, monkeypatch, f'echo "$@" >> {tmp_path}/args; cat > {tmp_path}/buffer')
    assert copy(terminal, "ε\n").startswith("copied 1 line to the tmux buffer")
    assert (tmp_path / "buffer").read_text(encoding="utf-8") == "ε\n"
    assert (tmp_path / "args").read_text(encoding="utf-8") == "load-buffer -w -\n"
    assert terminal.got == []


def test_an_old_tmux_has_no_w(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tmux(tmp_path, monkeypatch, f'[ "$2" = -w ] && exit 1; cat > {tmp_path}/buffer')
    assert "tmux buffer" in copy(terminal, "x")
    assert (tmp_path / "buffer").read_text(encoding="utf-8") == "x"


def test_a_tmux_that_fails_leaves_it_to_the_terminal(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tmux(tmp_path, monkeypatch, "exit 1")
    assert copy(terminal, "x") == "sent 1 line to the terminal's clipboard"
    assert terminal.got == ["x"]


def test_a_tmux_that_hangs_is_not_waited_for(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tmux(tmp_path, monkeypatch, "exit 0")
    limits: list[float] = []

    def hang(*args: object, timeout: float, **options: object) -> None:
        limits.append(timeout)
        raise subprocess.TimeoutExpired("tmux", timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    assert copy(terminal, "x") == "sent 1 line to the terminal's clipboard"
    assert limits == [1.0]


def test_more_than_terminals_take_is_not_sent(terminal: Terminal) -> None:
    text = "é" * (clipboard.LIMIT // 2)
    assert "sent" in copy(terminal, text)
    terminal.got.clear()
    sentence = copy(terminal, text + "x")
    assert "too much" in sentence
    assert "ctrl+e" in sentence
    assert terminal.got == []


def test_screen_may_not_pass_it_on(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STY", "1.pts")
    assert "screen may stop" in copy(terminal, "x")
    assert terminal.got == ["x"]
