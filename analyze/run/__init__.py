"""The run under analysis: the selected regions, ranks and threads, their times, and what each region costs."""
