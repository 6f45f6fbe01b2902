"""C++ by libclang, and C that pycparser cannot read: from preprocessed text to the tree of functions and lambdas."""
