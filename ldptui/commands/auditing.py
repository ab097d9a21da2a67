"""The audit of clients: ldptui audit; and its certificate, a file that is run again."""

from __future__ import annotations

import hmac
import json
import os
import platform
import secrets
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import tomlkit

from ldptui import __version__
from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.files import write_atomically
from ldptui.core.lab.audit import Inspection, Power
from ldptui.core.protocols import KINDS
from ldptui.core.scenario import read_text

from ..api.audited import Checkpoint, Question, Work, question
from ..api.audited.told import UNPROVED, document, power_lines, power_sentence, told
from ..lab.questions.reports import AuditOptions
from ..terminal import exits, places
from ..terminal.output import note, write_json, write_out
from ..text import format as text
from .outputs import check_free
from .progress import Line
from .reading import by_options, keys_of

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
        "not_proved": list(UNPROVED),
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
        if not place.exists():
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
    return document


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
    """What is not as the certificate says, in sentences.

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


def page(question: Question, powers: Sequence[Power], found: Sequence[Inspection]) -> str:
    """One page of Markdown, for whoever decides and does not program."""
    return "\n".join(_page(question, powers, found)) + "\n"


def _page(
    question: Question, powers: Sequence[Power], found: Sequence[Inspection]
) -> Iterator[str]:
    promised, asked = text.chosen(question.promise.epsilon), question.asked
    items = text.count(question.promise.items)
    yield "# Audit of clients"
    yield ""
    yield (
        f"Promise: one report spends at most ε = {promised}; {items} items. "
        f"At most {text.count(asked.samples)} reports of each client were looked at. All verdicts "
        f"on a client hold together with a confidence of {asked.confidence:g}."
    )
    yield ""
    for power in powers:
        yield f"Power: {power_sentence(power, question.promise.epsilon)}"
        yield ""
    yield "| client | verdict | ε at least | follows its protocol | reports |"
    yield "|---|---|---|---|---|"
    claimed = {named.name: named.claim.kind for named in question.clients}
    for each in found:
        agrees = {True: "yes", False: "no", None: "not asked"}[each.conforms]
        agrees += f", {claimed[each.client]}" * (each.conforms is not None)
        cells = (
            f"`{_cell(each.client)}`", each.verdict, text.short(each.epsilon_low, 3), agrees,
            text.count(each.samples),
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "*broken*: samples or enumeration show that the promise is not kept. *proved*: the law of"
    yield "its reports keeps the promise. *not-refuted*: nothing was found, which is no proof."
    digests = {named.name: named.digest for named in question.clients}
    for each in found:
        yield ""
        yield f"## {_cell(each.client)}"
        yield ""
        if digests.get(each.client):
            yield f"SHA-256 of the program: `{digests[each.client]}`"
            yield ""
        if not each.findings:
            yield "Nothing was found."
        for finding in each.findings:
            mark = "**breaks the promise**: " if finding.broken else ""
            yield f"- {mark}{finding.text} (after {text.count(finding.samples)} reports)"
    yield ""
    yield "## What this does not prove"
    yield ""
    yield from (f"- {line}" for line in UNPROVED)
    yield ""
    yield (
        f"{datetime.now(UTC):%Y-%m-%d}, ldptui {__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, "
        f"{platform.platform()}, seed {asked.seed} of the items."
    )


def _cell(words: str) -> str:
    """A client's name where Markdown may read nothing into it."""
    return words.replace("`", "'").replace("|", "/").replace("\n", " ")


