"""PAPI: which of its events stand for our counts, and which this machine really counts."""
