"""What was run, and what of it is looked at: metrics, regions, ranks, threads, times and what regions cost."""
