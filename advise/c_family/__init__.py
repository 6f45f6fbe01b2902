"""Front end for C and C++: reads the user's unpreprocessed text with libclang."""

from .front_end import read_c_family

__all__ = ["read_c_family"]
