"""The walker of dotted keys: what is there, what can be set, and what is refused in a sentence."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from ldptui.core.base.errors import ScenarioError
from ldptui.core.scenario import (
    MAX_DEPTH,
    flatten,
    set_key,
    value_at,
    with_value,
    without,
)

MIX = {"attack": {"mix": [{"kind": "mga", "weight": 0.8}, {"kind": "ria"}], "share": 0.1}}


def test_values_are_found_by_name_and_by_number() -> None:
    assert value_at(MIX, "") is MIX
    assert value_at(MIX, "attack.mix.1.kind") == "ria"
    assert value_at(MIX, "attack.mix.0") == {"kind": "mga", "weight": 0.8}
    for key in ("attack.mix.2", "attack.mix.x.kind", "attack.share.from", "goal.metric", "."):
        assert value_at(MIX, key) is None


def test_setting_leaves_the_old_document_as_it_was() -> None:
    before = copy.deepcopy(MIX)
    after = with_value(MIX, "attack.mix.0.weight", 0.5)
    assert before == MIX
    assert value_at(after, "attack.mix.0.weight") == 0.5
    assert value_at(after, "attack.mix.1") is value_at(MIX, "attack.mix.1")
    assert with_value(MIX, "campaign.rounds", 3)["campaign"] == {"rounds": 3}
    assert with_value({"goal": 1}, "goal.metric", "gain") == {"goal": {"metric": "gain"}}


def test_removing() -> None:
    assert without(MIX, "attack.mix.0")["attack"]["mix"] == [{"kind": "ria"}]
    assert without(MIX, "attack.share")["attack"].keys() == {"mix"}
    assert without(MIX, "attack") == {}
    for key in ("attack.mix.7", "attack.mix.x", "nothing.here", "attack.share.from"):
        assert without(MIX, key) == MIX


def test_flattened_keys_lead_back() -> None:
    for key, value in flatten(MIX):
        assert value_at(MIX, key) == value


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("attack.mix.2.kind", "must name one of the 2 parts of attack.mix, from 0, got 2"),
        ("attack.mix.x", "must name one of the 2 parts of attack.mix, from 0, got x"),
        ("attack.mix." + "9" * 5000, "must name one of the 2 parts"),
        (".".join("a" * (MAX_DEPTH + 1)), "is nested too deeply"),
    ],
)
def test_what_cannot_be_set_is_refused(key: str, rule: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(rule)):
        with_value(MIX, key, 1)


@pytest.mark.parametrize("part", ["counts", 1.5, 7, True])
@pytest.mark.parametrize("key", ["attack.mix.0.kind", "attack.mix.0.targets.count"])
def test_what_is_no_table_has_no_keys(part: Any, key: str) -> None:
    document = with_value(MIX, "attack.mix.0", part)
    with pytest.raises(ScenarioError, match="must be a table, got") as refused:
        with_value(document, key, "mga")
    assert refused.value.key == "attack.mix.0"


def test_targets_are_picked_or_listed() -> None:
    """Setting one way to name targets drops the other; None removes what is left empty."""
    document = {"attack": {"kind": "mga", "targets": {"pick": "random", "count": 3}}}
    listed = set_key(document, "attack.targets.items", [1])
    assert listed["attack"]["targets"] == {"items": [1]}
    assert set_key(listed, "attack.targets.pick", "random")["attack"]["targets"] == {
        "pick": "random"
    }
    assert set_key(listed, "attack.targets.items", None) == {"attack": {"kind": "mga"}}


def test_a_kind_drops_the_keys_that_no_kind_of_its_table_knows() -> None:
    document = {"protocol": {"kind": "olh", "epsilon": 1.0, "hash_range": 4}}
    assert set_key(document, "protocol.kind", "grr")["protocol"] == {"kind": "grr", "epsilon": 1.0}
    swept = {**document, "sweep": {"protocol": {"kind": ["grr", "olh"]}}}
    assert set_key(swept, "protocol.kind", "grr")["protocol"]["hash_range"] == 4
    attack = {"attack": {"kind": "mga", "share": 0.1, "targets": {"items": [1]}, "seeds": 10}}
    off = set_key(attack, "attack.kind", "none")["attack"]
    assert off == {"kind": "none", "share": 0.1, "targets": {"items": [1]}}
