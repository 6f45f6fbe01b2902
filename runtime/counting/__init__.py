"""Run a program a second time, under the counting tool for Valgrind, and add the counts to the first run's times."""
