"""Insert guards around regions in preprocessed text without changing the positions in the compiler's messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ...experiment.plan.mode import CALL_MODES
from ...experiment.region import Region
from ..code_region import CodeRegion
from ..expression import expression
from .preprocessed import Preprocessed

__all__ = ["insert_guards"]

_PRELUDE_FILE: Final = "<autoanalyzer>"
_SPECIAL: Final = expression(r'["\\?\x00-\x1f\x7f-\xff]')
_MARK: Final = expression(r"^#[ \t]*pragma[ \t]+autoanalyzer\b[^\n]*", re.M)
_NOT_TAB: Final = expression(r"[^\t]")


class _Edit(NamedTuple):
    """An insertion at an offset."""

    offset: int
    rank: int  # order at one offset: ends of regions, guards of functions, other guards
    inner: int  # order of regions at one offset: the guard of a larger region comes first, and its end last
    text: str


def insert_guards(
    unit: Preprocessed,
    regions: tuple[CodeRegion, ...],
    *,
    cxx: bool = False,
    constexpr: bool = False,
    apart: bool = False,
    shared: bool = False,
    said: Sequence[str] = (),
) -> str:
    """Return the text of a translation unit with a guard for each region whose ``reason`` is empty.

    ::

        int f(void) {                    int f(void) { guard
            for (…) …             →          { guard for (…) … }
            x = exp(y);                      x = ({ guard exp(y); });
            return 1;                        return 1;
        }                                }

    Each insertion is between line markers. The first marker declares it as system text, to suppress warnings; blanks
    after the last marker restore the column.

    Args:
        unit: The text.
        regions: The unit's regions.
        cxx: Whether the text is C++, where a guard is an object of class ``aa_guard``.
        constexpr: Whether the text is C++20 or later, which allows such objects in constant evaluation.
        apart: Whether no probe is inlined, because the build reads a profile of a build that inlined none.
        shared: Whether threads share the variables of sites, because access to thread-local variables would take a call
            in a shared library.
        said: Lines for the assembler.
    """
    edits: list[_Edit] = []
    sites: dict[str, None] = {}
    for number, found in enumerate(regions):
        if found.reason:
            continue
        if cxx:
            sites[_site(found.region, shared=shared)] = None
        before, guard, after = _around(found, number, cxx=cxx, shared=shared)
        if found.region.kind == "function":
            edits.append(_Edit(found.start, 1, 0, guard))
        else:
            edits.append(_Edit(found.start, 2, -found.end, before + guard))
            edits.append(_Edit(found.end, 0, -found.start, after))
    if not edits:
        return unit.text
    closes = any(found.keeps_scope and not found.reason for found in regions)
    stub = _stub(apart=apart, shared=shared)
    if cxx:
        stub = _cxx_stub(stub, sites, constexpr=constexpr, shared=shared)
    elif closes:  # only if necessary, because close.h takes compile time for each function
        stub += _stub_text("close.h")
    stub += f"__asm__({' '.join(map(_asm_line, said))});\n" if said else ""
    return _without_marks(_applied(unit, sorted(edits), stub))


def _without_marks(text: str) -> str:
    """Blank the pragmas with which users mark regions, because compilers do not know them."""
    return _MARK.sub(lambda match: " " * len(match.group()), text) if "autoanalyzer" in text else text


def _literal(region: Region) -> str:
    descriptor = region.descriptor.encode("utf-8", "surrogateescape").decode("latin-1")
    return '"' + _SPECIAL.sub(lambda match: f"\\{ord(match.group()):03o}", descriptor) + '"'


def _asm_line(line: str) -> str:
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


def _site(region: Region, *, shared: bool) -> str:
    """Return the name of the variable for a region's site in C++.

    The site of a function that several translation units define has the same name in all of them, provided that
    ``shared`` does not differ.
    """
    from hashlib import blake2b  # noqa: PLC0415 - it loads OpenSSL, and C has no such names

    kind = "shared" if shared else "thread"
    return f"aa_site_{kind}_{blake2b(region.descriptor.encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()}"


def _around(found: CodeRegion, number: int, *, cxx: bool, shared: bool) -> tuple[str, str, str]:
    """Return three texts: the text before a region's guard, the guard itself, and the text after the region."""
    literal = _literal(found.region)
    name = f"aa_guard_{number}"
    if cxx:
        literal += f", &{_site(found.region, shared=shared)}"
        guard = f"aa_guard aa_here({literal});"
    else:
        closing, constant = ("aa_close", "") if found.keeps_scope else ("aa_leave", "const ")
        site = f"aa_site_{number}"
        begin = "aa_begin" if found.region.kind == "function" or found.is_often else "aa_begin_apart"
        guard = (
            f"static {_site_type(shared=shared)} {site};"
            f" __attribute__((cleanup({closing}), unused)) const char *{constant}{name} = {begin}({literal}, &{site});"
        )
    # The guard's name depends only on its function, because an inline function must have the same text in all units.
    if found.keeps_scope and cxx:
        name = f"aa_open_{found.region.ordinal}"
        return "", f"aa_open_guard {name}({literal});", f"{name}.close();"
    if found.keeps_scope:
        return "", guard, f"aa_close(&{name});"
    return ("({ ", guard, "; })") if found.region.kind in CALL_MODES else ("{ ", guard, "}")


