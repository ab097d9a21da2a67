"""The steps of a build that are ours: the links of the README, and what a wheel takes along."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

NO_LINKS = (
    "this copy of the source has no symbolic links: ldptui/core and ldptui/scenarios lead to core "
    "and scenarios. `git config core.symlinks true` and `git checkout -- ldptui` make them; on "
    "Windows work in WSL"
)
NO_PAGES = "this wheel has no pages, man page and completions: `make dist` builds one that has"


class Readme(MetadataHookInterface):
    """The description of the package: the README, whose links lead to the source."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description in the metadata, with links below the project's address."""
        source = metadata["urls"]["Source"].rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, source),
        }


def absolute(text: str, source: str) -> str:
    """Markdown whose relative links lead to the files of a repository, of pictures to raw ones."""

    def link(match: re.Match[str]) -> str:
        kind = "raw" if match[1].startswith("!") else "blob"
        return f"{match[1]}({source}/{kind}/main/{match[2]})"

    return re.sub(r"(!?\[[^\]]*\])\((?![a-z]+:|#)([^)]+)\)", link, text)


class Share(BuildHookInterface):  # type: ignore[type-arg]
    """Puts `share/` into a wheel, where `make dist` has made it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say to hatchling what else belongs into the wheel."""
        root = Path(self.root)
        if not (root / "ldptui" / "core").is_dir():
            raise RuntimeError(NO_LINKS)
        share = root / "share"
        if self.target_name == "wheel" and share.is_dir():
            build_data["shared_data"][str(share)] = "share"
        elif self.target_name == "wheel" and version == "standard":
            self.app.display_warning(NO_PAGES)
