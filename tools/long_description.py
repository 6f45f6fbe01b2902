"""The README as a package index shows it, which has none of the files that it links to."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["long_description"]

_LINK: Final = re.compile(r"(!?)\[([^\]]+)\]\((?!\w+:|#)([^)\s]+)\)")


def long_description(readme: str, repository: str, tag: str) -> str:
    """Let links lead to the files of a release; where no repository is known, their text stays.

    Args:
        readme: In Markdown, with links relative to the repository's root.
        repository: Its address, as GitHub and GitLab have it; may be empty.
        tag: The release's.
    """

    def absolute(link: re.Match[str]) -> str:
        picture, text, path = link.groups()
        return f"{picture}[{text}]({repository}/{'raw' if picture else 'blob'}/{tag}/{path})" if repository else text

    return _LINK.sub(absolute, readme)
