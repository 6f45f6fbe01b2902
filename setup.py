"""Build steps that pyproject.toml cannot express: man pages from the docs, and absolute links in the README."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - pip runs this file before it checks requires-python
    sys.exit(f"expected Python 3.11 or later, found {sys.version.split()[0]}; use the pip of a later Python")

import tomllib
from distutils.command.install_data import install_data  # setuptools' copy of distutils
from pathlib import Path

from setuptools import setup
from setuptools_scm import get_version

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "tools"))

from long_description import long_description  # noqa: E402
from man_pages import write_man_pages  # noqa: E402

MAN = "share/man/man1"


class InstallData(install_data):
    """Generate the man pages before data files are installed."""

    def run(self) -> None:
        """Write the man pages to the build folder, and install them."""
        folder = Path(self.get_finalized_command("build").build_base) / "man"
        self.data_files = [(MAN, [str(page) for page in write_man_pages(folder)])]
        super().run()


project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
setup(
    long_description=long_description(
        (ROOT / "README.md").read_text(encoding="utf-8"),
        project["project"].get("urls", {}).get("Repository", ""),
        f"v{get_version(ROOT, **project['tool']['setuptools_scm'])}",
    ),
    long_description_content_type="text/markdown",
    data_files=[(MAN, [])],
    cmdclass={"install_data": InstallData},
)
