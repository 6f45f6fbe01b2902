"""A second run, under the counting tool for Valgrind, and its counts beside the times of the first."""
