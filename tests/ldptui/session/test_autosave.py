"""The draft's recovery file: it comes back, cannot crash-loop, and survives a read-only home."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.scenario_files import PLAIN

from ldptui.core.base import processes
from ldptui.session import autosave
from ldptui.session.draft import Draft, draft_of, edit_text
from ldptui.terminal import places


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state" / "ldptui"
    monkeypatch.setattr(places, "state_dir", lambda: folder)
    return folder


def loaded() -> Draft:
    kept = autosave.load_draft()
    assert kept is not None
    return kept.draft


def test_a_draft_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(PLAIN, encoding="utf-8")
    draft = edit_text(draft_of(PLAIN, tmp_path, path), PLAIN.replace("1.0", "2.5"))
    assert autosave.save_draft(draft) == ""
    back = loaded()
    assert (back.text, back.path, back.folder) == (draft.text, path, tmp_path)
    assert back.saved_text == PLAIN
    assert back.is_modified


def test_a_text_that_does_not_parse_comes_back_with_the_valid_one_before(tmp_path: Path) -> None:
    before = draft_of(PLAIN, tmp_path)
    draft = edit_text(before, PLAIN + "[attack\nzürich \U0001f600 \x00")
    assert autosave.save_draft(draft, before) == ""
    kept = autosave.load_draft()
    assert kept is not None
    assert kept.valid is not None
    assert kept.draft.text == draft.text
    assert kept.draft.problems
    assert (kept.valid.text, kept.valid.problems) == (PLAIN, ())


def test_the_draft_of_a_session_that_is_open_is_its_own(state: Path, tmp_path: Path) -> None:
    autosave.save_draft(draft_of(PLAIN, tmp_path))
    [file] = state.glob("draft.*.json")
    kept = json.loads(file.read_text(encoding="utf-8"))
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    host, _, _ = kept["owner"].rsplit(":", 2)
    kept["owner"] = f"{host}:{other.pid}:{processes._start_time(other.pid)}"
    file.write_text(json.dumps(kept), encoding="utf-8")
    assert autosave.load_draft() is None
    other.communicate()
    assert loaded().text == PLAIN


def test_a_draft_that_was_never_saved_is_still_unsaved(tmp_path: Path) -> None:
    draft = replace(draft_of(PLAIN, tmp_path), saved_text=None)
    autosave.save_draft(draft)
    back = loaded()
    assert back.path is None
    assert back.saved_text is None
    assert back.is_modified


def test_an_unchanged_draft_is_read_from_its_file_which_may_be_newer(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(PLAIN, encoding="utf-8")
    autosave.save_draft(draft_of(PLAIN, tmp_path, path))
    newer = PLAIN.replace("16", "32")
    path.write_text(newer, encoding="utf-8")
    back = loaded()
    assert back.text == newer
    assert not back.is_modified


def test_without_its_file_the_draft_still_comes_back(tmp_path: Path) -> None:
    autosave.save_draft(draft_of(PLAIN, tmp_path, tmp_path / "gone.toml"))
    assert loaded().text == PLAIN


def test_the_first_start_has_no_draft(state: Path) -> None:
    assert autosave.load_draft() is None
    assert not state.exists()


def test_a_draft_is_taken_once(state: Path, tmp_path: Path) -> None:
    """The start that it brings down is the last one that reads it."""
    autosave.save_draft(draft_of(PLAIN, tmp_path))
    assert autosave.load_draft() is not None
    assert autosave.load_draft() is None
    kept = json.loads((state / "draft.taken.json").read_text(encoding="utf-8"))
    assert kept["text"] == PLAIN, "what brought a start down is kept for its author"


def test_a_draft_saved_after_a_take_is_the_next_one(tmp_path: Path) -> None:
    autosave.save_draft(draft_of(PLAIN, tmp_path))
    first = loaded()
    autosave.save_draft(edit_text(first, PLAIN + "# more\n"))
    assert loaded().text == PLAIN + "# more\n"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"version": 2, "text": "x"}', b'{"version": 1, "text": 5}',
     b'{"version": 1, "text": "format = 1", "folder": 7, "path": [1]}'],
)  # fmt: skip
def test_a_poisoned_file_never_stops_a_start(state: Path, content: bytes) -> None:
    state.mkdir(parents=True)
    (state / "draft.1.json").write_bytes(content)
    assert autosave.load_draft() is None
    assert not (state / "draft.1.json").exists()
    assert autosave.load_draft() is None


def test_a_draft_that_cannot_be_kept_gives_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setattr(places, "state_dir", lambda: tmp_path / "file" / "ldptui")
    sentence = autosave.save_draft(draft_of(PLAIN, tmp_path))
    assert sentence.startswith("the draft is not kept for the next start: ")
    assert "\n" not in sentence
    assert autosave.load_draft() is None


def test_edits_of_one_key_are_one_until_it_rests(tmp_path: Path) -> None:
    texts = (PLAIN.replace("1.0", f"{epsilon}.0") for epsilon in (1, 2, 3))
    drafts = [draft_of(text, tmp_path) for text in texts]
    edits = autosave.Edits().with_edit("protocol.epsilon", drafts[0], 0.0)
    at_once = edits.with_edit("protocol.epsilon", drafts[1], autosave.REST_S / 2)
    assert at_once.undone(drafts[2])[1].text == drafts[0].text
    rested = edits.with_edit("protocol.epsilon", drafts[1], autosave.REST_S)
    assert rested.undone(drafts[2])[1].text == drafts[1].text
