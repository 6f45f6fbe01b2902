"""The critical path, the regions on it, and delays: in which region ranks wait for the work in which other region."""
