"""Tools without privacy: random streams, samplers, ranges, errors, files, tables."""
