"""The reports that `ldptui REPORTS` opens, and the first answer about them.

Nothing here imports NumPy, so that a worker begins at once. What is wrong with the reports
themselves is for it to find, and stands in the form, where it can be mended.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.errors import FileError, ScenarioError, check_among, got
from ldptui.core.base.files import fault_of, is_folder

from ..questions import load_question
from ..questions.choices import kinds
from ..questions.options import find_option
from ..questions.topics import starting
from ..session.snapshot import LabQuestion
from ..terminal.places import current_dir

if TYPE_CHECKING:
    from .common_options import Opening

FIRST: Final = "estimate"
"""The question that is answered first."""


def read_opening(options: Opening) -> dict[str, Any]:
    """The form fields about the report files to open; raises LdpError."""
    places, kind = options.places, options.protocol
    assert kind is not None
    if not places:
        raise ScenarioError("takes the files that hold the reports: ldptui REPORTS …", "--protocol")
    if kind.lower() not in kinds():
        _refuse_kind(kind)
    if "-" in places:
        raise ScenarioError("must be files, which are read again, got standard input", "reports")
    if options.items is None and options.domain is None and options.low is None:
        rule = "is required, or --domain, or --low and --high of numbers"
        raise ScenarioError(rule, "--items")
    if options.low is not None and options.high is None:
        raise ScenarioError("is required with --low", "--high")
    asked, given = load_question(FIRST), {"protocol": kind.lower()}
    for name in ("epsilon", "items", "domain", "low", "high"):
        given[name] = getattr(options, name)
    try:
        asked.check({"reports": places, **given})
    except ScenarioError as error:
        option = find_option(asked.options, error.key)
        raise ScenarioError(error.rule, error.key if option is None else option.flag) from error
    for place in (*places, *filter(None, [options.domain])):
        later = is_folder(place) or glob.has_magic(place)
        if not later and (fault := fault_of(Path(place))):
            raise FileError(f"{place} cannot be read: {fault}")
    if options.domain is not None:
        given["domain"] = os.path.abspath(options.domain)  # noqa: PTH100
    if options.settings:
        from ldptui.core.reports.arguments import keys_of

        given |= {name: str(value) for name, value in keys_of(options.settings).items()}
    reports = tuple(os.path.abspath(place) for place in places)  # noqa: PTH100 - of patterns too
    return {"reports": reports, **given}


def _refuse_kind(kind: str) -> None:
    """Refuse what is no protocol of ours; raises ScenarioError."""
    from ldptui.core.plugins import published_names

    if ":" in kind or kind in published_names("protocol"):
        rule = "must be a protocol of ldptui's own to be opened; ldptui estimate takes your code"
        raise ScenarioError(f"{rule}, {got(kind)}", "--protocol")
    check_among(kind, kinds(), "--protocol")


def first_question(opened: dict[str, Any]) -> LabQuestion:
    """The question that the lab asks first about the reports that it opens."""
    return LabQuestion(1, FIRST, starting(FIRST, None, opened), None, str(current_dir()))
