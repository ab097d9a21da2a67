"""The dialogs of a path: what opens, what is saved and exported, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.dialogs import GOOD, Bare, draft_in, scenario_folder, type_in  # noqa: F401
from support.waiting import seen
from textual.widgets import Input, OptionList, Static

from ldptui import scenarios
from ldptui.screens.dialogs.paths import (
    CHOICES,
    ExportScreen,
    PathScreen,
    SaveScreen,
    fault_to_read,
    own_path,
)
from ldptui.screens.library_screen import LibraryScreen
from ldptui.session.draft import draft_of, edit_text
from ldptui.session.exporting import ExportChoice
from ldptui.widgets.path_field import completions


def test_completions_put_scenarios_first_and_folders_next(folder: Path) -> None:
    toml = ["bad.toml", "broken.toml", "good.toml", "latin.toml", "pyproject.toml"]
    assert completions("", folder, ".toml") == [*toml, "sub/"]
    assert completions(".", folder, ".toml") == [".hidden.toml"]


def test_completions_go_on_as_the_path_was_begun(folder: Path) -> None:
    assert completions("GO", folder) == ["good.toml", "goods.csv"]
    assert completions("go", folder, ".toml") == ["good.toml"]
    assert completions("goods", folder, ".toml") == ["goods.csv"]
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


async def test_a_typed_path_completes_and_enters_folders(folder: Path) -> None:
    """In the one field of Open; a word without a slash finds files that are not listed."""
    (folder / "sub" / "inside.toml").write_text(GOOD, encoding="utf-8")
    (folder / "zebra.pdf").write_text("", encoding="utf-8")
    app = Bare(LibraryScreen(folder))
    async with app.run_test(size=(80, 24)) as pilot:
        field, rows = app.screen.query_one(Input), app.screen.query_one(OptionList)
        await pilot.press(*"zeb", "tab")
        assert field.value == "zebra.pdf"
        await type_in(pilot, "")
        await pilot.press("~", "slash", *"no", "tab")
        assert field.value == "~/notes/"
        assert rows.option_count == 8
        await pilot.press("s", "enter")
        assert field.value == "~/notes/sub/"
        assert "Claim: nothing at all." in seen(app)
        await pilot.press("enter")
        assert app.answers == [folder / "sub" / "inside.toml"]


async def test_down_walks_the_files_that_are_named(folder: Path) -> None:
    app = Bare(PathScreen("A table", folder, fault_to_read, "reads", ends=".toml"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g", "backspace", "down", "down")
        assert app.screen.query_one(Input).value == "broken.toml"
        assert app.said().startswith("bad.toml · broken.toml · good.toml")
        await pilot.press("up", "up")  # around
        assert app.screen.query_one(Input).value == "sub/"


@pytest.mark.parametrize(("typed", "took"), [("goods", "goods.csv"), ("go", None)])
async def test_enter_takes_the_only_file_that_was_begun(
    typed: str, took: str | None, folder: Path
) -> None:
    app = Bare(PathScreen("A table", folder, fault_to_read, "reads"))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, typed)
        await pilot.press("enter")
        assert app.answers == ([folder / took] if took else [])


@pytest.mark.parametrize("name", ["{}/good.toml", "./bad.toml", "../notes/broken.toml"])
async def test_a_path_opens_as_the_list_does(folder: Path, name: str) -> None:
    """Also a scenario that is wrong: its script shows what is."""
    app = Bare(LibraryScreen(folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, name.format(folder))
        await pilot.press("enter")
        assert app.answers == [folder / Path(name).name]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("./none.toml", "Nothing has “./none.toml”"),
        ("/dev/zero", "/dev/zero is no file but a device or a pipe"),
        ("latin.toml", "latin.toml:1: is not UTF-8 text"),
        ("goods.csv", "has no people in it"),
        ("pyproject.toml", "not a scenario"),
    ],
)
async def test_a_sentence_says_why_a_path_does_not_open(
    folder: Path, name: str, sentence: str
) -> None:
    app = Bare(LibraryScreen(folder))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, name)
        await pilot.press("enter", "enter")
        assert sentence in str(app.screen.query_one("Scroll > Static", Static).visual)
        assert app.answers == []


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
    long = "Cao et al.: gain over the share of fake users"
    name = "cao-et-al-gain-over-the-share-of-fake-users.toml"
    assert own_path(draft_of(f'title = "{long}"', folder)) == own / name


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
        checks[0] = ("enter runs it, then draws it", True)
        await pilot.press("enter")
        assert app.answers == [ExportChoice("figure", folder / "fig6-gain.pdf")]


async def test_the_proposed_export_is_a_free_name(folder: Path) -> None:
    (folder / "ldptui-chart.pdf").write_text("", encoding="utf-8")
    app = Bare(ExportScreen())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert app.answers == [ExportChoice("figure", folder / "ldptui-chart-2.pdf")]
