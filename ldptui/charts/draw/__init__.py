"""Charts to terminal rows: the one gate to plotext.

`draw` turns a `series.Plot` or `series.Bars` into `Strip`s. plotext rasterises the data area and
nothing else: title, legend, axes, tick labels, levels and error bars are set here, cell by cell, so
that no text ever reaches plotext and every mark sits where the data says. What plotext 6.1 is
given goes through `sanitise` first, because it aborts the process on NaN in a line, takes time
without bound for a line that leaves the axes, and raises on a logarithm of zero.

plotext keeps one global figure: call `draw` on one thread only. plotext and NumPy are imported when
the first plot is drawn; bars need neither.
"""

from __future__ import annotations

from .drawing import draw, place_at, warm_up
