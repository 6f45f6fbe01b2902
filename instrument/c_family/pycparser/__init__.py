"""C through pycparser: from preprocessed text to the tree of functions."""
