"""Read and write files of CUBE 3 and CUBE 4."""
