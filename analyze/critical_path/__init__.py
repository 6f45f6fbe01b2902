"""The critical path, the regions on it, and delays: which rank waits for which."""
