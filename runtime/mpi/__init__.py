"""The program's MPI library: how it is found, its functions, and the generated wrappers."""
