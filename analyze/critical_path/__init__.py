"""Who waits for whom: the critical path, how long each region is on it, and delays."""
