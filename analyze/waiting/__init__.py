"""Time in MPI that is waiting: for which ranks, and which regions make them late."""
