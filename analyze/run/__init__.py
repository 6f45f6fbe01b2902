"""The run under analysis: the selected regions, ranks and threads, their times, and the cost of each region."""
