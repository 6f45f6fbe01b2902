"""Waiting in MPI: the ranks that are waited for, and the regions that make them late."""
