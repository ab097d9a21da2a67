"""Plug-in code: attacks, defences, protocols, metrics and populations in Python.

A scenario names plug-in code (`kind = "plugin"`, `name`), which alone runs nothing. The user
permits code on the command line or in a dialog: a `CodePermission`. `permit_code` finds the code
that a scenario names, without importing it, and refuses code that is not permitted. The process
that computes loads the code when it is first needed; only the code of protocols and populations is
loaded by `permit_code`, as cells depend on what it makes.

Code is in an installed package with an entry point of the group `ldptui.attacks`,
`ldptui.defences`, …, or at the top level of a Python file. It is a function, or a frozen dataclass
(or an instance of one) with a method: `reports(protocol, view, count, rng)` of an attack,
`correct(frequencies, known)` of a correction, `sift(received)` of a filter, `measure(frequencies,
facts)` of a metric, `weights(items)` of a population. A protocol is what NAME(items, epsilon)
returns. Options are keyword arguments, or fields of the dataclass.
"""

from __future__ import annotations

from .code_location import (
    CodeLocation,
    CodePermission,
    code_candidate,
    find_code,
    published_names,
)
from .permission import code_locations, permit_code
from .plugin_check import PluginRun, check_plugin, find_purpose, is_code
from .plugin_protocol import make_object, make_protocol
from .plugin_steps import Plugin
