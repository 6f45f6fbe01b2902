"""Find the members of a tar archive and read them in place, without unpacking the archive."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from io import FileIO
from pathlib import Path, PurePosixPath
from tarfile import HeaderError, ReadError
from typing import Final, Self

from ...errors import InputError
from ..source import Source

__all__ = ["Archive"]

_MAX_MEMBERS: Final = 100_000
_MAX_HEADER: Final = 1 << 20  # maximum size of one header in bytes; a long name makes it large
_MAX_HEADERS: Final = 1 << 26  # maximum size of all headers together in bytes
_SHOWN: Final = 3  # maximum number of members that a warning lists
_CHECKSUM: Final = slice(148, 156)  # the bytes of a header that contain its checksum
_MAGIC: Final = slice(257, 262), b"ustar"


class _Headers(FileIO):
    """A tar archive that limits the size of headers, because tarfile would read a header of any claimed length.

    Two blocks of zeros end the archive. A single block of zeros does not, because cubelib writes one after a member
    that fills its last block.
    """

    _left = _MAX_HEADERS
    _ended = False
    _zeros = False
    _mended = -1

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes of a header; empty at the end of the archive.

        Raises:
            InputError: A header, or the sum of all headers, is too large for an experiment.
        """
        wanted = _MAX_HEADERS + 1 if size is None or size < 0 else size
        self._left -= wanted
        if wanted > _MAX_HEADER or self._left < 0:
            raise InputError(
                f"{self.name}: expected headers of at most {_MAX_HEADER >> 20} MiB, and {_MAX_HEADERS >> 20} MiB in "
                "total, found more"
            )
        place = self.tell()
        found = b"" if self._ended else super().read(wanted) or b""
        if place == self._mended:
            found = _with_checksum(found)
        if wanted == tarfile.BLOCKSIZE:
            zeros = not found.strip(b"\0")
            self._ended, self._zeros = zeros and self._zeros, zeros
        return b"" if self._ended else found

    @property
    def at_zeros(self) -> bool:
        """Whether the bytes read last were all zero or empty, as at the end of an archive."""
        return self._zeros or self._ended

    def mend(self, place: int) -> None:
        """Go back to a header, so that it is read again with a corrected checksum."""
        self._mended = self.seek(place)


def _with_checksum(header: bytes) -> bytes:
    place, magic = _MAGIC
    if header[place] != magic:
        return header
    mended = bytearray(header)
    mended[_CHECKSUM] = b" " * 8  # the checksum is computed with blanks in its own place
    mended[_CHECKSUM] = b"%06o\0 " % sum(mended)
    return bytes(mended)


class _Member(tarfile.TarInfo):
    """A member, whose header may have a wrong checksum (``mistaken``) if all other fields are valid."""

    mistaken = False

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        """Read the next member's header.

        Raises:
            ReadError: The next bytes are not a header, or are cut off.
        """
        stream = tarfile.fileobj
        assert isinstance(stream, _Headers)
        place = stream.tell()
        try:
            return super().fromtarfile(tarfile)
        except HeaderError:
            if stream.at_zeros:
                raise
        stream.mend(place)
        try:
            member = super().fromtarfile(tarfile)
        except HeaderError as error:
            raise ReadError(str(error)) from None
        member.mistaken = True
        return member


class Archive:
    """Plain files in a tar archive, read in place.

    Attributes:
        remarks: Warnings about harmless defects.

    Raises:
        InputError: The file is not a tar archive, its headers are too large, or it has members that experiments do not
            have: links, devices, sparse files, names that lead out of the archive, duplicate names, truncated files, or
            too many members.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._members: dict[str, tuple[int, int]] = {}
        mistaken: list[str] = []
        try:
            with (
                _Headers(source.path) as stream,
                tarfile.open(fileobj=stream, mode="r:", tarinfo=_Member, ignore_zeros=True) as archive,
            ):
                size = os.fstat(stream.fileno()).st_size
                for member in archive:
                    self._add(member, size)
                    if isinstance(member, _Member) and member.mistaken:
                        mistaken.append(member.name)
        except RecursionError:
            raise InputError(
                f"{source.path}: expected one header before each member, found a chain of headers"
            ) from None
        except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError) as error:
            raise InputError(f"{source.path}: expected a CUBE 4 archive (tar): {error}") from None
        self.remarks = tuple(_of_checksums(mistaken))

    def _add(self, member: tarfile.TarInfo, size: int) -> None:
        name = PurePosixPath(member.name)
        reason = ""
        if name.is_absolute() or ".." in name.parts:
            reason = "points outside the archive"
        elif member.isdir():
            return
        elif not member.isreg() or member.issparse():
            reason = "is a link, a device or a sparse file"
        elif str(name) in self._members:
            reason = "occurs twice"
        elif member.offset_data + member.size > size:
            reason = "is truncated"
        elif len(self._members) >= _MAX_MEMBERS:
            reason = f"follows {_MAX_MEMBERS:,} other files"
        if reason:
            raise InputError(
                f"{self._source.path}: refused the archive, because its member {member.name[:80]!r} {reason}"
            )
        self._members[str(name)] = (member.offset_data, member.size)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @property
    def path(self) -> Path:
        """The archive's own path."""
        return self._source.path

    def size(self, name: str) -> int:
        """Return the size of a member in bytes; 0 if there is no such member."""
        return self._members.get(name, (0, 0))[1]

    def starts(self, name: str, text: bytes) -> bool:
        """Return whether the archive has a member of this name that starts with the given bytes."""
        offset, size = self._members.get(name, (0, 0))
        return self._source.read(offset, min(size, len(text))) == text

    def part(self, name: str, offset: int, size: int) -> bytes:
        """Return ``size`` bytes of a member, starting at ``offset``; fewer if the member ends before that."""
        start, whole = self._members.get(name, (0, 0))
        return self._source.read(start + offset, max(0, min(size, whole - offset)))

    def read(self, name: str, most: int) -> bytes:
        """Return a member's bytes.

        Args:
            name: The member.
            most: The maximum size, in bytes.

        Raises:
            InputError: There is no such member, or it is larger than ``most``.
        """
        if name not in self._members:
            raise InputError(f"{self._source.path}: expected a member {name!r} in the archive, found none")
        offset, size = self._members[name]
        if size > most:
            raise InputError(f"{self._source.path}: expected member {name!r} of at most {most:,} bytes, found {size:,}")
        found = self._source.read(offset, size)
        if len(found) < size:
            raise InputError(f"{self._source.path}: member {name!r} of the archive is truncated")
        return found


def _of_checksums(members: list[str]) -> Iterator[str]:
    if members:
        more = f" and {len(members) - _SHOWN} more" if len(members) > _SHOWN else ""
        yield (
            f"the archive has wrong checksums for {', '.join(members[:_SHOWN])}{more}; these members were read "
            "nevertheless; if the archive was damaged in transfer, copy it again"
        )
