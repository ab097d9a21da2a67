"""Stores that are not what they should be: newer, damaged, another program's, read-only."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.cases import sweep
from support.stores import assert_same, change_run, record

from ldptui.core.base.errors import FileError, LdpError
from ldptui.core.store import (
    Store,
    begin,
    open_store,
    resume,
    store_open,
)


def test_a_newer_store_is_refused_and_not_touched(path: Path) -> None:
    with open_store(path) as first:
        record(first, sweep(20))
        first._db.execute("PRAGMA user_version = 7")
    before = path.read_bytes()
    for write in (True, False):
        with pytest.raises(FileError, match=r"made by a newer ldptui \(version 7.*knows 6\)"):
            open_store(path, write)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"garbage" * 100, b"SQLite format 3\0garbage" * 100, b"{}"])
def test_garbage_is_refused_and_not_touched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "runs"
    path.write_bytes(content)
    for write in (True, False):
        with pytest.raises(FileError, match=r"is not a store of ldptui|is damaged"):
            open_store(path, write)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE runs (id)")
        db.commit()
    before = path.read_bytes()
    with pytest.raises(FileError, match="another program made it"):
        open_store(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder"):
        open_store(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be made"):
        open_store(tmp_path / "file" / "runs")


def test_a_truncated_store_is_an_error_in_one_sentence(path: Path, tmp_path: Path) -> None:
    with open_store(path) as first:
        record(first, sweep())
    whole = path.read_bytes()
    messages = []
    for size in range(1, len(whole), max(1, len(whole) // 20)):
        part = tmp_path / f"part{size}"
        part.write_bytes(whole[:size])
        try:
            with open_store(part) as there:
                for one in there.runs():
                    there.measured_cells(one.id)
                record(there, sweep(seed=3))
                assert there.check() != "ok"
        except LdpError as error:
            messages.append(str(error))
    assert messages
    assert all(str(tmp_path) in message and "\n" not in message for message in messages)


def test_a_damaged_page_is_an_error_in_one_sentence(path: Path, seed: int) -> None:
    with open_store(path) as first:
        record(first, sweep())
    whole = path.read_bytes()
    rng = random.Random(seed)
    messages = []
    for _ in range(30):
        damaged = bytearray(whole)
        at = rng.randrange(1024, len(whole) - 1024)
        damaged[at : at + 1024] = rng.randbytes(1024)
        path.write_bytes(damaged)
        try:
            with open_store(path) as there:
                for one in there.runs():
                    there.results(one.id)
        except LdpError as error:
            messages.append(str(error))
    assert messages
    assert all("\n" not in message for message in messages)


def test_a_read_only_folder_is_a_message(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    path = folder / "runs.sqlite3"
    with open_store(path) as first:
        results, _ = record(first, sweep(20))
    with read_only(folder, path):
        with pytest.raises(FileError, match=r"cannot be (made|opened|written)"):
            open_store(folder / "deeper" / "runs.sqlite3")
        with pytest.raises(FileError, match=r"cannot be opened|read-only"), open_store(path) as it:
            begin(it, sweep(20))
        with open_store(path, write=False) as there:
            assert_same(there.results(1), results)
            with pytest.raises(FileError, match="read-only"):
                there.star(1)


@contextlib.contextmanager
def read_only(folder: Path, *files: Path) -> Iterator[None]:
    """Nobody may write here, not even root, who is somebody else meanwhile."""
    for place in (*folder.parents, folder):
        if place.owner() == folder.owner() and "pytest" in str(place):
            place.chmod(0o555 if place == folder else 0o755)
    for file in files:
        file.chmod(0o444)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_network_file_system_gets_a_rollback_journal(
    path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(path) as first:
        record(first, sweep(20))
    monkeypatch.setattr(store_open, "file_system", lambda _: kind)
    with open_store(path) as there:
        assert there.journal == "delete"
        assert kind in there.note
        assert "rollback journal" in there.note
        results, recorded = record(there, sweep(20, seed=1))
        assert_same(there.results(recorded.run), results)
    assert not list(path.parent.glob("*-wal"))


def test_file_systems_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts = f"a / ext4 rw 0 0\nb {tmp_path} nfs4 rw 0 0\nc {tmp_path}/my\\040disk xfs rw 0 0\n"
    original = Path.read_text

    def read_text(self: Path, *more: Any) -> str:
        return mounts if str(self) == "/proc/self/mounts" else original(self, *more)

    monkeypatch.setattr(Path, "read_text", read_text)
    assert store_open.file_system(Path("/usr/x")) == "ext4"
    assert store_open.file_system(tmp_path / "x") == "nfs4"
    assert store_open.file_system(tmp_path / "my disk" / "x") == "xfs"


def test_runs_of_another_numpy_are_not_mixed(kept: Store) -> None:
    recorded = begin(kept, sweep())
    recorded.finish(None)
    change_run(kept, 1, versions={**kept.run(1).versions, "numpy": "1.0"})
    with pytest.raises(FileError, match=r"computed with NumPy 1\.0, here it is"):
        resume(kept, 1)
