"""The claim that a scenario's file begins with, as a comment."""

from __future__ import annotations

import re


def split_claim(text: str) -> tuple[str, str]:
    """The comment block that a file begins with, as paragraphs, and what follows it.

    Lines for editors (`#:schema FILE`) are in neither.
    """
    lines = text.splitlines()
    count = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    words = [line.removeprefix("#").strip() for line in lines[:count] if line[:2] != "#:"]
    paragraphs: list[str] = []
    for line in words:
        if paragraphs and line and not re.match(r"[A-Z][\w ]*:", line) and paragraphs[-1]:
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
    return "\n".join(paragraphs).strip(), "\n".join(lines[count:]).strip()


def claim_of(text: str) -> str:
    """The claim of the file, in one line; "" where it claims nothing."""
    claim = re.match(r"Claim: *(.*)", split_claim(text)[0])
    return claim[1] if claim else ""
