"""Time in MPI that is waiting: for which ranks, and the regions that make them late."""
