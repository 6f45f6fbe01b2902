"""PAPI: which of its events represent our metrics, and which of them this machine really counts."""
