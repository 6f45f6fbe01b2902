"""The MPI library of a program: which it is, its functions, and the text of their wrappers."""
