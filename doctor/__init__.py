"""What this machine, or each node of a job, offers: tried for real; and what old runs left on it."""
