"""Files are there whole or not at all, whoever writes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import is_file, is_folder, is_there, whole_file


def _half(path: Path) -> None:
    with whole_file(path) as file:
        file.write(b"half")
        raise OSError("the disk is full")


def test_a_file_keeps_its_contents_where_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"before")
    with pytest.raises(FileError, match="run cannot be written: the disk is full"):
        _half(path)
    assert path.read_bytes() == b"before"
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_is_written_through_a_link_and_keeps_its_mode(tmp_path: Path) -> None:
    path, link = tmp_path / "run", tmp_path / "link"
    path.touch(mode=0o600)
    link.symlink_to(path)
    with whole_file(link) as file:
        file.write(b"after")
    assert link.is_symlink()
    assert path.read_bytes() == b"after"
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_may_not_be_looked_at_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", refused)
    assert not any(ask(Path("/x")) for ask in (is_there, is_folder, is_file))
