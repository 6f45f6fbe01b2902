"""Choose the PAPI events for our metrics, and test which events this machine really counts."""
