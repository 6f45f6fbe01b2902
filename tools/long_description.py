"""Change the links in the README for a package index, which does not have the files that they point to."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["long_description"]

_LINK: Final = re.compile(r"(!?)\[([^\]]+)\]\((?!\w+:|#)([^)\s]+)\)")


def long_description(readme: str, repository: str, tag: str) -> str:
    """Return the README with absolute links to the files of a release; without a repository, with no links at all.

    Args:
        readme: Markdown, with links relative to the repository's root.
        repository: The repository's address on GitHub or GitLab; may be empty.
        tag: The release's tag.
    """

    def absolute(link: re.Match[str]) -> str:
        picture, text, path = link.groups()
        return f"{picture}[{text}]({repository}/{'raw' if picture else 'blob'}/{tag}/{path})" if repository else text

    return _LINK.sub(absolute, readme)
