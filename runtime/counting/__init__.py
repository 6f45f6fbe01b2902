"""A second run, under the counting tool for Valgrind, whose counts are added to the first run's times."""
