"""The keys with which a first user fell into something, at 30 ms a key: each means one thing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.lab_tabs import ask
from support.waiting import seen, until
from support.workbench_app import finished, own_home, workbench

from ldptui.screens.lab.lab_screen import LabScreen
from ldptui.session.draft import value_of

__all__ = ["own_home"]


class Try(NamedTuple):
    """What was pressed, and what there is then.

    keys : by their names; what is in quotes is typed. values : of the draft. pane : with the focus.
    words : on the screen.
    """

    keys: str
    values: Mapping[str, Any] = {}
    pane: int | None = None
    words: str = ""


START = {"population.items": 128, "population.users": 100_000, "population.exponent": 1.1}
TRIES = {
    "digits switch panes": Try("2 tab tab escape 1 2 4", START, 4),
    "digits type after enter": Try(
        "2 enter tab '490' tab '667574' enter",
        {"population.items": 490, "population.users": 667_574},
        2,
    ),
    "a number typed on a row is none": Try(
        "2 down '490'", START, 4, "0: digits choose panes here; ⏎ on a row types a number"
    ),
    "no more on another row": Try("2 '667574'", START, words="Check"),
    "a digit that leads to the lab says so": Try(
        "2 down 6", START, words="6 was a key: press ⏎ on domain size d"
    ),
    "an unknown key says so": Try("2 x", START, 2, "x: no such key here, f1 lists them"),
    "down moves between rows": Try("2 down down down up", START, 2),
    "so does j": Try("2 j j j k", START, 2),
    "and in the attack": Try("3 down down j", {"attack.kind": "mga", "attack.share": 0.05}, 3),
    "a kind keeps its values": Try(
        "2 right right right left left left", {"population.kind": "zipf", **START}, 2
    ),
    "the list of all protocols chooses none": Try(
        "1 end enter escape", {"protocol.kind": "oue"}, 1
    ),
    "tab comes to the attack": Try("2" + 14 * " tab", START, 3),
    "a smaller domain offers a repair": Try(
        "2 down enter '49' enter", {"population.items": 49}, 2, "⏎ takes the 3 rarest"
    ),
    "and enter takes it": Try(
        "2 down enter '49' enter enter",
        {"attack.targets": {"pick": "least-frequent", "count": 3}},
    ),
    "help of a dialog": Try("ctrl+e f1", words="A figure is the chart of the tab"),
    "of the palette, which takes the place of a help": Try(
        "ctrl+o f1 ctrl+p f1", words="Typed words find actions, with their keys"
    ),
    "the library is behind open": Try("ctrl+o 'cao-gain-beta'", words="gain over the share"),
    "one's deployment has a key": Try("M", words="What can fakes do to my deployment?"),
    "a value in the palette": Try("ctrl+p 'beta 1%' enter", {"attack.share": 0.01}),
    "another": Try("ctrl+p 'eps 2' enter", {"protocol.epsilon": 2}),
    "a protocol in the palette": Try("ctrl+p 'olh' enter", {"protocol.kind": "olh"}),
    "words that people know": Try("ctrl+p 'randomized response'", words="randomised-response"),
    "for the lab": Try("ctrl+p 'teach'", words="Lab:"),
    "for attributes": Try("ctrl+p 'attribute'", words="the relation R"),
    "for phases": Try("ctrl+p 'phase'", words="Attack: Add a phase"),
    "a campaign of 0, 2 and 10 % in its fields": Try(  # 13 keys
        "3 P enter '2%' enter P enter '10%' enter ctrl+r",
        {"attack.phase.0.share": 0.0, "attack.phase.1.share": 0.02, "attack.phase.2.share": 0.1},
        3,
        "- Remove",
    ),
    "help for the script": Try("3 s f1", words="[[attack.phase]]"),
    "a new attack in Python": Try(
        "3 enter 'plugin' enter", {"attack.kind": "plugin"}, 3, "e Write"
    ),
    "forty keys of panes": Try(8 * "1 2 3 4 5 ", START, 5),
}


def presses(keys: str) -> list[str]:
    """The keys as the pilot presses them, each followed by 30 ms."""
    pressed: list[str] = []
    for at, part in enumerate(keys.split("'")):
        pressed += part if at % 2 else part.split()
    return [each for key in pressed for each in ("space" if key == " " else key, "wait:30")]


@pytest.mark.parametrize("name", TRIES)
async def test_keys_mean_what_one_means(name: str) -> None:
    tried = TRIES[name]
    async with workbench() as (screen, _, pilot):
        assert {key: value_of(screen.draft, key) for key in START} == START
        await pilot.press(*presses(tried.keys))
        await until(
            pilot,
            lambda: {key: value_of(screen.draft, key) for key in tried.values} == tried.values,
            5,
        )
        assert tried.pane in (None, screen.pane)
        await until(pilot, lambda: tried.words in seen(pilot.app), 5)


async def asked_question(keys: str, count: int, **wanted: Any) -> tuple[str, dict[str, Any]]:
    """The tab of the lab and the values that are asked there after these keys, at 80 × 24.

    count : of the keys. wanted : values that are waited for.
    """
    pressed = presses(keys)
    assert sum(not key.startswith("wait") for key in pressed) == count
    async with workbench((80, 24)) as (_, _, pilot):
        await pilot.press(*pressed)
        lab = pilot.app.screen
        assert isinstance(lab, LabScreen)
        await until(pilot, lambda: lab._question and wanted.items() <= lab._question.values.items())
        assert lab._question
        return lab.tab, dict(lab._question.values)


async def test_ones_own_deployment_takes_at_most_twenty_keys() -> None:
    mine = {"epsilon": 2, "items": 1000, "users": 10**7, "share": 0.01}
    tab, _ = await asked_question(
        "M down enter '2' tab '1000' tab '10^7' tab '1%' enter", 18, **mine
    )
    assert tab == "deployment"


async def test_attribute_privacy_of_ones_own_table_takes_at_most_twenty_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is found by its words; the columns are those of the table."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("sex,town,smokes\nf,Bern,no\nf,Bern,no\nm,Chur,no\nm,Chur,yes\n")
    tab, values = await asked_question(
        "ctrl+p 'attribute' enter ctrl+o 'pe' tab enter", 16, file="people.csv"
    )
    answer = ask(tab, **values)
    assert answer.words[0].endswith("smokes is given away for 2: no attribute privacy.")
    assert "sex “f” and town “Bern” give smokes “no” away (2 rows)" in " ".join(answer.words)


async def test_a_figure_of_cao_with_another_domain_takes_twenty_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = list[Path]()
    monkeypatch.setattr(
        "ldptui.charts.draw.paper.write_figure", lambda _, path, **__: files.append(path)
    )
    monkeypatch.chdir(tmp_path)
    keys = presses("ctrl+p 'cao' enter 2 down enter '490' tab '667574' ctrl+e enter")
    assert sum(not key.startswith("wait") for key in keys) == 20
    async with workbench() as (screen, engine, pilot):
        await pilot.press(*keys)
        await until(pilot, lambda: engine.active is not None and engine.active.full)
        assert screen.draft.title == "Cao et al.: gain over the share of fake users"
        assert value_of(screen.draft, "population.items") == 490
        assert value_of(screen.draft, "population.users") == 667_574
        finished(engine)
        await until(pilot, lambda: bool(files))
    assert files == [tmp_path / "cao-et-al-gain-over-the-share-of-fake-users-gain.pdf"]
