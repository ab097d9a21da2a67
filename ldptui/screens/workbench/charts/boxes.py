"""The charts of each tab, as one type."""

from __future__ import annotations

from typing import TypeAlias

from .curve import CurveChart
from .detection import DetectionCharts
from .frequencies import FrequencyCharts
from .map import MapChart
from .timeline import TimelineCharts
from .trials import TrialCharts

Views: TypeAlias = FrequencyCharts | MapChart | TrialCharts | DetectionCharts | TimelineCharts
"""Charts with several views, which a key goes through."""

Box: TypeAlias = Views | CurveChart

Pointed: TypeAlias = CurveChart | MapChart | TrialCharts
"""Charts with a cursor of their own."""
