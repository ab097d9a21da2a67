"""Settings: file, environment, command line; and what makes no sense, in one sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from textual.theme import BUILTIN_THEMES

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.session.attack_options import faults
from ldptui.terminal import places, settings
from ldptui.terminal.settings import Settings, load_settings
from ldptui.terminal.settings_file import SettingsFile


@pytest.fixture(autouse=True)
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings file, which does not exist yet."""
    file = tmp_path / "config" / "config.toml"
    monkeypatch.setattr(places, "config_file", lambda: file)
    for name in ("LDPTUI_CONFIG", "LDPTUI_THEME", "LDPTUI_CHARSET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return file


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_without_a_file_everything_has_its_default(own_file: Path) -> None:
    assert load_settings() == Settings(None, "braille", True)
    assert not own_file.parent.exists()


def test_the_users_file_is_read(own_file: Path) -> None:
    write(own_file, 'theme = "nord"\ncharset = "ascii"\nmouse = false\n')
    assert load_settings() == Settings("nord", "ascii", False)


def test_the_command_line_allows_attacks_and_the_settings_offer_them(
    own_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = write(tmp_path / "far" / "d.py", "")
    write(own_file, f'allow_attacks = ["a"]\nattack_files = ["b.py", "{far}"]\n')
    beside = write(own_file.parent / "b.py", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    here, home = write(Path("f.py"), ""), write(tmp_path / "g.py", "")
    settings = load_settings(allow_attacks=["e"], attack_files=["f.py", "~/g.py"])
    assert settings.allow_attacks == ("e",)
    assert settings.attack_files == (here, home)
    assert settings.offered_files == (beside, far)


def test_files_of_attacks_that_cannot_be_read(own_file: Path, tmp_path: Path) -> None:
    """The command line refuses them; the app goes on without those of the settings."""
    write(own_file, 'attack_files = ["gone.py"]\n')
    gone = own_file.parent / "gone.py"
    why = f"{gone}: no such file or directory"
    rule = "must be a Python file that can be read, got"
    settings = load_settings()
    assert faults(settings.offered_files) == [f"attack_files: {why}"]
    with pytest.raises(FileError, match=rf"^--code {rule} .*: it is a folder$"):
        load_settings(attack_files=[str(tmp_path)])


def test_what_is_later_wins(own_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(own_file, 'theme = "nord"\ncharset = "ascii"\n')
    monkeypatch.setenv("LDPTUI_THEME", "dracula")
    monkeypatch.setenv("LDPTUI_CHARSET", "ascii")
    assert load_settings() == Settings("dracula", "ascii")
    assert load_settings(theme="gruvbox", charset="braille") == Settings("gruvbox", "braille")


def test_the_command_line_switches_the_mouse_off_but_not_on(own_file: Path) -> None:
    assert not load_settings(mouse=False).mouse
    write(own_file, "mouse = false\n")
    assert not load_settings(mouse=True).mouse
    assert not load_settings(mouse=None).mouse


def test_the_file_can_be_named(
    own_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(own_file, 'theme = "nord"\n')
    other = write(tmp_path / "other.toml", 'theme = "monokai"\n')
    third = write(tmp_path / "third.toml", 'theme = "dracula"\n')
    monkeypatch.setenv("LDPTUI_CONFIG", str(other))
    assert load_settings().theme == "monokai"
    assert load_settings(third).theme == "dracula"


@pytest.mark.parametrize(("term", "charset"), [("linux", "ascii"), ("xterm", "braille")])
def test_auto_charset_is_one_that_the_terminal_has(
    term: str, charset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    assert load_settings(charset="auto").charset == charset
    assert load_settings().charset == charset


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "hue = 1\n",
            f"FILE: hue is not a setting ({', '.join(SettingsFile.model_fields)})",
        ),
        ('them = "nord"\n', "FILE: them is not a setting (did you mean theme?)"),
        ("allow_attacks = 3\n", "FILE: allow_attacks must be a list of texts, got 3"),
        ("attack_files = [1]\n", "FILE: attack_files must be a list of texts, got [1]"),
        ("theme = 3\n", "FILE: theme must be a text, got 3"),
        ('mouse = "no"\n', 'FILE: mouse must be true or false, got "no"'),
        (
            'charset = "utf"\n',
            'FILE: charset must be one of auto, ascii, braille, got "utf"',
        ),
        ("keys = 1\n", "FILE: keys must be a table, got 1"),
        ("theme = \n", "FILE: is not valid TOML: Invalid value (at line 1, column 9)"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(own_file: Path, text: str, sentence: str) -> None:
    write(own_file, text)
    with pytest.raises(ScenarioError) as error:
        load_settings()
    assert str(error.value) == sentence.replace("FILE", str(own_file))


def test_an_unknown_theme_is_answered_with_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LDPTUI_THEME", "pink")
    with pytest.raises(
        ScenarioError, match=r"^LDPTUI_THEME must be one of ldptui-dark, .*\"pink\"$"
    ):
        load_settings()
    with pytest.raises(ScenarioError, match=r"^--theme must be one of .*, got \"mauve\"$"):
        load_settings(theme="mauve")


def test_a_file_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such settings file"):
        load_settings(tmp_path / "none.toml")
    with pytest.raises(FileError, match="cannot be read"):
        load_settings(tmp_path)


def test_a_file_that_is_no_text_is_refused(own_file: Path) -> None:
    write(own_file, "")
    own_file.write_bytes(b"theme = '\xff'\n")
    with pytest.raises(ScenarioError, match="is not valid TOML"):
        load_settings()


def test_our_themes_are_those_of_the_app() -> None:
    from ldptui.app import DARK, LIGHT

    assert (DARK.name, LIGHT.name) == settings.OWN_THEMES
    assert set(settings.themes()) == {DARK.name, LIGHT.name, *BUILTIN_THEMES}


def test_keys_by_the_names_of_bindings(own_file: Path) -> None:
    write(own_file, '[keys]\n"run.start" = "f9"\nfile.save = ["f10", "ctrl+s"]\nhelp = "?"\n')
    assert load_settings().keys == {"run.start": "f9", "file.save": "f10,ctrl+s", "help": "?"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            'run.strat = "f9"',
            "keys.run.strat is not the name of an action (did you mean run.start?)",
        ),
        (
            'run.start = ""',
            'keys.run.start must be a key such as "f9", "ctrl+r" or "x", it is empty',
        ),
        ("run.start = 5", 'keys.run.start must be a key such as "f9", "ctrl+r" or "x", got 5'),
        (
            'run.start = "cmd+r"',
            'keys.run.start must be a key such as "f9", "ctrl+r" or "x", got "cmd+r"',
        ),
    ],
)
def test_keys_that_make_no_sense(own_file: Path, text: str, sentence: str) -> None:
    write(own_file, f"[keys]\n{text}\n")
    with pytest.raises(ScenarioError) as error:
        load_settings()
    assert str(error.value) == f"{own_file}: {sentence}"


def test_two_actions_may_swap_their_keys(own_file: Path) -> None:
    write(own_file, '[keys]\nrun.start = "ctrl+o"\nfile.open = "ctrl+r"\n')
    assert load_settings().keys == {"run.start": "ctrl+o", "file.open": "ctrl+r"}


def test_every_binding_has_a_description() -> None:
    """Bindings that can be changed, and entries of the palette, are known by their ids."""
    found = settings.bindings()
    assert {"run.start", "file.open", "app.quit", "path.close", "charts.view"} <= found.keys()
    assert all(binding.description for binding in found.values())


def test_the_listing_of_keys_is_a_settings_file(own_file: Path) -> None:
    listing = settings.default_keys({"run.start": "f9"})
    keys = tomllib.loads(listing)["keys"]
    assert keys.keys() == settings.bindings().keys()
    assert keys["run.start"] == "f9"
    assert keys["file.open"] == "ctrl+o,ctrl+l"
    write(own_file, listing)
    assert load_settings().keys == keys


def test_a_number_that_is_out_of_range_is_refused(own_file: Path) -> None:
    write(own_file, f"mouse = {'9' * 5000}")
    with pytest.raises(ScenarioError, match="is not valid TOML"):
        load_settings()


def test_a_letter_has_one_meaning_wherever_it_is_pressed() -> None:
    """Letters that move (h j k l, g, n) and those of a question (y, n) apart."""
    meanings: dict[str, set[str]] = {}
    for binding in settings.bindings().values():
        for key in binding.key.split(","):
            if len(key) == 1 and key.isalpha() and key.lower() not in "hjklgny":
                meanings.setdefault(key, set()).add(binding.description.split()[0])
    assert not {key: words for key, words in meanings.items() if len(words) > 1}
    assert meanings["p"] == {"Play"}
