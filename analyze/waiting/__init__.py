"""Waiting in MPI: the late ranks that other ranks wait for, and the regions that make them late."""
