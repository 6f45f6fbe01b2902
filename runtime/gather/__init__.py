"""From the shards of a run's processes, on whatever nodes, to one experiment."""
