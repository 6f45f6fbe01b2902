"""The times of single operations on a machine, measured once by small programs of our own, and cached."""
