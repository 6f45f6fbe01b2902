"""The front end for C++: regions found by libclang in preprocessed text, guards put into it."""
