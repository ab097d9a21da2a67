"""Attacks and defences that users write in Python: run only where that is allowed.

A scenario names one (`kind = "plugin"`, `name`) and that alone runs nothing. What may run is the
user's to say, on the command line or in the settings: an `Allowed`. `permit` finds the code of
everything that a scenario names, without importing it, and refuses what is not allowed. The code
is loaded by the process that computes, when it is first due.

Where it comes from: the entry-point groups `ldptui.attacks` and `ldptui.defences` of an installed
package, or a Python file, where it is a name at its top level. The object is a function, or a
frozen dataclass (or an instance of one) with a method: `reports(protocol, view, count, rng)` of an
attack, `correct(frequencies, known)` of a correction, `sift(received)` of a filter. Options are the
function's further keywords, or the fields of the dataclass.
"""

from __future__ import annotations

from .finding import Allowed, Source, available, entry_points, find, names_in
from .loading import loaded
from .offering import Offer, offers
from .permitting import Plugin, asked, permit, sources

__all__ = [
    "Allowed",
    "Offer",
    "Plugin",
    "Source",
    "asked",
    "available",
    "entry_points",
    "find",
    "loaded",
    "names_in",
    "offers",
    "permit",
    "sources",
]
