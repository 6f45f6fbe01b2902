"""What the parser gets: the preprocessed text, where GCC's own extensions are spelled as Clang knows them."""

from __future__ import annotations

from typing import Final

__all__ = ["digest"]

# Twins of what GCC's own headers say; each stands for a spelling that is longer, or as long.
_SPELLINGS: Final = {
    b"integer_sequence<_Tp, __integer_pack(_Num)...>": b"__make_integer_seq<integer_sequence,_Tp,_Num>",
    b"_Index_tuple<__integer_pack(_Num)...>": b"aa_tuple<_Index_tuple,_Num>",
}
_TYPES: Final = b"typedef long double __float80;"
_PACKS: Final = (
    b"template<template<decltype(sizeof 0)...>class S>"
    b"struct aa_of{template<class,decltype(sizeof 0)...I>using t=S<I...>;};"
    b"template<template<decltype(sizeof 0)...>class S,decltype(sizeof 0)N>"
    b"using aa_tuple=__make_integer_seq<aa_of<S>::template t,decltype(sizeof 0),N>;"
)


def digest(text: bytes) -> tuple[bytes, int]:
    """Give the text for the parser, and how much farther each of its offsets is than in ``text``."""
    prelude = _TYPES
    if b"__integer_pack" in text:
        prelude += _PACKS
        for spelling, known in _SPELLINGS.items():
            text = text.replace(spelling, known.ljust(len(spelling)))
    prelude += b"\n"
    return prelude + text, len(prelude)
