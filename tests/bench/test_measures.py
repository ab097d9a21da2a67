"""Every measure of `make bench` runs, of a few users; its numbers are for who reads them."""

from __future__ import annotations

from typing import Any, Final

import pytest
from ours import MEASURES

from ldptui.core.kernels.loops import LOOPS

SMALL: Final[dict[str, dict[str, Any]]] = {
    "reports": {"protocol": "SHE", "users": 200},
    "counts": {"protocol": "OUE", "users": 200},
    "kinds": {"users": 200, "n": 200},
    "kept": {"n": 200, "rounds": 2},
    "numbers": {"protocol": "SR", "users": 200},
    "distribution": {"kind": "sw", "fit": "ems", "n": 200},
    "trial": {"protocol": "OUE", "attack": "mga", "users": 200},
    "defended": {"kind": "norm", "users": 200},
    "craft": {"fakes": 10},
    "sweep": {"users": 200, "trials": 1, "shares": 2},
    "campaign": {"users": 200, "rounds": 2, "trials": 1},
    "hitters": {"path": "counts", "users": 200, "bits": 10, "groups": 5, "encoding": "index"},
    "mine": {"users": 200},
    "mine_plain": {"users": 200, "sets": 5},
}
ONCE: Final = {"repeats": 1}


@pytest.mark.long
@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_runs(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LOOPS, "missing", LOOPS.missing)  # a measure may switch them off
    more = {} if measure in ("sweep", "campaign", "mine_plain") else ONCE
    assert isinstance(MEASURES[measure](**SMALL[measure], **more)["seconds"], list)
