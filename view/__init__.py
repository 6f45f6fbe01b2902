"""Show findings and experiments as text for a terminal, CSV, JSON, or HTML pages."""
