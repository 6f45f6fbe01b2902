"""What a machine takes for single things, measured once by small programs of our own, and kept."""
