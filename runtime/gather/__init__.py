"""Gather: merge the shards of a run's processes, on whatever nodes they are, into one experiment."""
