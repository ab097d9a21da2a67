"""The command palette holds every action of the workbench, each with its key."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from support.fake_engine import FakeEngine
from support.waiting import until
from support.workbench_app import finished
from textual.app import SystemCommand
from textual.command import CommandInput, CommandList, CommandPalette, Hit
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from ldptui import scenarios
from ldptui.app import Workbench
from ldptui.engine.engine import Engine
from ldptui.screens.dialogs.prompts import TextScreen
from ldptui.screens.help_screen import help_text
from ldptui.screens.library_screen import entries
from ldptui.screens.palette import (
    PLACEHOLDER,
    TITLES,
    Commands,
    commands,
    field_title,
    keys_of,
    values,
)
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.runs_pane import RunsPane
from ldptui.session.draft import edit_key, open_draft, value_of
from ldptui.session.run_list import RunList
from ldptui.terminal import places, settings
from ldptui.terminal.crash import debug_info
from ldptui.terminal.settings import Settings
from ldptui.widgets.choice_bar import ChoiceBar
from ldptui.widgets.key_hints import KeyHints
from ldptui.widgets.words import entitle

SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("state_dir", "scenarios_dir"):
        monkeypatch.setattr(places, name, lambda name=name: tmp_path / name)
    monkeypatch.setattr(places, "config_file", lambda: tmp_path / "config.toml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def workbench(**changes: Any) -> Workbench:
    return Workbench(Settings(**changes), engine=cast("type[Engine]", FakeEngine))


async def started(pilot: Pilot[None]) -> None:
    """The first draft is loaded by a worker that begins after the first frame; it is simulated."""
    engine = pilot.app.workbench._engine  # type: ignore[attr-defined]
    await until(pilot, lambda: engine.active is not None)
    finished(engine)
    await pilot.press("2")


@pytest.fixture
async def pilot(request: pytest.FixtureRequest) -> AsyncIterator[Pilot[None]]:
    size = getattr(request, "param", (120, 40))
    async with workbench().run_test(size=size) as pilot:
        await started(pilot)
        yield pilot


def offered(pilot: Pilot[None]) -> dict[str, SystemCommand]:
    return {command.title: command for command in commands(pilot.app, pilot.app.screen)}


async def test_a_key_of_the_settings_is_named_everywhere() -> None:
    app = workbench(keys={"run.start": "f9", "charts.view": "w", "report.new": "b"})
    async with app.run_test(size=(120, 40)) as pilot:
        await started(pilot)
        screen = app.workbench
        screen.query_one(KeyHints).refresh()
        hints = str(screen.query_one(KeyHints).render())
        assert "f9 Run" in hints
        assert offered(pilot)["Run all trials and the sweep"].help == "key: f9"
        charts = screen.query_one(ChartsPane)
        charts.tab = "gain"
        switches = charts.query_one("#tabs", ChoiceBar)
        await until(pilot, lambda: any(words.startswith("w ") for _, words in switches.switches))
        runs = screen.query_one(RunsPane)
        runs.run_list = RunList()  # a preview may have begun by now
        assert "f9 runs the scenario" in str(runs.query_one("#empty", Static).render())
        assert "f9 runs all trials" in "".join(part.plain for part in help_text("", "f9"))
        charts.tab = "report"
        screen.hints.omitted = "deployment.open"  # it has been opened: there is room for b
        await pilot.press("4")
        await until(pilot, lambda: "b New report" in str(screen.query_one(KeyHints).render()))


async def choose(pilot: Pilot[None], title: str) -> None:
    offered(pilot)[title].callback()
    await pilot.pause()


@pytest.mark.long
@pytest.mark.every(3)
@pytest.mark.parametrize("pilot", SIZES, indirect=True)
async def test_every_action_is_there_with_its_key(pilot: Pilot[None]) -> None:
    """But for those of dialogs, of fields that have not the focus, and without an effect now."""
    helps = [command.help for command in commands(pilot.app, pilot.app.screen)]
    titles = offered(pilot)
    everything = settings.bindings()
    for name in ("run.start", "file.save", "file.open", "file.export", "help",
                 "chart.copy", "run.cancel", "app.quit", "pane.1", "pane.5",
                 "charts.view"):  # fmt: skip
        binding = everything[name]
        found = [one for title, one in titles.items()
                 if title == TITLES.get(name) or title.endswith(f": {binding.description}")
                 or title == binding.description]  # fmt: skip
        keys = keys_of(pilot.app, binding)
        assert any(all(key in command.help for key in keys) for command in found), (name, keys)
    assert all(helps)
    assert not [title for title in titles if "Play rounds" in title]
    curve_is_shown = pilot.app.size.width == 200  # beside the frequencies
    assert ("Charts: Log x" in titles) == curve_is_shown


@pytest.mark.long
async def test_titles_are_different_and_say_what_was_typed(pilot: Pilot[None]) -> None:
    titles = [command.title for command in commands(pilot.app, pilot.app.screen)]
    twice = {title for title in titles if titles.count(title) > 1}
    assert not twice
    # Keys, not by the names of their characters, such as trade_mark_sign, option+2 on a Mac.
    assert offered(pilot)["Pane 2: Parameters"].help == "key: 2 alt+2 f3"
    assert not [
        item.help
        for item in offered(pilot).values()
        if item.help.startswith("key") and "_" in item.help
    ]
    # In the border, and in the list of commands, whatever it would mean as markup.
    pane = pilot.app.screen.query_one("#pane-2")
    for typed in ('["iu', "[↔ β", "[@x", "[/]", "[bold]x"):
        entitle(pane, Content(f"2 Parameters · {typed}"))
        entitle(pane, Content(f"2 Parameters · {typed}"))
        await pilot.pause()
        assert typed in Content.from_markup(pane.border_title or "").plain
        assert "Pane 2: Parameters" in offered(pilot)


async def test_an_action_is_done_where_it_belongs(pilot: Pilot[None]) -> None:
    tabs = pilot.app.screen.query_one("#tabs", ChoiceBar)
    pilot.app.screen.query_one(ChartsPane).tab = "gain"
    await until(pilot, lambda: bool(tabs.switches))
    await choose(pilot, "Pane 5: Runs")
    assert pilot.app.screen.pane == 5  # type: ignore[attr-defined]
    before = tabs.switches
    await choose(pilot, "Charts: View")
    assert pilot.app.screen.pane == 4  # type: ignore[attr-defined]
    assert tabs.switches != before


@pytest.mark.every(5)
@pytest.mark.parametrize("tab", ["report", "table", "equations", "gain", "error"])
async def test_a_tab_is_shown(pilot: Pilot[None], tab: str) -> None:
    titles = {"report": "One report", "table": "Table", "equations": "Equations"}
    await choose(pilot, f"Tab: {titles.get(tab, tab.capitalize())}")
    assert pilot.app.screen.query_one(ChartsPane).tab == tab


@pytest.mark.long
async def test_themes_and_charsets(pilot: Pilot[None]) -> None:
    await choose(pilot, "Theme: ldptui-light")
    assert pilot.app.theme == "ldptui-light"
    await choose(pilot, "Charset: ascii")
    assert cast("Workbench", pilot.app).charset == "ascii"


async def test_a_screenshot_is_written_where_we_are(pilot: Pilot[None], home: Path) -> None:
    await choose(pilot, "Save screenshot (SVG)")
    picture = (home / "ldptui-screen.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "Protocol" in picture
    # No font of the web, nor any other address, but the name of the format.
    assert re.findall(r"\w+://[^\"\s]+|@font-face", picture) == ["http://www.w3.org/2000/svg"]
    assert "Fira Code, monospace" not in picture
    assert "DejaVu Sans Mono" in picture


async def test_debug_info_and_keys_are_texts_to_read(pilot: Pilot[None], home: Path) -> None:
    await choose(pilot, "Debug info")
    assert isinstance(pilot.app.screen, TextScreen)
    info = debug_info(pilot.app)
    assert "textual" in info
    assert str(home / "config.toml") in info
    await pilot.press("escape")
    await choose(pilot, "Key bindings as TOML")
    assert isinstance(pilot.app.screen, TextScreen)


@pytest.mark.long
async def test_the_palette_opens_and_finds(pilot: Pilot[None]) -> None:
    app: Any = pilot.app

    async def type_in(words: str) -> None:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: len(app.screen.query(CommandInput)) == 1)
        app.screen.query_one(CommandInput).value = words
        await until(pilot, lambda: app.screen.query_one(CommandList).option_count > 0)
        await app.workers.wait_for_complete()
        await pilot.press("down", "up", "enter")
        await pilot.pause()

    await type_in("library")
    assert type(app.screen).__name__ == "LibraryScreen"
    await pilot.press("escape")
    await type_in("olh")
    await until(pilot, lambda: app.workbench.draft.document["protocol"]["kind"] == "olh")
    await type_in("eps 2")
    await until(pilot, lambda: app.workbench.draft.document["protocol"]["epsilon"] == 2)
    title = next(entry.title for entry in entries() if entry.name == "fake-accounts")
    await type_in(f"open {title}")  # "fake" alone finds the share of fakes first
    await until(pilot, lambda: app.workbench.draft.title == title)


def test_the_field_of_a_phase_says_which() -> None:
    draft = open_draft(scenarios.path("burst"))
    assert field_title(draft, "attack.phase.1.share") == "share of fakes β, phase 2"
    mixed = edit_key(draft, "attack.phase.1.mix", [{"kind": "ria"}, {"kind": "mga"}])
    assert field_title(mixed, "attack.phase.1.mix.0.kind").endswith(", phase 2, part 1")
    assert field_title(mixed, "protocol.epsilon") == "privacy budget ε"


async def hits(app: Workbench, typed: str) -> list[Hit]:
    """What the palette of the screen that is shown finds, the best first."""
    search = Commands(app.screen)
    await search.startup()
    found = [hit async for hit in search.search(typed) if isinstance(hit, Hit)]
    return sorted(found, key=lambda hit: -hit.score)


FOUND = {
    "campaign": "Attack: Add a phase", "campaigns": "Attack: Add a phase",
    "phases": "Attack: Add a phase", "bot": "Field: share of fake users β",
    "disclose": "What does a table give away?", "table gives away": "What does a table give away?",
    "k-anonymity": "What does a table give away?", "attribute": "Attribute privacy of the relation",
    "one report": "Tab: One report", "beta 1%": "share of fake users β: 1%",
    "rappor": "Protocol: RAPPOR", "cao": "Open cao-gain-beta", "plan": "How many users",
    "capmaign": "Attack: Add a phase",
    "confidence interval": "What do these reports say?", "interval": "What can I still conclude?",
    "attack mga": "Attack: MGA", "timeline": "Attack: Add a phase", "new attack": "Python",
    "compare": "My deployment", "own attack": "Python", "k-rr": "Protocol: GRR",
    "response": "Protocol: GRR (generalised randomised response",
}  # fmt: skip
"""Words, and the title of a command that they find on every screen."""
FIRST = {
    **dict.fromkeys(("ε", "eps", "epsilon"), "Field: privacy budget ε"),
    **dict.fromkeys(("bot", "defence"), "My deployment"), "k-anon": "Disclose",
    "conclude": "Conclude from this scenario", "one": "Tab: One report",
}  # fmt: skip
"""Words, and the title of the command that they find first."""


async def test_one_palette_is_there_on_the_workbench_and_in_the_lab(pilot: Pilot[None]) -> None:
    app = cast("Workbench", pilot.app)
    for lab in (False, True):
        if lab:
            app.workbench.action_lab("plan")
            await until(pilot, lambda: app.screen is not app.workbench)
        for typed, title in FOUND.items():
            titles = [str(hit.prompt) for hit in await hits(app, typed)]
            assert any(title in each for each in titles), (lab, typed, titles[:5])
        for typed, title in FIRST.items():
            assert title in str((await hits(app, typed))[0].prompt), typed
    for typed in ("qwxzk", 'qw"=[c1', "qw[/b]"):  # the last two are no markup
        first = (await hits(app, typed))[0]
        assert Content.from_markup(str(first.prompt)).plain == f"Nothing has “{typed}”"
        assert first.help == PLACEHOLDER


async def test_from_the_lab_it_leads_to_the_workbench_and_to_other_questions(
    pilot: Pilot[None],
) -> None:
    app = cast("Workbench", pilot.app)
    app.workbench.action_lab("plan")
    await until(pilot, lambda: app.screen is not app.workbench)
    lab: Any = app.screen
    (await hits(app, "disclose"))[0].command()
    await until(pilot, lambda: lab.tab == "disclose")
    assert app.screen is lab
    (await hits(app, "beta 1%"))[0].command()
    await until(pilot, lambda: value_of(app.workbench.draft, "attack.share") == 0.01)
    assert app.screen is lab
    (await hits(app, "one report"))[0].command()
    await until(pilot, lambda: app.workbench.charts.tab == "report")
    assert app.screen is app.workbench
    (await hits(app, "conclude from"))[0].command()
    await until(pilot, lambda: app.workbench.charts.tab == "trials")
    assert cast("Any", app.workbench.query_one("#trials-box")).chosen["view"] == "intervals"


async def test_a_letter_lists_no_commands_again(
    pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are 140, found on the whole screen: 0.3 s of work were they listed anew."""
    listed = list[int]()

    def count(app: Any, screen: Any) -> Iterator[SystemCommand]:
        listed.append(1)
        return commands(app, screen)

    monkeypatch.setattr("ldptui.screens.palette.commands", count)
    await pilot.press("ctrl+p")
    await until(pilot, lambda: len(pilot.app.screen.query(CommandList)) == 1)
    await pilot.press(*"save")
    results = pilot.app.screen.query_one(CommandList)
    await until(pilot, lambda: 0 < results.option_count < 20)
    assert len(listed) == 1


