"""Read C with pycparser: from preprocessed text to the functions in it."""
