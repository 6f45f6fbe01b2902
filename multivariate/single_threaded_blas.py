"""Limit linear algebra to one thread: with small matrices, additional threads mostly wait, and change rounding."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["single_threaded_blas"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def single_threaded_blas(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Limit the threads of BLAS and of OpenMP while a function runs."""

    @wraps(function)
    def limited(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        from threadpoolctl import threadpool_limits  # noqa: PLC0415 - few analyses need it

        with threadpool_limits(1):
            return function(*arguments, **options)

    return limited
