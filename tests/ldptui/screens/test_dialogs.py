"""The dialogs, each over an empty app: what is typed, what is said, what comes back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.styled_app import StyledApp
from support.waiting import seen
from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from ldptui import scenarios
from ldptui.core.attacks import ATTACKS
from ldptui.core.kernels.loops import LOOPS
from ldptui.screens import library_screen
from ldptui.screens.dialogs.paths import CHOICES, ExportScreen, SaveScreen, open_screen, own_path
from ldptui.screens.dialogs.prompts import ConfirmScreen, ConsentScreen, TextScreen
from ldptui.screens.help_screen import HelpScreen
from ldptui.screens.library_screen import LibraryScreen
from ldptui.session.consent import UnseenCode
from ldptui.session.draft import Draft, draft_of, edit_text
from ldptui.session.exporting import ExportChoice
from ldptui.terminal import places
from ldptui.widgets.path_field import PathField, completions

GOOD = """# Claim: nothing at all.
# Source: none.
format = 1
title = "A good one"

[population]
kind = "uniform"
items = 16
users = 1000

[protocol]
kind = "oue"
epsilon = 1.0
"""
SIZES = [(80, 24), (120, 40), (200, 60)]


class Bare(StyledApp):
    """Shows one dialog and keeps what it answered."""

    def __init__(self, dialog: Screen[Any]) -> None:
        super().__init__()
        self.dialog = dialog
        self.answers: list[object] = []

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.answers.append)

    def said(self) -> str:
        """The sentence under the path."""
        line = self.dialog.query_one(PathField).query_one(Static)
        return line.visual.plain if isinstance(line.visual, Content) else str(line.visual)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a scenario of each sort, and the folder that the user works in."""
    (tmp_path / "notes" / "sub").mkdir(parents=True)
    (tmp_path / "notes" / "good.toml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "notes" / "goods.csv").write_text("a\n", encoding="utf-8")
    bad = GOOD.replace("epsilon = 1.0", "epsilon = 99")
    (tmp_path / "notes" / "bad.toml").write_text(bad, encoding="utf-8")
    (tmp_path / "notes" / "broken.toml").write_text("format = \n", encoding="utf-8")
    (tmp_path / "notes" / "pyproject.toml").write_text("[tool.x]\ny = 1\n", encoding="utf-8")
    (tmp_path / "notes" / "latin.toml").write_bytes(b"title = '\xe9'\n")
    (tmp_path / "notes" / ".hidden.toml").write_text(GOOD, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(places, "scenarios_dir", lambda: tmp_path / "own")
    monkeypatch.chdir(tmp_path / "notes")
    return tmp_path / "notes"


async def type_in(pilot: Pilot[Any], text: str) -> None:
    pilot.app.screen.query_one(Input).value = text
    await pilot.pause()


# Paths.


def test_completions_put_scenarios_first_and_folders_next(folder: Path) -> None:
    toml = ["bad.toml", "broken.toml", "good.toml", "latin.toml", "pyproject.toml"]
    assert completions("", folder, ".toml") == [*toml, "sub/", "goods.csv"]
    assert completions(".", folder, ".toml") == [".hidden.toml"]


def test_completions_go_on_as_the_path_was_begun(folder: Path) -> None:
    assert completions("GO", folder) == ["good.toml", "goods.csv"]
    assert completions("go", folder, ".toml") == ["good.toml", "goods.csv"]
    assert completions("~/no", folder) == ["~/notes/"]
    assert completions("~", folder) == ["~/"]
    assert completions(f"{folder}/su", Path("/")) == [f"{folder}/sub/"]
    assert completions("../no", folder) == ["../notes/"]


def test_completions_of_what_cannot_be_listed_are_none(folder: Path) -> None:
    assert completions("nowhere/x", folder) == []
    assert completions("good.toml/x", folder) == []
    assert completions("~nobody-has-this-name/x", folder) == []
    assert completions("a\0/b", folder) == []


def test_names_that_cannot_be_shown_are_not_offered(folder: Path) -> None:
    (folder / "new\nline.toml").write_text(GOOD, encoding="utf-8")
    with open(os.fsencode(folder) + b"/\xff.toml", "w") as file:  # noqa: PTH123
        file.write(GOOD)
    assert all(name.isprintable() for name in completions("", folder))


# Open.


async def test_tab_takes_what_is_suggested(folder: Path) -> None:
    app = Bare(open_screen(folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g")
        assert app.said() == "good.toml · goods.csv"
        await pilot.press("tab")
        assert app.screen.query_one(Input).value == "good.toml"
        await pilot.press("enter")
        assert app.answers == [folder / "good.toml"]


async def test_a_folder_is_entered(folder: Path) -> None:
    (folder / "sub" / "inside.toml").write_text(GOOD, encoding="utf-8")
    (folder / "sub" / "other.toml").write_text(GOOD, encoding="utf-8")
    app = Bare(open_screen(folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "~/notes/sub")
        await pilot.press("enter")
        assert app.screen.query_one(Input).value == "~/notes/sub/"
        assert app.said() == "inside.toml · other.toml"
        await pilot.press("tab", "enter")
        assert app.answers == [folder / "sub" / "inside.toml"]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("none.toml", "/none.toml does not exist"),
        ("/dev/zero", "/dev/zero is no file but a device or a pipe"),
        ("latin.toml", "latin.toml:1: is not UTF-8 text"),
        ("broken.toml", "broken.toml:1: is not valid TOML"),
        ("goods.csv", "has no people in it"),
        ("pyproject.toml", "not a scenario"),
        (" ", "type a path"),
    ],
)
async def test_a_sentence_under_the_path_says_why_it_does_not_open(
    folder: Path, name: str, sentence: str
) -> None:
    app = Bare(open_screen(folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, name)
        for _ in range(2):  # a second enter changes nothing
            await pilot.press("enter")
            assert sentence in app.said()
            assert "\n" not in app.said()
        assert app.answers == []
        await type_in(pilot, "goo")
        assert app.said() == "good.toml · goods.csv"


async def test_bad_values_can_be_opened_to_be_put_right(folder: Path) -> None:
    app = Bare(open_screen(folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "bad.toml")
        await pilot.press("enter")
        assert "protocol.epsilon must be in (0, 20], got 99" in app.said()
        assert "enter again" in app.said()
        assert app.answers == []
        await pilot.press("enter")
        assert app.answers == [folder / "bad.toml"]


# Save.


def draft_in(folder: Path, name: str | None = "good.toml") -> Draft:
    return draft_of(GOOD, folder, folder / name if name else None)


async def test_save_writes_the_draft_to_its_own_file(folder: Path) -> None:
    draft = edit_text(draft_in(folder), GOOD + "# new\n")
    app = Bare(SaveScreen(draft))
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.screen.query_one(Input).value == "~/notes/good.toml"
        await pilot.press("enter")
        assert app.answers == [folder / "good.toml"]
        assert (folder / "good.toml").read_text(encoding="utf-8") == GOOD + "# new\n"


async def test_another_file_is_overwritten_only_when_enter_is_pressed_again(folder: Path) -> None:
    app = Bare(SaveScreen(draft_in(folder)))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "goods.csv")
        await pilot.press("enter")
        assert app.said() == f"{folder / 'goods.csv'} exists; enter again saves"
        await pilot.press("x", "backspace", "enter")  # edited: asked anew
        assert app.answers == []
        assert (folder / "goods.csv").read_text(encoding="utf-8") == "a\n"
        await pilot.press("enter")
        assert app.answers == [folder / "goods.csv"]
        assert (folder / "goods.csv").read_text(encoding="utf-8") == GOOD


async def test_a_file_that_somebody_else_changed_is_asked_about(folder: Path) -> None:
    draft = draft_in(folder)
    (folder / "good.toml").write_text(GOOD + "# theirs\n", encoding="utf-8")
    app = Bare(SaveScreen(draft))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert "was changed by another program; enter again saves" in app.said()
        assert (folder / "good.toml").read_text(encoding="utf-8").endswith("# theirs\n")


async def test_a_file_that_cannot_be_written_loses_nothing(folder: Path) -> None:
    app = Bare(SaveScreen(draft_in(folder)))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "good.toml/inside.toml")
        await pilot.press("enter")
        assert "cannot be written" in app.said()
        assert app.answers == []
        assert (folder / "good.toml").read_text(encoding="utf-8") == GOOD
        await type_in(pilot, "other")
        await pilot.press("enter")
        assert app.answers == [folder / "other.toml"]


async def test_a_name_alone_is_never_saved_inside_the_program(folder: Path) -> None:
    bundled = scenarios.path("quickstart")
    draft = draft_of(bundled.read_text(encoding="utf-8"), bundled.parent, None)
    app = Bare(SaveScreen(draft))
    async with app.run_test(size=(120, 40)) as pilot:
        assert "Save the scenario · in ~/notes" in seen(app)
        await type_in(pilot, "mine")
        await pilot.press("enter")
        assert app.answers == [folder / "mine.toml"]


async def test_a_link_keeps_pointing_to_its_file(folder: Path) -> None:
    (folder / "link.toml").symlink_to(folder / "good.toml")
    draft = edit_text(draft_in(folder, "link.toml"), GOOD + "# new\n")
    app = Bare(SaveScreen(draft))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert (folder / "link.toml").is_symlink()
        assert (folder / "good.toml").read_text(encoding="utf-8") == GOOD + "# new\n"


def test_the_proposed_name(folder: Path) -> None:
    own = folder.parent / "own"
    assert own_path(draft_in(folder)) == folder / "good.toml"
    assert own_path(draft_in(folder, None)) == own / "a-good-one.toml"
    bundled = scenarios.path("quickstart")
    text = bundled.read_text(encoding="utf-8")
    assert own_path(draft_of(text, bundled.parent, bundled)) == own / "quickstart.toml"
    assert own_path(draft_of("title = 'ε∀'", folder)) == own / "scenario.toml"


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


async def test_typing_filters_and_a_slash_begins(folder: Path) -> None:
    app = Bare(LibraryScreen())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"survey")
        assert app.screen.query_one(Input).value == "survey"
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
        await pilot.press("escape")
        assert app.answers == [None]


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


# Export.


@pytest.mark.every(2)
@pytest.mark.parametrize(("steps", "what"), list(enumerate(CHOICES)))
async def test_export_proposes_a_name_for_each_choice(folder: Path, steps: int, what: str) -> None:
    app = Bare(ExportScreen())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["down"] * steps, "enter")
        [choice] = app.answers
        assert isinstance(choice, ExportChoice)
        endings = {
            "csv-cells": ".csv", "csv": ".csv", "json": ".json", "chart-text": ".txt",
            "figure-column": ".pdf", "figure": ".pdf",
        }  # fmt: skip
        assert choice.what == what
        assert choice.path.suffix == endings.get(what, ".svg")
        assert choice.path.parent == folder


async def test_a_name_that_was_edited_stays(folder: Path) -> None:
    app = Bare(ExportScreen())
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "mine.txt")
        await pilot.press(*["j"] * list(CHOICES).index("json"), "k", "j", "enter")
        assert app.answers == [ExportChoice("json", folder / "mine.txt")]


