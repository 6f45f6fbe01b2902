"""What pyproject.toml cannot say: man pages are made of the documentation when the package is built."""

import sys
from pathlib import Path

from setuptools import setup  # before distutils, which it brings
from distutils.command.install_data import install_data  # isort: skip

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "tools"))

from man_pages import write_man_pages  # noqa: E402

MAN = "share/man/man1"


class InstallData(install_data):
    """Write the man pages to the build folder first."""

    def run(self) -> None:
        """Install them."""
        folder = Path(self.get_finalized_command("build").build_base) / "man"
        self.data_files = [(MAN, [str(page) for page in write_man_pages(folder)])]
        super().run()


setup(data_files=[(MAN, [])], cmdclass={"install_data": InstallData})
