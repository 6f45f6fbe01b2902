"""The front end for C and C++: preprocessed text in, code regions and text with guards out."""