def audit(options: AuditOptions) -> int:
    """Print what audits of clients found; 1 where one is broken, or does not work."""
    document_then = None
    if options.verify is not None:
        document_then = read_certificate(Path(options.verify))
        check_allowed(document_then, options)
        options = options_of(document_then, options)
    for key, place in (("--certificate", options.certificate), ("--page", options.page)):
        if place is not None:
            check_free(Path(place), options.force, key)
    question = question_of(options)
    powers = question.powers()
    if options.format == "table":
        write_out("\n".join(power_lines(question, powers)) + "\n")
    kept = None
    if options.checkpoint is not None:
        kept = Checkpoint.at(Path(options.checkpoint), question)
        if (kept.done or kept.state is not None) and not options.quiet:
            note(f"goes on with the audit in {kept.path}")
    found = [] if kept is None else [*kept.done]
    failed = stopped = False
    for named in question.clients[len(found) :]:
        try:
            found.append(_inspection(Work(named, question, kept), options.quiet))
        except (RunError, OSError) as error:
            if len(question.clients) == 1:
                raise
            note(str(error))
            failed = True
        if found and not found[-1].whole:
            stopped = True
            break
    if options.format == "json":
        write_json(document(question, found, powers))
    elif found:
        write_out(told(question, found))
    if stopped:
        if kept is not None and not options.quiet:
            note(f"the same words go on with it: its state is in {kept.path}")
        return exits.INTERRUPTED
    _write(options, question, powers, found)
    if kept is not None:
        kept.remove()
    if document_then is not None:
        changed = [*differences(document_then, question, found)]
        for sentence in changed:
            note(sentence)
        if not changed and not options.quiet:
            note(f"{options.verify} holds")
        failed = failed or bool(changed)
    broken = any(each.verdict == "broken" for each in found)
    return exits.FAILED if broken or failed else exits.DONE


def _write(
    options: AuditOptions,
    question: Question,
    powers: Sequence[Power],
    found: Sequence[Inspection],
) -> None:
    """Write the certificate and the page that were asked for."""
    written = (
        (options.certificate, partial(certificate, question, options)),
        (options.page, partial(page, question, powers)),
    )
    for path, make in written:
        if path is not None:
            write_atomically(Path(path), make(found))
            if not options.quiet:
                note(f"wrote {path}")


def _inspection(work: Work, quiet: bool) -> Inspection:
    """The audit of one client; what is known so far where it is interrupted.

    Raises LdpError where the client does not work.
    """
    line = Line(None if quiet else sys.stderr)
    steps = work.steps()
    try:
        while True:
            step = next(steps)
            line.draw(
                f"{step.client}: {text.count(step.samples)} of {text.count(step.of)} reports, "
                f"ε at least {text.short(step.lower, 3)}"
            )
    except StopIteration as end:
        found: Inspection = end.value
        return found
    except KeyboardInterrupt:
        partial = work.so_far()
        if partial is None:
            raise
        return partial
    finally:
        steps.close()
        line.erase()


OPTIONS: Final = {
    "kind": "--as",
    "--protocol": "--as",
    "domain_size": "--items",
    "clients": "CLIENT",
}
"""The options that have another name than the value that they set."""
OWN: Final = (
    "epsilon", "items", "opaque", "samples", "confidence", "seed", "refute", "batch", "patience",
    "command", "pairs",
)  # fmt: skip
"""The values whose options have their names."""


def question_of(options: AuditOptions) -> Question:
    """The question of the options; raises LdpError before anything is run."""
    if options.epsilon is None:
        raise ScenarioError("is required", key="--epsilon")
    if options.items is None:
        raise ScenarioError("is required", key="--items")
    keys = keys_of(options.settings)
    try:
        with by_options():
            return question(
                options.clients, options.commands, options.pairs,
                epsilon=options.epsilon, items=options.items, kind=options.claimed, keys=keys,
                opaque=options.opaque, samples=options.samples, confidence=options.confidence,
                seed=options.seed, refute=options.refute, batch=options.batch,
                patience=options.patience,
            )  # fmt: skip
    except ScenarioError as error:
        named = {**OPTIONS, "protocol": "--as", **{key: f"--{key}" for key in OWN}}
        key = error.key.partition(".")[0] if error.key.startswith("clients.") else error.key
        raise ScenarioError(error.rule, named.get(key, key), error.where) from error
