"""The front end for C and C++: find code regions in preprocessed text, and insert probes in the form of guards."""
