"""The certificate of an audit: a file of TOML that is checked, run again and compared."""

from __future__ import annotations

import hmac
import json
import math
import os
import platform
import secrets
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
import tomlkit

from ldptui import __version__
from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import is_there
from ldptui.core.lab.audit import Inspection
from ldptui.core.lab.audit.monte_carlo import epsilon_at_least
from ldptui.core.lab.audit.rounds import OF_AVERAGE, OF_BOUND
from ldptui.core.lab.audit.verdict import exceeds
from ldptui.core.protocols import KINDS
from ldptui.core.scenario import read_text

from ..api.audited import Question
from ..api.audited.told import unproved
from ..lab.questions.reports import AuditOptions
from ..terminal import places

ROUNDED: Final = 1e-9
"""The rounding of an ε that is computed again, on another machine as well."""
FORMAT: Final = 1
"""The version of the format."""
ASKED: Final[dict[str, type | tuple[type, ...]]] = {
    "clients": list, "commands": list, "pairs": list, "as": str, "opaque": bool,
    "epsilon": (int, float), "items": int, "set": list, "samples": int,
    "confidence": (int, float), "seed": int, "patience": (int, float), "batch": int,
}  # fmt: skip
"""The keys of the table [asked], with their types: the options of the command."""
NAMES: Final = {"as": "claimed", "set": "settings"}
"""The options whose argument has another name than the key."""


def certificate(question: Question, options: AuditOptions, found: Sequence[Inspection]) -> str:
    """The certificate as TOML. Only the options that were given, or have a value, stand in it."""
    given = asked_of(options)
    digests = {named.name: named.digest for named in question.clients}
    document: dict[str, Any] = {
        "format": FORMAT,
        "made_by": f"ldptui {__version__}",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "platform": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "seal": seal(given),
        "asked": given,
        "client": [_values(each, digests.get(each.client, "")) for each in found],
        "not_proved": list(unproved(question)),
    }
    return tomlkit.dumps(document)


def asked_of(options: AuditOptions) -> dict[str, Any]:
    """The table [asked] of an audit."""
    given = {key: getattr(options, NAMES.get(key, key)) for key in ASKED}
    return {
        key: [*value] if isinstance(value, tuple) else value
        for key, value in given.items()
        if value not in (None, "")
    }


