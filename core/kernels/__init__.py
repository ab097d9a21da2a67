"""Fast inner loops: the hash family, reports as columns of bits, and their versions compiled by
numba.
"""
