"""A process that finds the Python code which a run asks for, and reads it; it runs none of it.

Standard input has the names, the folder of the scenario and what was agreed to; standard output
gets the code that the user has to be asked about.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ldptui.core.base.errors import LdpError
from ldptui.core.plugins import Offer, find, offers

from ...session import attack_options
from ...session.consent import Code
from ..wire import to_json


def main() -> None:
    parser = argparse.ArgumentParser("ldptui.engine.worker.seeking")
    attack_options.add_to_worker(parser)
    options, _ = parser.parse_known_args()  # the others are for whole runs
    code = attack_options.code_of(options)
    asked = json.load(sys.stdin)
    allowed = attack_options.with_agreed(code, asked["agreed"])
    unasked: list[Offer] = []
    for what, name in asked["code"]:
        try:
            find(name, allowed, what)
        except LdpError:
            unasked += offers(name, what, Path(asked["folder"]), code.offered)
    found = [
        Code(
            what=offer.source.what,
            name=offer.source.name,
            place=str(offer.source.place),
            is_file=isinstance(offer.source.place, Path),
            digest=offer.source.digest,
            file=str(offer.file or ""),
            text=offer.text,
            lines=offer.lines,
        )
        for offer in unasked
    ]
    sys.stdout.buffer.write(to_json(found))


if __name__ == "__main__":
    main()
