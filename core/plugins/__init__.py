"""Code that users write in Python: attacks, defences, protocols, metrics, …; run where allowed.

A scenario names one (`kind = "plugin"`, `name`) and that alone runs nothing. What may run is the
user's to say, on the command line or by an answer: a `CodePermission`. `permit_code` finds the code
of everything that a scenario names, without importing it, and refuses what is not allowed. The code
is loaded by the process that computes, when it is first due; that of protocols and populations by
`permit_code`, as cells are bound to what it makes.

Where it comes from: the entry-point groups `ldptui.attacks`, `ldptui.defences`, … of an installed
package, or a Python file, where it is a name at its top level. The object is a function, or a
frozen dataclass (or an instance of one) with a method: `reports(protocol, view, count, rng)` of an
attack, `correct(frequencies, known)` of a correction, `sift(received)` of a filter,
`measure(frequencies, facts)` of a metric, `weights(items)` of a population. A protocol is made by
NAME(items, epsilon). Options are further keywords, or the fields of the dataclass.
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
