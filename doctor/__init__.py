"""Test what works on this machine or on each node of a job, and find files that old runs left there."""
