"""The reports of a trial and the counts of a block of trials: drawn, filtered, verified,
counted.
"""
