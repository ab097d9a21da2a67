"""The way of an option from the parsed line to the core: few functions, which a reader walks."""

from __future__ import annotations

import dataclasses
import sys
from argparse import Namespace
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

import ldptui
from ldptui.commands import cli
from ldptui.terminal import exits

MOST: Final = 8
ROOT: Final = Path(ldptui.__file__).parent
APART: Final = ("cli", "command_logs", "help_parser", "options", "signature")
"""The modules that read the words of the line, and that check one value by its own rule."""
SMALL: Final = ("quickstart", "--trials", "1", "--quiet")
REPORTS: Final = str(ROOT / "questions" / "examples" / "reports.csv")


def has(value: Any, wanted: str, depth: int = 3) -> bool:
    """Return whether a value is the one wanted, or has it as a part, as options have."""
    if isinstance(value, str | int | float):
        return str(value) == wanted
    if not depth:
        return False
    if isinstance(value, list | tuple):
        return any(has(part, wanted, depth - 1) for part in value[:40])
    named = vars(value) if isinstance(value, Namespace) else value
    if dataclasses.is_dataclass(value) and ".commands." in type(value).__module__:
        named = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return isinstance(named, dict) and has([*named.values()], wanted, depth - 1)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("987654", ("run", *SMALL, "--no-store", "--seed", "987654")),
        ("gain,mse", ("run", *SMALL, "--no-store", "--metrics", "gain,mse")),
        ("{folder}/a.json", ("run", *SMALL, "--no-store", "--out", "{folder}/a.json")),
        ("{folder}/s.db", ("run", *SMALL, "--store", "{folder}/s.db")),
        ("trials", ("plot", *SMALL, "--chart", "trials", "--out", "{folder}/a.txt")),
        ("{folder}/b.txt", ("plot", *SMALL, "--out", "{folder}/b.txt")),
        ("12345", ("theory", "oue", "--epsilon", "1", "--items", "12345")),
        ("0.98765", ("estimate", REPORTS, "--protocol", "oue", "--epsilon", "1",
                     "--items", "16", "--confidence", "0.98765")),
    ],
)  # fmt: skip
def test_an_option_goes_through_few_functions(
    value: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted, stays = value.format(folder=tmp_path), dict[str, None]()
    arguments = [word.format(folder=tmp_path) for word in words]
    cli.main(arguments)  # imports all

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        place = Path(code.co_filename)
        if event != "call" or place.parent.name not in ("commands", "questions"):
            return
        if place.stem in APART:
            return
        if (
            ROOT in place.parents
            and not code.co_name.startswith("<")
            and has([*frame.f_locals.values()], wanted)
        ):
            stays[f"{place.stem}.{code.co_qualname}"] = None

    sys.setprofile(look)
    try:
        done = cli.main(arguments)
    finally:
        sys.setprofile(None)
    assert done == exits.DONE, capsys.readouterr().err
    assert 1 <= len(stays) <= MOST, [*stays]