def _applied(unit: Preprocessed, edits: list[_Edit], stub: str) -> str:
    start = _prelude_offset(unit)
    pieces = [unit.text[:start], _prelude(unit, start, stub)]
    for edit in edits:
        pieces.append(unit.text[start : edit.offset])
        pieces.append(_framed(unit, edit))
        start = edit.offset
    return "".join([*pieces, unit.text[start:]])


def _framed(unit: Preprocessed, edit: _Edit) -> str:
    marker = unit.marker(edit.offset)
    place = unit.place(edit.offset)
    line_start = edit.offset - place.column + 1
    return "\n".join(
        [
            "",
            marker.text(place.line, system=True),
            edit.text,
            marker.text(place.line),
            _NOT_TAB.sub(" ", unit.text[line_start : edit.offset]),
        ]
    )


def _prelude_offset(unit: Preprocessed) -> int:
    """Return the offset for the prelude: after the first markers, which name the source for debug information."""
    offset = 0
    for marker in unit.markers[1:]:
        if marker.offset != offset or not (offset == 0 or marker.file.endswith("//")):
            break
        offset = marker.start
    return offset


def _stub_text(name: str) -> str:
    return Path(__file__).parents[1].joinpath(name).read_text("ascii")


def _site_type(*, shared: bool) -> str:
    """Return the type of a site's variable, as text; it can be linked into a shared library even without -fPIC."""
    return "long" if shared else '__thread __attribute__((tls_model("initial-exec"))) long'


def _stub(*, apart: bool, shared: bool) -> str:
    names = ("apart.h", "stub.h") if apart else ("stub.h",)
    return "".join(map(_stub_text, (*names, "begin_shared.h" if shared else "begin.h")))


def _cxx_stub(stub: str, sites: Iterable[str], *, constexpr: bool, shared: bool) -> str:
    """Return the stub with the guards and the given sites, each of which is defined once per program or library."""
    hidden = '__attribute__((__weak__, __visibility__("hidden")))'
    stub += "".join(f"{hidden} {_site_type(shared=shared)} {site} = 0;\n" for site in sites)
    guard = _stub_text("guard.h")
    for name, text in (("AA_CONSTEXPR", "constexpr"), ("AA_WHEN_RUN", "if (!__builtin_is_constant_evaluated())")):
        guard = guard.replace(name, text if constexpr else "")
    return f'extern "C" {{\n{stub}}}\n{guard}'


def _prelude(unit: Preprocessed, offset: int, stub: str) -> str:
    """Return the text to insert at the given offset: the stub between two line markers.

    The first marker names the stub's file, so that messages about the stub do not point to the source. The second
    marker returns to the source. At offset 0, the first line marker of the unit comes before the stub.
    """
    source = unit.markers[1] if offset else unit.markers[0]
    back = source.text(source.line)
    return ("" if offset else f"{back}\n") + f'# 1 "{_PRELUDE_FILE}" 1 3\n{stub}{back} 2\n'
