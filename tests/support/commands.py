"""Commands run in this process, and what they print."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

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

TWENTY = TINY.replace("trials = 4", "trials = 20")

Captured = pytest.CaptureFixture[str]


def succeed(capsys: Captured, *arguments: str) -> str:
    """The standard output of a command that succeeds."""
    return _succeeded(capsys, arguments).out


def fail(capsys: Captured, code: int, *arguments: str) -> str:
    """The one line of the failure, after what reports for tests are told to be."""
    assert cli.main(arguments) == code
    output = capsys.readouterr()
    assert output.out == ""
    (line,) = (line for line in output.err.splitlines() if "has reports for tests" not in line)
    return line


def noted(capsys: Captured, *arguments: str) -> str:
    """The standard error of a command that succeeds."""
    return _succeeded(capsys, arguments).err


def _succeeded(capsys: Captured, arguments: Sequence[str]) -> pytest.CaptureResult[str]:
    code = cli.main(arguments)
    output = capsys.readouterr()
    assert code == 0, output.err
    return output


def listed(capsys: Captured, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        succeed(capsys, "runs", "list", "--format", "json", *arguments)
    )
    return found
