"""The consent to somebody's Python code: asked for by a run, for one hash, until the app ends."""

from __future__ import annotations

import os
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
from ldptui.engine import COMMAND, Engine
from ldptui.engine.child import seek
from ldptui.screens.dialogs.asking import ConsentScreen, TextScreen
from ldptui.session.consent import Code
from ldptui.terminal.settings import Settings, load_settings
from ldptui.widgets.picker import PickerScreen

FILE = "/somewhere/mine.py"
TEXT = f"import os\n{HONEST}\x1b[2J"
CODE = Code("attack", "honest", FILE, True, "0123456789abcdef", FILE, TEXT, (3, 4))


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A stranger's scenario that asks for "honest"."""
    path = tmp_path / "stranger.toml"
    path.write_text(toml("honest"), encoding="utf-8")
    return path


# What is found.


def test_an_offer_is_code_with_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the folder and of installed packages; nothing is run, whatever lies beside it."""
    path, mark = attack_file(tmp_path, HONEST)
    (tmp_path / "broken.py").write_text("def honest(:")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "other.py").write_text("def other(): pass")
    (offer,) = plugins.offers("honest", "attack", tmp_path)
    assert (offer.file, offer.lines) == (path, (2, 3))
    assert offer.source.digest == digest(path.read_bytes())
    assert offer.text == path.read_text()
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    ran = package(site, "parcel", HONEST, honest="parcel.more:honest")
    far, _ = attack_file(site)
    assert plugins.offers("honest", "attack", tmp_path, [path])[0] == offer
    beside, listed, installed = plugins.offers("honest", "attack", tmp_path, [path, far])
    assert beside == offer
    assert listed.file == far
    assert installed.source.place == "parcel.more:honest"
    assert (installed.file, installed.lines) == (site / "parcel" / "more.py", (3, 4))
    assert not mark.exists()
    assert not ran.exists()


def test_agreed_code_may_run_as_long_as_it_is_the_same(tmp_path: Path) -> None:
    path, _ = attack_file(tmp_path)
    (offer,) = plugins.offers("honest", "attack", tmp_path)
    allowed = plugins.Allowed(seen=(offer.source,), how="ask")
    assert plugins.find("honest", allowed) == offer.source
    with pytest.raises(Exception, match="which is not allowed: ask"):
        plugins.find("other", allowed)
    with pytest.raises(Exception, match="not allowed"):
        plugins.find("honest", allowed, "defence")
    path.write_text(path.read_text() + "# changed\n")
    with pytest.raises(Exception, match=r"mine\.py is not what was allowed"):
        plugins.find("honest", allowed)


@pytest.mark.long
async def test_a_process_finds_it_and_the_worker_runs_what_was_agreed_to(tmp_path: Path) -> None:
    path, mark = attack_file(tmp_path)
    code = [("attack", "honest"), ("defence", "honest"), ("attack", "nobody's")]
    offered = await seek(code, str(tmp_path), ())
    assert [(each.what, each.file) for each in offered] == [
        ("attack", str(path)), ("defence", str(path)),
    ]  # fmt: skip
    attack = offered[0]
    assert await seek(code[:1], str(tmp_path), (attack.agreed,)) == ()
    assert not mark.exists()

    child = await started(*COMMAND[1:])
    await child.read()

    asked = tomllib.loads(toml("honest"))
    try:
        refused = await child.end(child.run(1, base=asked))
        assert refused.status == "failed"
        assert "not allowed: ctrl+r shows it and asks" in refused.error
        assert not mark.exists()
        done = await child.end(child.run(2, agreed=[attack.agreed], base=asked))
        assert (done.status, done.error) == ("done", "")
        assert mark.exists()
        again = await child.end(child.run(3, base=asked))
        assert again.status == "failed"  # it is a request that has the consent, not the worker
    finally:
        await ended(child)


# The question.


async def asked(pilot: Pilot[None], words: str) -> None:
    await until(
        pilot, lambda: isinstance(pilot.app.screen, ConsentScreen) and words in seen(pilot.app)
    )


async def test_a_run_asks_and_no_leaves_everything_as_it_was(stranger: Path) -> None:
    """Two places have the name: no to both runs nothing, yes to one runs it until the end."""
    other = replace(CODE, place="a:b", is_file=False, file="/site/a.py")
    async with workbench(path=stranger) as (screen, engine, pilot):
        finished(engine)
        engine.code = (CODE, other)
        await pilot.pause()
        shelf, count = screen.shelf, len(engine.requests)
        await pilot.press("ctrl+r")
        await asked(pilot, FILE)
        for words in ("honest", "3 to 4 of 5", CODE.digest, "Allow until quit (y)"):
            assert words in seen(pilot.app)
        await pilot.press("enter")  # the focus is on No
        await asked(pilot, "installed as  a:b")
        await pilot.press("escape")
        await until(pilot, lambda: "attack 'honest' is not allowed" in status(screen))
        assert (screen.shelf, len(engine.requests)) == (shelf, count)

        await pilot.press("ctrl+r")
        await asked(pilot, FILE)
        await pilot.press("v")
        assert isinstance(pilot.app.screen, TextScreen)
        text = seen(pilot.app)
        assert "   3 │ def honest(protocol, view, count, rng):" in text
        assert "   1   import os" in text
        assert "?[2J" in text  # and not the terminal's own
        await pilot.press("escape", "y")
        await until(pilot, lambda: engine.requests[-1].full)
        assert engine.requests[-1].agreed == (CODE.agreed,)
        assert engine.requests[count - 1].agreed == ()
        finished(engine, kept=1)
        await pilot.press("ctrl+r")  # it does not ask again
        await until(pilot, lambda: engine.active is not None)
        assert engine.requests[-1].full
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
        await until(pilot, lambda: "ctrl+r shows it and asks" in seen(app), 60)
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


@pytest.mark.long
async def test_the_workbench_runs_a_real_attack_once_it_may(tmp_path: Path) -> None:
    """The bundled scenario with its attack beside it, the real engine and worker."""
    from ldptui import scenarios

    source = Path(scenarios.__file__).parent
    for name in ("python-attack.toml", "one_by_one.py"):
        (tmp_path / name).write_text((source / name).read_text())
    app = Workbench(Settings(), tmp_path / "python-attack.toml", Engine)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.workbench
        await until(pilot, lambda: "ctrl+r shows it and asks" in seen(app), 60)
        before = len(screen.shelf.runs)
        for answers in (("n", "n"), ("n", "y")):  # the file beside it, then that of the package
            await pilot.press("ctrl+r")
            for answer in answers:
                await until(pilot, lambda: isinstance(app.screen, ConsentScreen), 60)
                assert "one_by_one.py" in seen(app)
                await pilot.press(answer)
            if answers[-1] == "n":
                await until(pilot, lambda: "nothing ran" in status(screen))
                assert len(screen.shelf.runs) == before
        await until(pilot, lambda: screen.shelf.on_show is not None, 120)
        run = screen.shelf.on_show
        assert run is not None
        assert run.snapshot.status == "done"
        await app.workbench.shut_down()


# A file that is opened inside.


async def test_code_of_a_file_is_asked_about_put_in_and_read_again_when_it_is_saved(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "def honest(protocol, view, count, rng, more=1): ...\n"
        "class Few:\n    def sift(self, received): ...\n"
        "class Sets:\n    def __init__(self, items, epsilon, size=2): ...\n"
        "def steps(items, *, width=2): ...\ndef most(frequencies, facts): ...\n"
        "def cut(frequencies, known): ...\ndef _own(items): ...\ndef helper(): ...\nX = 1\n"
    )
    found = [(guess.what, guess.kind, guess.name) for guess in plugins.guesses(path)]
    assert found == [
        ("attack", "plugin", "honest"), ("defence", "plugin-filter", "Few"),
        ("protocol", "plugin", "Sets"), ("population", "plugin", "steps"),
        ("metric", "", "most"), ("defence", "plugin", "cut"),
    ]  # fmt: skip
    async with workbench() as (screen, engine, pilot):
        engine.code = (replace(CODE, file=str(path)),)
        await until(pilot, lambda: screen.draft is not None and engine.active is not None)
        finished(engine)
        for answer in ("n", "y"):
            screen.run_worker(screen.simulating.open_code(path))
            await until(pilot, lambda: isinstance(screen.app.screen, PickerScreen))
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(screen.app.screen, ConsentScreen))
            await pilot.press(answer)
            await until(pilot, lambda: screen.is_current)
            assert screen.draft is not None
            document = screen.draft.document
            assert document is not None
            assert (document["attack"]["kind"] == "plugin") is (answer == "y")
        assert engine.offered == [f"--offered-file={path}"] * 2
        assert document["attack"]["name"] == "honest"
        await until(pilot, lambda: engine.active is not None)
        finished(engine)
        screen.simulating._code.look()
        await pilot.pause()
        assert screen.is_current  # nobody has saved it
        engine.code = (replace(CODE, name="honest", digest="fedcba9876543210"),)
        os.utime(path, (1, 1))
        screen.simulating._code.look()
        await until(pilot, lambda: isinstance(screen.app.screen, ConsentScreen))
        await pilot.press("y")
        await until(pilot, lambda: engine.active is not None)  # a preview of the new code
