"""Read and write CUBE 3 and CUBE 4 files."""
