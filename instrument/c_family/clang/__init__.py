"""C and C++ through libclang: from preprocessed text to the tree of functions and lambdas."""
