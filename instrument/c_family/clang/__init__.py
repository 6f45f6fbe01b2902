"""Read C and C++ with libclang: from preprocessed text to the functions and lambdas in it."""
