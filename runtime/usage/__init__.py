"""The system use of programs, counted by call path on request: faults, switches, allocation, energy."""
