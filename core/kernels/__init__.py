"""The hot loops: the hash family, reports as columns of bits, and what numba compiles of them."""
