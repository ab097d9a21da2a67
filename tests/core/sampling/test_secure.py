"""The generator of real reports: ChaCha20 as the standard has it, another key each time."""

from __future__ import annotations

import secrets
import sys

import numpy as np
import pytest

from ldptui import protocol
from ldptui.core.base.errors import RunError
from ldptui.core.base.secure import secure
from ldptui.core.law.pure import sends_reports
from ldptui.core.protocols import KINDS

LOCAL = [kind for kind, spec in KINDS.items() if sends_reports(spec.mechanism)]

RFC_8439 = (
    "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
    "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
    "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
)
"""Appendix A.1, test vectors 1 and 2: the first 128 bytes under a key of zeros."""


def test_the_stream_is_that_of_the_standard(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(secrets, "randbits", lambda bits: asked.append(bits) or 0)
    words = secure().bit_generator.random_raw(16)
    assert words.astype("<u8").tobytes().hex() == RFC_8439
    assert asked == [256]


@pytest.mark.parametrize("kind", LOCAL)
def test_reports_without_a_generator_depend_on_the_key_alone(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, held = protocol(kind, 11, epsilon=1.0), np.arange(200) % 11
    keys = iter([1, 1, 2])
    monkeypatch.setattr(secrets, "randbits", lambda bits: next(keys))
    first, again, other = (made.perturb(held).tobytes() for _ in range(3))
    assert first == again
    assert first != other
    assert next(keys, None) is None


def test_each_generator_has_a_key_of_its_own() -> None:
    assert secure().integers(0, 2**63) != secure().integers(0, 2**63)


def test_without_its_library_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "randomgen.chacha", None)
    with pytest.raises(RunError, match="need randomgen, which is not here"):
        protocol("grr", 4, epsilon=1.0).perturb([1])
