"""System use by call path, counted on request: page faults, context switches, allocation, energy."""
