"""The front end for C and C++: from preprocessed text to code regions and text with guards."""
