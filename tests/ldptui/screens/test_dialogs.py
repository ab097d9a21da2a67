"""The dialogs, each over an empty app: what is typed, what is said, what comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.dialogs import GOOD, Bare, draft_in, scenario_folder, type_in  # noqa: F401
from support.waiting import seen
from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.content import Content
from textual.widgets import Input, OptionList

from ldptui import scenarios
from ldptui.core.attacks import ATTACKS
from ldptui.core.kernels.loops import LOOPS
from ldptui.screens import library_screen
from ldptui.screens.dialogs.paths import ExportScreen, SaveScreen
from ldptui.screens.dialogs.prompts import ConfirmScreen, ConsentScreen, TextScreen
from ldptui.screens.help_screen import HelpScreen
from ldptui.screens.library_screen import LibraryScreen
from ldptui.session.consent import UnseenCode
from ldptui.terminal import places
from ldptui.widgets.path_field import PathField

SIZES = [(80, 24), (120, 40), (200, 60)]


# Library.


async def test_the_library_has_own_and_bundled_scenarios(folder: Path) -> None:
    own = folder.parent / "own"
    own.mkdir()
    (own / "mine.toml").write_text(GOOD, encoding="utf-8")
    (own / "broken.toml").write_text("a = \n", encoding="utf-8")
    (own / "latin.toml").write_bytes(b"# \xff\n")
    entries = list(library_screen.entries())
    assert [entry.name for entry in entries] == ["broken", "mine", *scenarios.names()]
    assert [entry.own for entry in entries[:3]] == [True, True, False]
    app = Bare(LibraryScreen())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("down")
        assert "Claim: nothing at all." in seen(app)
        await pilot.press("enter")
        assert app.answers == [own / "mine.toml"]


def test_other_files_of_a_folder_are_no_scenarios(folder: Path, tmp_path: Path) -> None:
    """The open dialog of a checkout began with its pyproject.toml."""
    (tmp_path / "pyproject.toml").write_text("[build-system]\nrequires = []\n", encoding="utf-8")
    (tmp_path / "mine.toml").write_bytes(scenarios.path("quickstart").read_bytes())
    for text in ("word,count\nthe,5\n", "seed,value\n3,1\n", "user,mark\nann,a\n"):
        (tmp_path / f"{text[:4]}.csv").write_text(text, "utf-8")
    assert {entry.name for entry in library_screen.files_in(tmp_path)} == {"mine", "word.csv"}


async def test_typing_filters(folder: Path) -> None:
    app = Bare(LibraryScreen())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"survey")
        assert app.screen.query_one(OptionList).option_count < len(scenarios.names())
        await type_in(pilot, "survey csv people")
        await pilot.press("enter")
        assert app.answers == [scenarios.path("survey")]


def test_the_library_ranks_names_then_titles_then_texts(folder: Path) -> None:
    def first(words: str) -> str:
        found = (entry for entry in library_screen.entries() if entry.matches(words))
        return min(found, key=lambda entry: entry.rank(words)).name

    assert first("quickstart") == "quickstart"
    assert first("quick") == "quickstart"
    assert first("gain beta") == "cao-gain-beta"
    assert first("beta cao") == "cao-gain-beta"
    assert (
        "fake"
        in next(e.title for e in library_screen.entries() if e.name == first("fake")).casefold()
    )


@pytest.mark.long
async def test_a_filter_that_finds_nothing_says_where_it_looked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(places, "scenarios_dir", lambda: Path("/nowhere/own"))
    app = Bare(LibraryScreen())
    async with app.run_test(size=(200, 60)) as pilot:
        await type_in(pilot, "no such words anywhere")
        assert "/nowhere/own" in seen(app)
        await pilot.press("down", "enter")
        assert app.answers == []


@pytest.mark.parametrize("size", SIZES)
async def test_the_preview_stands_beside_or_below(folder: Path, size: tuple[int, int]) -> None:
    app = Bare(LibraryScreen())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        listed = app.screen.query_one(OptionList).region
        preview = app.screen.query_one("VerticalScroll").region
        if size[0] < 160:
            assert preview.y >= listed.bottom
        else:
            assert preview.x >= listed.right
        assert preview.height >= 6
        assert "Claim: fake users who are 5%" in " ".join(seen(app).split())


@pytest.mark.parametrize("size", [(100, 24), (120, 30), (160, 40)])
async def test_no_title_of_the_library_is_cut(folder: Path, size: tuple[int, int]) -> None:
    app = Bare(LibraryScreen())
    async with app.run_test(size=size) as pilot:
        await type_in(pilot, "the")
        options = app.screen.query_one(OptionList)
        room = options.scrollable_content_region.width
        prompts = [options.get_option_at_index(at).prompt for at in range(options.option_count)]
        assert max(prompt.cell_length for prompt in prompts if isinstance(prompt, Content)) <= room


# Help, confirm, text.


def keys(app: App[Any]) -> list[ActiveBinding]:
    run = Binding("ctrl+r", "run", "Run the scenario", id="run.start")
    both = Binding("f1,question_mark", "help", "Help", id="help")
    unnamed = Binding("ctrl+left", "cursor_left_word", "Move cursor left a word")
    off = Binding("a", "axis", "Axis", id="charts.axis")
    every = list(Binding.make_bindings([run, both, unnamed]))
    return [
        *(ActiveBinding(app, one, True, "") for one in every),
        ActiveBinding(app, off, False, ""),
    ]


async def test_help_for_a_field_and_its_keys() -> None:
    app = Bare(TextScreen("", ""))
    app.dialog = HelpScreen("protocol.epsilon", keys(app))
    async with app.run_test(size=(120, 60)) as pilot:
        text = seen(app)
        for words in ("privacy budget ε", "protocol.epsilon", "Allowed", "e^ε", "Source"):
            assert words in text
        assert "^r                 Run the scenario" in text
        assert "f1 ?               Help" in text
        assert "Move cursor left a word" not in text
        assert "Axis" in text  # a key that does nothing here says why
        await pilot.press("q")
        assert app.answers == [None]


@pytest.mark.parametrize("field", ["", "no.such.key"])
async def test_help_without_a_field_describes_the_program(field: str) -> None:
    app = Bare(HelpScreen(field, ()))
    async with app.run_test(size=(80, 48)):
        assert "Users answer a question in private" in seen(app)
        assert f"Loops that count reports: {LOOPS.words[:5]}" in seen(app)


async def test_help_for_a_kind_lists_the_kinds() -> None:
    app = Bare(HelpScreen("attack.kind", (), [("attack", "ria")]))
    async with app.run_test(size=(80, 90)):
        for kind in ATTACKS:
            assert kind in seen(app)
        assert "Each fake user pretends to hold a random target" in seen(app)
        assert "Source    Cao, Jia, Gong" in seen(app)


async def test_help_scrolls_in_a_small_terminal() -> None:
    app = Bare(HelpScreen("protocol.kind", ()))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "j", "down")
        assert app.screen.query_one("VerticalScroll").scroll_offset.y == 3


@pytest.mark.parametrize(
    ("presses", "answer"),
    [
        (["y"], True),
        (["enter"], True),
        (["n"], False),
        (["escape"], False),
        (["tab", "enter"], False),
        (["right", "enter"], False),
        (["l", "h", "enter"], True),
    ],
)
async def test_confirm(presses: list[str], answer: bool) -> None:
    app = Bare(ConfirmScreen("A run is at 42 %. Quit and keep nothing?"))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "A run is at 42 %." in seen(app)
        await pilot.press(*presses)
        assert app.answers == [answer]


async def test_without_a_chart_only_results_and_text_are_exported(folder: Path) -> None:
    check = ("this tab shows no chart to draw", False)
    app = Bare(ExportScreen("mine", "table", lambda: check, has_chart=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.screen.query_one(PathField).text.endswith("mine-results.csv")
        assert "this tab shows no chart to draw" in seen(app)
        assert "Figure" not in seen(app)
        await pilot.press("end")
        assert app.screen.query_one(PathField).text.endswith("mine-table.txt")


async def test_a_text_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("STY", raising=False)
    app = Bare(TextScreen("Debug info", "[not markup] ε\nmore\n"))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "[not markup] ε" in seen(app)
        await pilot.press("y")
        assert app.clipboard == "[not markup] ε\nmore\n"
        assert "sent 2 lines" in seen(app)
        await pilot.press("escape")
        assert app.answers == [None]


PLACE = "/home/somebody/papers/poisoning/attacks.py"
CODE = UnseenCode("attack", "half", PLACE, True, "0123456789abcdef", 12)


DIALOGS = {
    "save": lambda folder: SaveScreen(draft_in(folder)),
    "library": lambda folder: LibraryScreen(),
    "export": lambda folder: ExportScreen(),
    "confirm": lambda folder: ConfirmScreen("Quit and keep nothing?"),
    "consent": lambda folder: ConsentScreen((CODE,)),
    "help": lambda folder: HelpScreen("protocol.epsilon", ()),
    "text": lambda folder: TextScreen("Keys", "a\n" * 100),
}


@pytest.mark.every(4)
@pytest.mark.parametrize("size", [(60, 18), *SIZES])
@pytest.mark.parametrize("name", DIALOGS)
async def test_every_dialog_fits_and_esc_leaves_it(
    folder: Path, name: str, size: tuple[int, int]
) -> None:
    app = Bare(DIALOGS[name](folder))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        region = app.screen.query_one("Dialog").region
        assert app.screen.region.contains_region(region)
        for widget in app.screen.query("Input, OptionList, Button"):
            assert not widget.display or region.contains_region(widget.region), widget
        await pilot.press("escape")
        assert app.answers == [False if name in ("confirm", "consent") else None]


@pytest.mark.every(7)
@pytest.mark.parametrize("screen", ["save", "library", "export"])
@pytest.mark.parametrize("path", ["/", "..", "~nobody_has_this", "x" * 300, "a/" * 2100, "a\0b"])
async def test_no_path_is_too_odd_to_be_typed(folder: Path, screen: str, path: str) -> None:
    app = Bare(DIALOGS[screen](folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, path)
        app.screen.query_one(Input).focus()
        await pilot.press("enter")
        assert app.is_running


@pytest.mark.parametrize("screen", ["save", "library", "export"])
async def test_a_folder_that_was_removed_keeps_no_dialog_shut(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, screen: str
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    app = Bare(DIALOGS[screen](folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "x")
        assert app.is_running
