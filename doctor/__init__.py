"""Test what this machine, or each node of a job, offers, and find what old runs left on it."""
