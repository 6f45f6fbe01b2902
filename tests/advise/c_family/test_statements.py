"""What the front end for C and C++ makes of statements and expressions."""

import pytest

from autoanalyzer.advise.c_family import read_c_family
