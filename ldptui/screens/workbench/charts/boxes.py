"""The charts of each tab, as one type."""

from __future__ import annotations

from typing import TypeAlias

from .curve import CurveChart
from .detection import DetectionCharts
from .frequencies import FrequencyCharts
from .map import MapChart
from .timeline import TimelineCharts

Views: TypeAlias = FrequencyCharts | MapChart | DetectionCharts | TimelineCharts
"""Charts with several views, which a key goes through."""

Box: TypeAlias = Views | CurveChart

Pointed: TypeAlias = CurveChart | MapChart
"""Charts with a cursor of their own."""