async def test_an_existing_file_is_asked_about_and_a_folder_refused(folder: Path) -> None:
    app = Bare(ExportScreen())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "down")
        await type_in(pilot, "sub")
        await pilot.press("enter")
        assert "is a folder" in app.said()
        await type_in(pilot, "goods.csv")
        await pilot.press("tab", "enter")
        assert app.said() == f"{folder / 'goods.csv'} exists; enter again overwrites it"
        assert app.answers == []
        await pilot.press("enter")
        assert app.answers == [ExportChoice("csv-cells", folder / "goods.csv")]


async def test_a_figure_has_a_suffix_that_can_be_drawn(folder: Path) -> None:
    app = Bare(ExportScreen("fig6", "gain"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["down"] * list(CHOICES).index("figure"))
        assert "fig6-gain.pdf" in seen(app)
        await type_in(pilot, "mine.txt")
        await pilot.press("enter")
        assert app.said() == "a figure ends in .svg, .pdf, .png, got mine.txt"
        await type_in(pilot, "mine")
        await pilot.press("enter")
        assert app.answers == [ExportChoice("figure", folder / "mine.pdf")]


async def test_a_figure_that_cannot_be_drawn_is_refused_in_the_dialog(folder: Path) -> None:
    """Until something else is chosen: a note in the status line goes after seconds."""
    checks = [("no chart here", False)]
    app = Bare(ExportScreen("fig6", "gain", lambda: checks[0]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "enter")
        assert (app.said(), app.answers) == ("no chart here", [])
        checks[0] = ("enter again runs it", True)
        await pilot.press("enter")
        assert (app.said(), app.answers) == ("enter again runs it", [])
        await pilot.press("enter")
        assert app.answers == [ExportChoice("figure", folder / "fig6-gain.pdf")]


async def test_the_proposed_export_is_a_free_name(folder: Path) -> None:
    (folder / "ldptui-chart.pdf").write_text("", encoding="utf-8")
    app = Bare(ExportScreen())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert app.answers == [ExportChoice("figure", folder / "ldptui-chart-2.pdf")]


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
        assert "Axis" not in text
        await pilot.press("q")
        assert app.answers == [None]


@pytest.mark.parametrize("field", ["", "no.such.key"])
async def test_help_without_a_field_describes_the_program(field: str) -> None:
    app = Bare(HelpScreen(field, ()))
    async with app.run_test(size=(80, 48)):
        assert "Users answer a question in private" in seen(app)
        assert f"Loops that count reports: {LOOPS.words[:5]}" in seen(app)


async def test_help_for_a_kind_lists_the_kinds() -> None:
    app = Bare(HelpScreen("attack.kind", ()))
    async with app.run_test(size=(80, 76)):
        for kind in ATTACKS:
            assert kind in seen(app)


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
    "open": lambda folder: open_screen(folder),
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
@pytest.mark.parametrize("screen", ["save", "open", "export"])
@pytest.mark.parametrize("path", ["/", "..", "~nobody_has_this", "x" * 300, "a/" * 2100, "a\0b"])
async def test_no_path_is_too_odd_to_be_typed(folder: Path, screen: str, path: str) -> None:
    app = Bare(DIALOGS[screen](folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, path)
        app.screen.query_one(Input).focus()
        await pilot.press("enter")
        assert app.is_running


@pytest.mark.parametrize("screen", ["save", "open", "export"])
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
