"""The consent to somebody's Python code: asked for by a run, for one hash, until the app ends."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.plugin_cases import HONEST, attack_file, package, toml
from support.waiting import seen, until
from support.workbench_app import finished, own_home, status, workbench  # noqa: F401
from support.worker import ended, started
from textual.pilot import Pilot

from ldptui.app import Workbench
from ldptui.core import plugins
from ldptui.core.base.streams import digest
from ldptui.core.plugins.code_location import code_in_file
from ldptui.engine.engine import COMMAND
from ldptui.screens.dialogs.prompts import ConsentScreen
from ldptui.session.attack_options import unseen_code
from ldptui.session.consent import UnseenCode
from ldptui.session.snapshot import Request
from ldptui.terminal.settings import load_settings

CODE = UnseenCode("attack", "honest", "/somewhere/mine.py", True, "0123456789abcdef", 12)
OTHER = UnseenCode("defence", "few", "a:b", False, "fedcba9876543210")


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A stranger's scenario that asks for "honest"."""
    path = tmp_path / "stranger.toml"
    path.write_text(toml("honest"), encoding="utf-8")
    return path


# What is found.


def test_code_is_found_beside_the_scenario_then_in_files_then_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one, and nothing is run, whatever lies beside it."""
    site, beside = tmp_path / "site", tmp_path / "beside"
    site.mkdir()
    beside.mkdir()
    monkeypatch.syspath_prepend(str(site))
    ran = package(site, "parcel", HONEST, honest="parcel.more:honest")
    far, mark = attack_file(tmp_path)
    (beside / "broken.py").write_text("def other(:")
    (beside / "folder.py").mkdir()

    def found() -> object:
        source = plugins.code_candidate("honest", "attack", beside, [far])
        return source and source.place

    assert found() == far
    near, near_mark = attack_file(beside, HONEST, "near.py")
    assert found() == near
    source = plugins.code_candidate("honest", "attack", beside)
    assert source is not None
    assert (source.digest, source.line) == (digest(near.read_bytes()), 2)
    near.unlink()
    far.unlink()
    assert found() == "parcel.more:honest"
    assert plugins.code_candidate("nobody's", "attack", beside) is None
    assert not any(path.exists() for path in (mark, near_mark, ran))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\ndef name(x): ...", 2), ("class name: ...", 1), ("name = other", 1),
        ("name: int = 1", 1),
        (" def name(): ...", 0), ("def names(): ...", 0), ("name == 1", 0), ("# name = 1", 0),
    ],
)  # fmt: skip
def test_a_name_is_found_at_the_start_of_a_line(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(text)
    code = code_in_file(path, "name", "attack")
    assert (code.line if code else 0) == line


def test_agreed_code_may_run_as_long_as_it_is_the_same(tmp_path: Path) -> None:
    path, _ = attack_file(tmp_path)
    source = plugins.code_candidate("honest", "attack", tmp_path)
    assert source is not None
    allowed = plugins.CodePermission(agreed_code=(source,), how="ask")
    assert plugins.find_code("honest", allowed) == source
    with pytest.raises(Exception, match="that is not allowed yet: ask"):
        plugins.find_code("other", allowed)
    with pytest.raises(Exception, match="not allowed"):
        plugins.find_code("honest", allowed, "defence")
    path.write_text(path.read_text() + "# changed\n")
    with pytest.raises(Exception, match=r"mine\.py is not what was allowed"):
        plugins.find_code("honest", allowed)


@pytest.mark.long
async def test_the_worker_runs_what_was_agreed_to(tmp_path: Path) -> None:
    path, mark = attack_file(tmp_path)
    document = {"attack": {"mix": [{"name": "honest"}, {"name": "nobody's"}]}}
    request = Request(0, document, str(tmp_path))
    (attack,) = unseen_code(request, ())
    assert (attack.place, attack.lines) == (str(path), len(path.read_text().splitlines()))
    assert unseen_code(replace(request, agreed=(attack.consent_key,)), ()) == ()
    assert unseen_code(request, (f"--code={path}",)) == ()
    assert not mark.exists()

    child = await started(*COMMAND[1:])
    await child.read()
    asked = tomllib.loads(toml("honest"))
    try:
        refused = await child.end(child.run(1, asked))
        assert refused.status == "failed"
        assert "not allowed yet: ctrl+r names its file" in refused.error
        assert not mark.exists()
        done = await child.end(child.run(2, asked, agreed=[attack.consent_key]))
        assert (done.status, done.error) == ("done", "")
        assert mark.exists()
        again = await child.end(child.run(3, asked))
        assert again.status == "failed"  # it is a request that has the consent, not the worker
    finally:
        await ended(child)


# The question.


async def asked(pilot: Pilot[None], words: str) -> None:
    await until(
        pilot, lambda: isinstance(pilot.app.screen, ConsentScreen) and words in seen(pilot.app)
    )


async def test_a_run_asks_once_and_no_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "stranger.toml"
    path.write_text(f'{toml("honest")}[[defence]]\nkind = "plugin"\nname = "few"\n')
    async with workbench(path=path) as (screen, engine, pilot):
        finished(engine)
        engine.code = (CODE, OTHER)
        await pilot.pause()
        run_list, count = screen.run_list, len(engine.requests)
        for key in ("enter", "escape", "n"):  # the focus is on No
            await pilot.press("ctrl+r")
            await asked(pilot, CODE.place)
            shown = ("honest", CODE.digest, "the whole file, 12 lines", "few", "the whole package")
            for words in (*shown, "a:b", OTHER.digest, "Allow until quit"):
                assert words in seen(pilot.app)
            await pilot.press(key)
            await until(pilot, lambda: "attack 'honest' and defence 'few'" in status(screen))
            assert (screen.run_list, len(engine.requests)) == (run_list, count)
        await pilot.press("ctrl+r")
        await asked(pilot, CODE.place)
        await pilot.press("y")
        await until(pilot, lambda: engine.requests[-1].full)
        assert engine.requests[-1].agreed == (CODE.consent_key, OTHER.consent_key)
        assert engine.requests[count - 1].agreed == ()
        finished(engine, kept=1)
        await pilot.press("ctrl+r")  # it does not ask again
        await until(pilot, lambda: engine.active is not None)
        assert engine.requests[-1].full
        picture = screen.charts.snapshot
        assert picture is None or not picture.cells  # those would be of other code
        assert screen.draft is not None
        assert CODE.digest not in screen.draft.text


@pytest.mark.long
async def test_code_that_settings_name_runs_only_after_a_yes(
    stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real engine, its worker and the process that seeks; a no leaves no mark of the code."""
    (tmp_path / "far").mkdir()
    path, mark = attack_file(tmp_path / "far")
    settings = tmp_path / "config.toml"
    settings.write_text('allow_attacks = ["honest"]\nattack_files = ["far/mine.py"]\n')
    monkeypatch.setenv("LDPTUI_CONFIG", str(settings))
    app = Workbench(load_settings(), stranger)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "ctrl+r names its file" in seen(app), 60)
        for answer in ("n", "y"):
            await pilot.press("ctrl+r")
            await asked(pilot, digest(path.read_bytes()))
            assert str(path) in seen(app)
            assert not mark.exists()
            await pilot.press(answer)
            if answer == "n":
                await until(pilot, lambda: "nothing ran" in status(app.workbench))
        await until(pilot, mark.exists, 60)
        await app.workbench.shut_down()
