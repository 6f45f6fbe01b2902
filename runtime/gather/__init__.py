"""Merge the shards of a run's processes, from all nodes, into one experiment."""
