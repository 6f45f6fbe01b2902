"""Which rank waits for which: the critical path, the regions on it, and delays."""
