"""Which options create threads."""

import pytest

from autoanalyzer.instrument.openmp import openmp_is_on


@pytest.mark.parametrize(
    ("options", "on"),
    [
        ("-O2", False),
        ("-fopenmp", True),
        ("-fopenmp=libomp", True),
        ("-fopenmp-simd", False),
        ("-fopenmp -fno-openmp", False),
        ("-fno-openmp -fopenmp -fopenmp-simd", True),
        ("-qopenmp", True),
        ("-fiopenmp", True),
        ("-qno-openmp", False),
        ("-mp", True),
        ("-mp=multicore", True),
        ("-qsmp=omp", True),
        ("-mpreferred-stack-boundary=4", False),
    ],
)
def test_the_last_option_counts(options, on):
    assert openmp_is_on(options.split()) is on
