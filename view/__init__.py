"""From findings and experiments to something to read: terminal text, CSV and JSON."""
