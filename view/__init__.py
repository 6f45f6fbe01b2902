"""Present findings and experiments: terminal text, CSV, JSON and pages."""
