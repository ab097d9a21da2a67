"""The Python code that a user lets run: what of it may go to a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.plugin_cases import attack_file, toml

from ldptui.core.base.errors import ScenarioError
from ldptui.core.experiment import compile as bind
from ldptui.core.scenario import parse
from ldptui.session.attack_options import allow_code, check_travel


def test_only_code_that_is_asked_for_has_to_be_on_the_cluster(tmp_path: Path) -> None:
    path, mark = attack_file(tmp_path)
    code = allow_code((), (path,))
    text = toml("honest")
    rule = r"cannot run the attack 'honest' from a file of this machine: install it on the workers"
    with pytest.raises(ScenarioError, match=rule):
        check_travel(bind(parse(text)), code)
    with pytest.raises(ScenarioError, match="not allowed yet: --code FILE allows"):
        check_travel(bind(parse(text)), allow_code((), ()))
    plain = text.replace('kind = "plugin"', 'kind = "mga"').replace('name = "honest"', "")
    check_travel(bind(parse(plain)), code)
    assert not mark.exists()
