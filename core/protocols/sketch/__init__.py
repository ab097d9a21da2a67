"""Sketches: users hash their items by one of a few public functions, and report noisy cells of a
row.
"""

from .count_mean import CountMeanSketch, CountMeanSpec
from .signs import HadamardSketch, HadamardSketchSpec
from .sketch import Sketch

SPECS = (CountMeanSpec, HadamardSketchSpec)
