"""sdist and wheel: built as `make dist` does, installed in new environments, and run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import ldptui

ROOT = Path(__file__).parents[1]
LEFT = (".git", ".venv", "dist", "share", "site", "build", "*cache*", "__pycache__", ".hypothesis")


def done(folder: Path, *words: str | Path) -> str:
    """What a command prints, in a folder and without this source; it has to end with 0."""
    hidden = ("PYTHONPATH", "LDPTUI_STORE")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    ran = subprocess.run(
        [*map(str, words)], cwd=folder, capture_output=True, text=True, timeout=900, env=environment
    )
    assert ran.returncode == 0, f"{words}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}"
    return ran.stdout


@pytest.mark.long
def test_packages_are_built_installed_and_run(tmp_path: Path) -> None:
    source = tmp_path / "source"
    left = shutil.ignore_patterns(*LEFT)
    shutil.copytree(ROOT, source, ignore=left, symlinks=True)  # as a clone has them
    shutil.copytree(ROOT / "docs" / "site", source / "docs" / "site", dirs_exist_ok=True)
    done(source, "make", "dist", "SITE=", f"BIN={Path(sys.executable).parent}")
    (wheel,) = (source / "dist").glob("*.whl")
    (sdist,) = (source / "dist").glob("*.tar.gz")

    done(tmp_path, sys.executable, "-m", "venv", "new")
    new = tmp_path / "new"
    done(tmp_path, new / "bin/python", "-m", "pip", "install", "--quiet", wheel)
    with zipfile.ZipFile(wheel) as packed:
        tops = {name.partition("/")[0] for name in packed.namelist()}
        version = ldptui.__version__
        about = packed.read(f"ldptui-{version}.dist-info/METADATA").decode()
    (home,) = re.findall(r"^Project-URL: Source, (.+)$", about, re.MULTILINE)
    assert f"]({home}/blob/main/docs/tutorial.md)" in about
    assert f"]({home}/raw/main/docs/workbench.svg)" in about
    assert "](docs/" not in about
    assert tops == {"ldptui", f"ldptui-{version}.dist-info", f"ldptui-{version}.data"}
    for house in ("core", "scenarios"):  # somebody else's, where ldptui is started
        (tmp_path / house).mkdir()
        (tmp_path / house / "__init__.py").write_text("raise RuntimeError")
    command = new / "bin/ldptui"
    assert done(tmp_path, command, "--version") == f"ldptui {ldptui.__version__}\n"
    ran = done(tmp_path, command, "run", "quickstart", "--no-store", "--quiet")
    assert "digest xxh3:" in ran
    assert Path(done(tmp_path, command, "docs", "theory").strip()).is_file()
    plugin = Path(done(tmp_path, command, "docs").strip()).parent / "examples" / "plugin"
    done(tmp_path, new / "bin/python", "-m", "pip", "install", "--quiet", "--no-deps", plugin)
    scenario = (command, "run", plugin / "scenario.toml", "--no-store", "--quiet")
    allowed = {
        "attack": "spread",
        "defence": "floor",
        "metric": "kendall_tau",
        "population": "steps",
        "protocol": "pairs",
    }
    done(tmp_path, *scenario, *(f"--allow={name}" for what, name in allowed.items()))
    assert "EXIT STATUS" in (new / "share/man/man1/ldptui.1").read_text(encoding="utf-8")
    assert (new / "share/bash-completion/completions/ldptui").is_file()

    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {
        "Makefile",
        "docs/theory.md",
        "tests/test_package.py",
        "ldptui/site/index.html",
    } <= names
    done(tmp_path, new / "bin/python", "-m", "pip", "install", "-q", "--no-deps", "-t", "at", sdist)
    for name in ("py.typed", "core/cell.py", "scenarios/quickstart.toml"):
        assert (tmp_path / "at" / "ldptui" / name).is_file()

    (source / "ldptui" / "core").unlink()
    (source / "ldptui" / "core").write_text("../core", encoding="utf-8")  # as without links
    build = (sys.executable, "-m", "build", "--sdist", source)
    refused = subprocess.run(build, capture_output=True, text=True, timeout=300)
    assert refused.returncode != 0
    assert "`git config core.symlinks true`" in refused.stdout + refused.stderr
