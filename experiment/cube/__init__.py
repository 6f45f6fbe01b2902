"""The files of CUBE 3 and 4: reading both, writing the former."""
