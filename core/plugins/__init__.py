"""Code that users write in Python: attacks, defences, protocols, metrics, …; run where allowed.

A scenario names one (`kind = "plugin"`, `name`) and that alone runs nothing. What may run is the
user's to say, on the command line or by an answer: an `Allowed`. `permit` finds the code of
everything that a scenario names, without importing it, and refuses what is not allowed. The code
is loaded by the process that computes, when it is first due; that of protocols and populations by
`permit`, as cells are bound to what it makes.

Where it comes from: the entry-point groups `ldptui.attacks`, `ldptui.defences`, … of an installed
package, or a Python file, where it is a name at its top level. The object is a function, or a
frozen dataclass (or an instance of one) with a method: `reports(protocol, view, count, rng)` of an
attack, `correct(frequencies, known)` of a correction, `sift(received)` of a filter,
`measure(frequencies, facts)` of a metric. A protocol is made by NAME(items, epsilon), the weights
of a population by NAME(items). Options are further keywords, or the fields of the dataclass.
"""

from __future__ import annotations

from .finding import Allowed, Source, available, candidate, entry_points, find
from .loading import loaded
from .making import object_named, protocol_named
from .permitting import Plugin, asked, permit, sources