def test_values_are_typed_by_symbol_and_name() -> None:
    draft = open_draft(scenarios.path("quickstart"))

    def typed(words: str) -> list[tuple[str, Any]]:
        return [(key, value) for key, value, _ in values(draft, words)]

    assert typed("eps 2") == typed("ε=2") == typed("privacy budget 2") == [("protocol.epsilon", 2)]
    assert typed("beta 5%") == typed("share 0.05") == [("attack.share", 0.05)]
    assert ("population.users", 1000000) in typed("users 1e6")
    assert typed("n1e7") == typed("n 10 million") == [("population.users", 10**7)]
    assert typed("n 1e30") == [("population.users", 10**30)]
    assert typed("eps.5") == [("protocol.epsilon", 0.5)]
    assert typed("oue2") == []
    assert typed("eps") == typed("eps two") == typed("nothing 3") == []


def test_the_help_of_a_choice_names_it_as_the_form_does() -> None:
    text = "".join(part.plain for part in help_text("goal.metric", "^r"))
    assert "Allowed   gain · frequency · top k · gain, defended · " in text
    assert "_" not in text


async def test_nothing_blinks_while_nobody_types(pilot: Pilot[None]) -> None:
    await pilot.press("ctrl+p")
    assert not pilot.app.screen.query_one(CommandInput).cursor_blink


async def test_it_stands_in_every_width(pilot: Pilot[None]) -> None:
    """At seven columns its options had none to fold to, and the program ended."""
    await pilot.press("ctrl+p")
    for width in range(14, 0, -1):
        await pilot.resize_terminal(width, 18)
        await pilot.pause()
    await pilot.resize_terminal(120, 40)
    assert isinstance(pilot.app.screen, CommandPalette)
