"""The network: no command but serve and a named cluster opens a socket, or looks a name up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from support.commands import TINY

WATCHED: Final = """
import sys

TOUCHES = ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo",
           "socket.gethostbyname", "urllib.Request", "http.client.connect", "ftplib.connect")
sys.addaudithook(lambda event, given: print(event, given) if event in TOUCHES else None)
from ldptui.commands.cli import main

for line in sys.argv[1:]:
    print(f"> {line}")
    if line == "-":  # a mutant, which is seen
        import socket

        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
    elif code := main(line.split()):
        sys.exit(code)
"""

COMMANDS: Final = (
    "run tiny.toml --no-store --out a.csv --format csv",
    "run tiny.toml --workers 2 --no-store --out b.json --format json",
    "plot tiny.toml --out gain.svg",
    "record tiny.toml --out run.ldptui",
    "scenarios copy survey out.toml",
    "perturb data.csv --protocol oue --epsilon 1 --items 4 --out reports.parquet",
    "docs --help",
    "--version",
)


def test_no_command_touches_the_network(tmp_path: Path) -> None:
    """All in one process, which starts Python once."""
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    (tmp_path / "data.csv").write_text("item\n1\n2\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *COMMANDS, "-"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = done.stdout.split("> ")[1:]
    assert [part.partition("\n")[0] for part in said] == [*COMMANDS, "-"]
    assert [part[0] for part in said if "socket." in part] == ["-"], done.stdout
