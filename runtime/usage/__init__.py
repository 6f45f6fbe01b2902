"""Count system use by call path, on request: page faults, context switches, allocation, energy."""
