"""The critical path, the regions on it, and delays: the regions in which ranks wait, and those that they wait for."""
