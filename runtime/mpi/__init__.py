"""Find the program's MPI library, and generate wrappers for its functions."""