def seal(asked: Mapping[str, Any]) -> str:
    """A seal that only this user on this machine makes; "" where its key cannot be kept.

    A certificate names programs. Those of a sealed one were named on this user's command line
    before; those of a stranger's run only where they are named there again.
    """
    place = places.state_dir() / "audit.key"
    try:
        if not is_there(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(
                os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as new:
                new.write(secrets.token_bytes(32))
        key = place.read_bytes()
    except OSError:
        return ""
    said = json.dumps(asked, sort_keys=True).encode()
    return hmac.new(key, said, "sha256").hexdigest() if len(key) == 32 else ""


def check_allowed(document: dict[str, Any], options: AuditOptions) -> None:
    """Refuse a stranger's certificate whose programs the command line does not name as well."""
    asked, ours = document["asked"], seal(document["asked"])
    if ours and hmac.compare_digest(str(document.get("seal", "")).encode(), ours.encode()):
        return
    programs = [f"--command {shlex.quote(each)}" for each in asked.get("commands", [])
                if each not in options.commands]  # fmt: skip
    programs += [each for each in asked.get("clients", [])
                 if each.lower() not in KINDS and each not in options.clients]  # fmt: skip
    if programs:
        rule = (
            "was written elsewhere, or changed, and names programs: name them as well to let them "
            f"run, {' '.join(programs)}"
        )
        raise ScenarioError(rule, key=f"--verify {options.verify}")


def _values(each: Inspection, digest: str) -> dict[str, Any]:
    """A client's table. Its error is shared by all its verdicts: they hold together."""
    values: dict[str, Any] = {
        "name": each.client, "digest": digest, "verdict": each.verdict,
        "epsilon_low": each.epsilon_low, "samples": each.samples,
        "error": 1 - each.confidence, "findings": [finding.text for finding in each.findings],
        "average_low": each.average_low, "conforms": each.conforms,
    }  # fmt: skip
    if (best := each.bound) is not None:
        values |= {"hits": [*best.hits], "of": [*best.of], "hits_error": best.error}
    if each.average_low is not None and each.seen is not None:
        found = each.seen.supported
        values["guesses"] = [found.right, found.wrong, found.guesses]
    for name, rate in zip("pq", each.rates or (), strict=False):
        values[name] = [rate.low, rate.high]
    return {key: value for key, value in values.items() if value is not None}


def read_certificate(path: Path) -> dict[str, Any]:
    """A certificate, checked; raises FileError, ScenarioError."""
    try:
        document = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ScenarioError(f"{path} is not TOML: {error}") from error
    if document.get("format") != FORMAT:
        rule = f"format must be {FORMAT}, {got(document.get('format'))}"
        raise ScenarioError(f"{path}: {rule}")
    asked, clients = document.get("asked"), document.get("client")
    if not isinstance(asked, dict) or not isinstance(clients, list):
        raise ScenarioError(f"{path} must have a table [asked] and tables [[client]]")
    for key, value in asked.items():
        kind = ASKED.get(key)
        fits = kind is not None and isinstance(value, kind)
        if isinstance(value, list):
            fits = fits and all(isinstance(each, str) for each in value)
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise ScenarioError(f"{path}: asked.{key} is no option of an audit, {got(value)}")
    for client in clients:
        there = isinstance(client, dict)
        if not there or any(not isinstance(client.get(key), str) for key in ("name", "verdict")):
            raise ScenarioError(f"{path}: a client must have name and verdict, {got(client)}")
        for sentence in contradictions(client, asked):
            raise ScenarioError(f"{path}: {client['name']} {sentence}: it was changed")
    return document


def contradictions(client: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    """The contradictions in a client's table, in sentences: it is computed from its own contents.

    A certificate of an earlier version has no hits, of which ε follows.
    """
    try:
        low, average = float(client.get("epsilon_low", 0)), float(client.get("average_low", 0))
        error = 1 - float(asked["confidence"])
        if not math.isclose(float(client.get("error", error)), error, abs_tol=1e-12):
            yield f"has the error {client['error']}, of a confidence of {asked['confidence']}"
        most = math.inf if "guesses" in client or "hits" not in client else 0.0
        if "guesses" in client:
            right, wrong, guesses = client["guesses"]
            most = float(epsilon_at_least(right, wrong, guesses, 1 - OF_AVERAGE * error))
        if average > most + ROUNDED:
            yield f"has average_low {average:.6g}, of which its guesses prove {most:.6g} at most"
        proved = average
        if "hits" in client:
            (first, second), (of, other) = client["hits"], client["of"]
            part = float(client["hits_error"])
            if part > OF_BOUND * error + ROUNDED:
                yield f"has the hits_error {part:.3g}, more than its part of the error"
            proved = max(average, float(epsilon_at_least(first, second, of, 1 - part, 0.0, other)))
        if low < proved - ROUNDED or ("hits" in client and low > proved + ROUNDED):
            yield f"has epsilon_low {low:.6g}, and its own counts prove {proved:.6g}"
        if exceeds(low, float(asked["epsilon"])) and client["verdict"] != "broken":
            yield f"is {client['verdict']}, and its epsilon_low {low:.6g} is above the promise"
    except (KeyError, TypeError, ValueError) as mistake:
        yield f"has a value that is none of an audit ({mistake})"


def options_of(document: dict[str, Any], options: AuditOptions) -> AuditOptions:
    """The options of the audit that a certificate tells of, with the output of these ones."""
    asked: dict[str, Any] = {
        NAMES.get(key, key): tuple(value) if isinstance(value, list) else value
        for key, value in document["asked"].items()
    }
    return replace(options, **asked)


def differences(
    document: dict[str, Any], question: Question, found: Sequence[Inspection]
) -> Iterator[str]:
    """The differences of an audit from the certificate of an earlier one, in sentences.

    The bound on ε differs by chance with a client's own coins; verdicts may not.
    """
    digests = {named.name: named.digest for named in question.clients}
    now = {each.client: each for each in found}
    for client in document["client"]:
        name = client["name"]
        each = now.get(name)
        if each is None:
            yield f"{name} was not audited again"
            continue
        if client.get("digest", "") != digests.get(name, ""):
            yield f"{name} is another program: its digest is {digests.get(name, '')[:16] or 'none'}"
        if client["verdict"] != each.verdict:
            yield f"{name} is {each.verdict}, and {client['verdict']} in the certificate"
        if client.get("conforms") != each.conforms:
            words = {True: "conforms", False: "does not conform", None: "is compared with nothing"}
            yield f"{name} {words[each.conforms]}, unlike in the certificate"
    if len(now) > len(document["client"]):
        yield "a client is not in the certificate"
