"""The step of a build that is ours: a wheel takes the man page and the completions along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Share(BuildHookInterface):  # type: ignore[type-arg]
    """Puts `share/` into a wheel, where `make dist` has made it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Say to hatchling what else belongs into the wheel."""
        share = Path(self.root) / "share"
        if self.target_name == "wheel" and share.is_dir():
            build_data["shared_data"][str(share)] = "share"
