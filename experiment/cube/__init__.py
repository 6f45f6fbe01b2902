"""The files of CUBE 3 and 4: both are read, and both are written."""
