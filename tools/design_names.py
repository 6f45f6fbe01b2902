"""Check that a page names only existing paths and symbols, and is short: ``python tools/design_names.py PAGE``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
MOST_WORDS: Final = 7_000

_FENCED: Final = re.compile(r"^```.*?^```$", re.M | re.S)
_CODE: Final = re.compile(r"`([^`\n]+)`")
_PATH: Final = re.compile(r"[\w./-]*/[\w./-]*|[\w-]+\.(?:py|c|h|js|sh)")
_SYMBOL: Final = re.compile(r"[A-Za-z_]\w{2,}")
_SOURCE: Final = re.compile(r"(?!tests/|samples/|benchmarks/|tools/|docs/).*\.(?:py|c|h|js|toml)")


def unknown_names(text: str) -> list[str]:
    """Return the named paths that are not in the repository, and the named symbols that no source contains.

    A word in code type is a path from the root if it contains a slash or ends like a source file; folders end with a
    slash. All other words in code type are symbols. A source may omit the prefix of an MPI symbol, as the tables of
    wrapped functions do.
    """
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = listed.stdout.splitlines()
    folders = {f"{folder}/" for file in files for folder in Path(file).parents}
    spans = set(_CODE.findall(_FENCED.sub("", text)))
    paths = {span for span in spans if _PATH.fullmatch(span)}
    sources = (ROOT / file for file in files if _SOURCE.fullmatch(file))
    words = {word for source in sources if source.exists() for word in re.findall(r"\w+", source.read_text())}
    symbols = {symbol for span in spans - paths for symbol in _SYMBOL.findall(span)}
    lost = {symbol for symbol in symbols if words.isdisjoint({symbol, symbol.removeprefix("MPI_")})}
    return sorted(paths.difference(files, folders) | lost)


def main(page: Path) -> str | None:
    """Return the errors in a page, one per line; None if there are none."""
    text = page.read_text()
    faults = [f"{name} does not exist" for name in unknown_names(text)]
    if (words := len(text.split())) > MOST_WORDS:
        faults.append(f"expected at most {MOST_WORDS} words, found {words}")
    return "\n".join(f"{page}: {fault}" for fault in faults) or None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
