"""Whatever a CSV file, --set or the settings file hold: one clear sentence, or what they say."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import tomlkit
from support.mutations import mutated_text, mutated_toml, value

from ldptui import scenarios
from ldptui.commands.scenario_loading import toml_value
from ldptui.core.base.errors import LdpError
from ldptui.core.lab.columns import read_columns
from ldptui.core.scenario import KEY_TYPES, parse
from ldptui.terminal.settings import load_settings

FEW, MANY = 150, 20_000

TABLE = "age,city,note\n" + "".join(f'{n % 7},c{n % 3},"a, b{n}"\n' for n in range(12))
BYTES = (b"\x00", b"\xff", b'"', b"\r", b"\x1b[2J", "\u2028".encode(), b"\xef\xbb\xbf", b"")
SETTINGS = """\
theme = "ldptui-light"
charset = "ascii"
mouse = false
allow_attacks = ["name"]
attack_files = []

[keys]
"run.start" = "f9"
"""
SCENARIO = """\
format = 1
[population]
kind = "zipf"
items = 8
users = 100
exponent = 1.0
[protocol]
kind = "oue"
epsilon = 1.0
[attack]
kind = "mga"
share = 0.1
targets = { items = [1, 2] }
"""
SCENARIOS = (
    SCENARIO,
    *(scenarios.path(name).read_text("utf-8") for name in ("burst", "mixed-attack", "range-sums")),
)
KEYS = sorted(KEY_TYPES)


def read_table(draw: random.Random, path: Path) -> None:
    data = mutated_text(TABLE, draw).encode("utf-8", "surrogatepass")
    place = draw.randrange(len(data) + 1)
    path.write_bytes(data[:place] + draw.choice(BYTES) + data[place + draw.randrange(3) :])
    read_columns(path, draw.choice((["age"], ["city", "note"], ["age", "age"], [""])), most=10)


def read_settings(draw: random.Random, path: Path) -> None:
    text = mutated_toml(SETTINGS, ["keys.run.start", "theme", "keys.x", "attack_files"], draw)
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    load_settings(path)


def set_values(draw: random.Random, path: Path) -> None:
    scenario = parse(draw.choice(SCENARIOS), "my.toml")
    if draw.random() < 0.2:
        scenario = scenario.with_value("trials", 5)
    for _ in range(draw.choice((0, 1, 1, 2))):
        key = draw.choice(KEYS).replace("*", draw.choice("019x"))
        key += draw.choice(("", "", "", ".x", ".0", "."))
        written = tomlkit.item(value(draw)).as_string() if draw.random() < 0.7 else "[" * 50
        scenario = scenario.with_value(key, toml_value(written))
    for problem in scenario.problems():
        raise problem


INPUTS = (read_table, read_settings, set_values)


def run(take: Callable[[random.Random, Path], None], seeds: range, path: Path) -> None:
    said = []
    for seed in seeds:
        try:
            take(random.Random(seed), path)
        except LdpError as error:
            said.append((seed, str(error)))
        except Exception as error:
            raise AssertionError(f"seed {seed} raises {error!r}") from error
    assert [case for case in said if not case[1].isprintable() or len(case[1]) < 10] == []
    assert 0 < len(said) < len(seeds)  # inputs that are all bad, or none, would test nothing


@pytest.mark.parametrize("take", INPUTS)
def test_no_input_raises(take: Callable[[random.Random, Path], None], tmp_path: Path) -> None:
    run(take, range(FEW), tmp_path / "input")


@pytest.mark.long
@pytest.mark.parametrize("take", INPUTS)
def test_many_inputs_raise_nothing(
    take: Callable[[random.Random, Path], None], tmp_path: Path
) -> None:
    run(take, range(FEW, MANY), tmp_path / "input")
