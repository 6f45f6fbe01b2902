"""What pyproject.toml cannot say: man pages are made of the documentation when the package is built."""

import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "tools"))

from man_pages import write_man_pages  # noqa: E402

pages = write_man_pages(ROOT / "man")
setup(data_files=[("share/man/man1", [str(page.relative_to(ROOT)) for page in pages])])
