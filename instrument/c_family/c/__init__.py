"""C by pycparser: from preprocessed text to the tree of its functions."""
