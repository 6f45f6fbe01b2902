"""Fixtures for C++ programs and their compilers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(params=["g++", "clang++"])
def cxx(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def program(lab: Any) -> Callable[..., Any]:
    """Return a function that builds and runs a program, untouched and instrumented, and compares both."""

    def run(source: str, *flags: str, compiler: str = "g++") -> Any:
        return lab.run(source, *flags, cc=compiler, name="x.cc")

    return run
