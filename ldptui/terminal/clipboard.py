"""Copying text to where the user can paste it, over SSH too, and saying what was done.

A terminal never answers whether it took the text, so no sentence here claims that it did.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any, Final

from textual.app import App

LIMIT: Final = 70_000
"""Bytes that the terminals in use still take in one OSC 52 sequence."""


def copy(app: App[Any], text: str) -> str:
    """Copy text to the clipboard; returns a sentence that says how."""
    if not text.strip():
        return "there is nothing to copy here yet"
    size = _size(text)
    if os.environ.get("TMUX") and shutil.which("tmux") and _to_tmux(text):
        return f"copied {size} to the tmux buffer and, where tmux may, to the clipboard"
    if len(text.encode("utf-8", "replace")) > LIMIT:
        return f"{size} are too much for the terminal's clipboard; ctrl+e writes them to a file"
    app.copy_to_clipboard(text)
    if os.environ.get("STY"):
        return f"sent {size} to the clipboard, but screen may stop them; ctrl+e writes a file"
    return f"sent {size} to the terminal's clipboard"


def _to_tmux(text: str) -> bool:
    """True if tmux took the text; -w passes it on to the terminal (tmux 3.2 and later)."""
    for options in (["-w"], []):
        try:
            done = subprocess.run(
                ["tmux", "load-buffer", *options, "-"],
                input=text.encode("utf-8", "replace"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=1.0,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        if done.returncode == 0:
            return True
    return False


def _size(text: str) -> str:
    lines = text.count("\n") + (not text.endswith("\n"))
    return f"{lines} line{'s' * (lines != 1)}"
