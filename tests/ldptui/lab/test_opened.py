"""Reports that the workbench opens: the tabs say what the commands say, of one collection."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.commands import Captured, fail
from support.lab_tabs import ask

import ldptui
from ldptui.commands.command import call_with
from ldptui.commands.common_options import Opening
from ldptui.commands.help_parser import app_parser
from ldptui.commands.reports_opening import read_opening
from ldptui.core.base.errors import ScenarioError
from ldptui.questions.topics import TOPICS, sharing, starting

pytestmark = pytest.mark.filterwarnings("ignore:.*has reports for tests")

EXAMPLES = Path(ldptui.__file__).parent / "questions" / "examples"
TARGETS = (9, 12, 15)


@pytest.fixture(scope="module")
def olh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of OLH reports, with names of the items."""
    folder = tmp_path_factory.mktemp("olh")
    rng, made = np.random.default_rng(5), ldptui.protocol("olh", items=6, epsilon=2.0)
    for day in (1, 2):
        reports = made.perturb(rng.integers(0, 6, 3000), rng)
        ldptui.write_reports(folder / f"day-{day}.csv", [reports], made)
    (folder / "names.txt").write_text("ash\nbeech\nelm\nfig\noak\nyew\n", encoding="utf-8")
    return folder


def test_the_example_is_what_it_is_said_to_be() -> None:
    """4000 reports of OUE about 16 items, 200 of them of MGA on three."""
    oue = ldptui.protocol("oue", items=16, epsilon=1.0)
    frequencies = 1 / np.arange(1, 17)
    expected = 3800 * (oue.q + (oue.p - oue.q) * frequencies / frequencies.sum())
    aims = list(TARGETS)
    expected[aims] += 200
    others = np.delete(np.arange(16), aims)
    expected[others] += 200 * oue.padding(len(TARGETS)) / others.size
    [kept] = ldptui.read_reports(EXAMPLES / "reports.csv", oue)
    assert len(kept) == 4000
    counts = oue.support_counts(kept)
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(3800 / 4)).all()
    assert [name for name, topic in TOPICS.items() if topic.group == "My reports"] == [
        "estimate",
        "screen",
        "conclude",
    ]


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "reports.csv"
    made = ldptui.protocol("grr", items=4, epsilon=1.0)
    values = {"reports": [str(path)], "protocol": "grr", "items": 4}
    for item in (0, 3):
        ldptui.write_reports(path, [np.full(50 + item, item, np.uint32)], made)
        assert ask("estimate", **values).table.rows[0][0] == str(item)


@pytest.mark.parametrize(
    ("values", "field", "rule"),
    [
        ({"reports": []}, "reports.0", "must name a file of reports"),
        ({"reports": ["nowhere.csv"]}, "reports.0", "No such file"),
        ({"reports": ["notes.txt"]}, "reports.0", "must"),
        ({"items": None}, "items", "is required, or domain"),
        ({"domain": "nowhere.txt"}, "domain", "must be a file"),
        ({"epsilon": None}, "epsilon", "is required"),
        ({"protocol": "olh"}, "reports.0", "must have the column 'seed'"),
        ({"items": 40}, "reports.0", "line 2: report must be 10 hexadecimal digits"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    values: dict[str, object], field: str, rule: str, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("no reports")
    with pytest.raises(ScenarioError, match=rule) as caught:
        ask("estimate", folder=tmp_path, **values)
    assert caught.value.key == field


def test_all_tabs_are_about_one_collection() -> None:
    every = tuple(name for name, topic in TOPICS.items() if topic.uses_collection)
    assert sharing("estimate", "epsilon") == sharing("screen", "hash_range") == every
    assert sharing("estimate", "confidence") == ("estimate",)
    assert sharing("check", "epsilon") == ("check",)


def test_the_command_opens_what_the_tabs_read(
    olh: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(olh)
    line = ["day-1.csv", "--protocol", "OLH", "--epsilon", "2", "--items", "6", "--set"]
    parsed = app_parser().parse_args([*line, "hash_range=8"])
    opened = read_opening(call_with(Opening, vars(parsed)))
    assert opened == {
        "reports": (str(olh / "day-1.csv"),), "protocol": "olh", "epsilon": 2.0, "items": 6,
        "domain": None, "low": None, "high": None, "hash_range": "8",
    }  # fmt: skip
    values = starting("estimate", None, opened)
    assert values["hash_range"] == "8"
    assert values["domain"] is None
    for arguments, words in (
        (["day-1.csv"], "--protocol, --epsilon and --items or --domain are required"),
        (["day-1.csv", "--protocol", "olh"], "--items is required, or --domain"),
        (["--protocol", "olh"], "--protocol takes the files that hold the reports"),
        (["quickstart", "--items", "3"], "go with --protocol"),
        ([*line[:-1], "--domain", "x"], "not allowed with"),
        (["-", *line[1:-1]], "got standard input"),
        (["day-1.csv", "--protocol", "a.py:b", *line[3:-1]], "ldptui's own"),
        (["day-1.csv", "--protocol", "ohl", *line[3:-1]], "--protocol must be one of"),
        (["day-1.csv", *line[1:3], "--epsilon", "-1", "--items", "6"], "--epsilon must be in"),
    ):
        assert words in fail(capsys, 2, *arguments)
    assert "no such file" in fail(capsys, 3, "nowhere.csv", *line[1:-1])
