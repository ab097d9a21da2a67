"""The package in examples/plugin: installed by pip, found by name, run where it is allowed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "examples" / "plugin"


def done(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A Python of this environment that sees the packages in a folder besides."""
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=500,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "there"), str(ROOT)])},
    )  # fmt: skip


@pytest.mark.long
def test_the_example_installs_and_runs(tmp_path: Path) -> None:
    install = ("-m", "pip", "install", "--quiet", "--no-deps", "--target", "there", str(PLUGIN))
    assert done(tmp_path, *install).returncode == 0
    tests = done(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PLUGIN / "tests"))
    assert tests.returncode == 0, tests.stdout
    scenario = ("-m", "ldptui", "run", str(PLUGIN / "scenario.toml"), "--no-store", "--quiet")
    refused = done(tmp_path, *scenario)
    assert refused.returncode == 2
    assert "--allow-attack spread lets it run" in refused.stderr
    ran = done(tmp_path, *scenario, "--allow-attack", "spread", "--allow-defence", "floor")
    assert ran.returncode == 0, ran.stderr
    assert "digest xxh3:" in ran.stdout
