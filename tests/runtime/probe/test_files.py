"""Which file operations are recorded."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .conftest import PROBE, SANITIZED, SANITIZER, compile_c


def test_a_file_that_a_signal_handler_meets_first_is_known_later(tmp_path: Path, sanitized_core: Path) -> None:
    program = tmp_path / "program"
    source = Path(__file__).parents[1] / "programs" / "file_number.c"
    files = [PROBE / "io_files.c", PROBE / "file_use.c"]
    compile_c("-O1", "-g", f"-fsanitize={SANITIZER}", source, *files, sanitized_core, "-o", program)
    shards = tmp_path / "shards"
    shards.mkdir()
    variables = {**os.environ, "AUTOANALYZER_SHARDS": str(shards), **SANITIZED}
    done = subprocess.run([program], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
