"""What all tests share: MPI launchers that work for root too, and skips that CI forbids."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from typing import Any

import pytest

MPIS = {"openmpi": ("mpirun.openmpi", "mpicc.openmpi"), "mpich": ("mpirun.mpich", "mpicc.mpich")}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("AUTOANALYZER_FORBID_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped, where skips are forbidden: {item.nodeid}: {report.longrepr}"
    return report


@pytest.fixture(scope="session", autouse=True)
def _launchable_mpi(tmp_path_factory: pytest.TempPathFactory) -> Generator[None, None, None]:
    """Let Open MPI run as root, four ranks on two cores, and keep what is built apart from the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        if os.geteuid() == 0:
            patch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
            patch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        patch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
        if not os.environ.get("AUTOANALYZER_CACHE"):
            patch.setenv("AUTOANALYZER_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(params=sorted(MPIS))
def mpi(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The launcher and the C compiler of each MPI in turn."""
    launcher, compiler = MPIS[request.param]
    if not shutil.which(launcher) or not shutil.which(compiler):
        pytest.skip(f"{launcher} is not installed")
    return launcher, compiler
