"""Waiting in MPI: for which ranks, and the regions that make them late."""
