"""C++ programs, by each compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(params=["g++", "clang++"])
def cxx(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def program(lab: Any) -> Callable[..., Any]:
    """Build and run a program untouched and instrumented."""

    def run(source: str, *flags: str, compiler: str = "g++") -> Any:
        return lab.run(source, *flags, cc=compiler, name="x.cc")

    return run
