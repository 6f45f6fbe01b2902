"""What is slow in an SPMD program, on which ranks, where in the source, and why."""

__version__ = "0.1.0"
