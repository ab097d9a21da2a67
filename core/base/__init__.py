"""What knows nothing of privacy: streams, samplers, ranges, errors, files, tables."""
