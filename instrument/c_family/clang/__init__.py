"""C and C++ by libclang: from preprocessed text to the tree of functions and lambdas."""
