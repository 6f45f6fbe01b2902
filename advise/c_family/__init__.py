"""C and C++ through libclang, from the text as the user wrote it."""

from .front_end import read_c_family

__all__ = ["read_c_family"]
