"""Commands run in this process, and what they print."""

from __future__ import annotations

import pytest

from ldptui.commands import cli

TINY = """\
format = 1
title = "Tiny"
trials = 4

[population]
kind = "uniform"
items = 8
users = 500

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.1
targets = { items = [1, 2] }
"""

Captured = pytest.CaptureFixture[str]


def succeed(capsys: Captured, *arguments: str) -> str:
    code = cli.main(arguments)
    output = capsys.readouterr()
    assert code == 0, output.err
    return output.out


def fail(capsys: Captured, code: int, *arguments: str) -> str:
    """The one line of the failure."""
    assert cli.main(arguments) == code
    output = capsys.readouterr()
    assert output.out == ""
    (line,) = output.err.splitlines()
    return line
