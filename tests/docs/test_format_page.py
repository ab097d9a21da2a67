"""docs/format.md names every key, kind and metric, and no key that is none."""

import re
from pathlib import Path

import pytest

from core.metrics import METRICS
from core.scenario import KINDS, known_keys

PAGE = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
NAMES = {name for key in known_keys() for name in key.split(".") if name != "*"}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_key_is_there(name: str) -> None:
    assert re.search(rf"[`\[. {{,]{re.escape(name)}[`\]., ]", PAGE), name


@pytest.mark.parametrize("kind", sorted({kind for kinds in KINDS.values() for kind in kinds}))
def test_every_kind_is_there(kind: str) -> None:
    assert f"`{kind}`" in PAGE


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_is_there(metric: str) -> None:
    assert f"`{metric}`" in PAGE


def test_no_key_is_invented() -> None:
    table = PAGE.partition("| table |")[2].partition("\n\n")[0]
    words = set(re.findall(r"`([a-z_]+)`", table))
    values = {kind for kinds in KINDS.values() for kind in kinds} | {"kind"}
    assert words - NAMES - values == set()
