"""The lines of the benchmarks' table, and the child processes that their numbers come from."""

import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEERS = {
    # xxhash 4 refuses the `str` that both hash; scikit-learn and statsmodels are not declared.
    "pure-ldp": ["pure-ldp==1.2.0", "xxhash<4", "scikit-learn", "statsmodels"],
    "multi-freq-ldpy": ["multi-freq-ldpy==0.2.5", "xxhash<4"],
}
OF_NUMBERS = {"diffprivlib": ["diffprivlib==0.6.6", "scikit-learn<1.6"], "plain": ["numpy"]}
"""The peers of numbers; the plain program needs no package but the one that draws its users."""
ITEMS = 1024


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, and the number that it must reach."""

    name: str
    measured: str
    target: str
    met: bool | None
    note: str = ""


def environment(peer: str) -> Path:
    """The Python of the peer's own environment, which is made on first use."""
    folder = ROOT / ".venv-bench" / peer
    python = folder / "bin" / "python"
    ready = folder / ".ready"
    needed = (PEERS | OF_NUMBERS)[peer]
    wanted = "\n".join(needed)
    if not ready.exists() or ready.read_text() != wanted:
        print(f"making {folder.relative_to(ROOT)} …", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        (folder.parent / ".gitignore").write_text("*\n")
        install: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        subprocess.run([*install, *needed], check=True)
        ready.write_text(wanted)
    return python


def run_json(*command: str | Path) -> dict[str, Any]:
    result = subprocess.run(
        [str(part) for part in command], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def ours(measure: str, **options: Any) -> dict[str, Any]:
    return run_json(sys.executable, "bench/ours.py", measure, json.dumps(options))


def peer(name: str, protocol: str, users: int) -> dict[str, Any]:
    size = ("--items", str(ITEMS), "--users", str(users))
    return run_json(environment(name), "bench/peers.py", name, protocol, *size)


def scaled(seconds: float) -> str:
    """Seconds in the unit that reads best, three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"
