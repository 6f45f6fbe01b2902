"""Prepare the parser's input: the preprocessed text, with GCC's extensions in a spelling that Clang accepts."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import Final

__all__ = ["digest"]

MACHINE: Final = os.uname().machine
_TYPES: Final = b"typedef long double __float80;"
# GCC has these names built in for C; in C++ its headers declare them.
_TYPES_OF_C: Final = b"typedef float _Float32;typedef double _Float64,_Float32x;typedef long double _Float64x;"
_FLOAT128: Final = b"_Float128"
_PACKS: Final = (
    b"template<template<decltype(sizeof 0)...>class S>"
    b"struct aa_of{template<class,decltype(sizeof 0)...I>using t=S<I...>;};"
    b"template<template<decltype(sizeof 0)...>class S,decltype(sizeof 0)N>"
    b"using aa_tuple=__make_integer_seq<aa_of<S>::template t,decltype(sizeof 0),N>;"
)
_VALUES: Final = (
    b"template<class T>struct aa_value{using t=T;};"
    b"template<class T>struct aa_value<T&>{using t=T;};"
    b"template<class T>struct aa_value<T&&>{using t=T;};"
    b"template<class T>using aa_value_t=typename aa_value<T>::t;"
)
_PACK: Final = rb"<_Tp, __integer_pack\((?:_Num|_Tp\(_Num\))\)\.\.\.>"
# Words in the headers of GCC up to 14: a word, its context, a replacement, and the declarations that the replacement
# needs. If Clang has no equivalent, the replacement only makes the headers parse.
_SPELLINGS: Final = (
    (b"__integer_pack", rb"integer_sequence" + _PACK, rb"__make_integer_seq<integer_sequence,_Tp,_Num>", b""),
    (b"__integer_pack", rb"_Index_tuple<__integer_pack\(_Num\)\.\.\.>", rb"aa_tuple<_Index_tuple,_Num>", _PACKS),
    (b"__remove_reference(", rb"__remove_reference\((\w+)\)", rb"aa_value_t<\1>", _VALUES),
    (b"__is_nothrow_convertible(", rb"__is_nothrow_convertible\(", rb"__is_convertible(", b""),
    (b"__is_layout_compatible(", rb"__is_layout_compatible\(", rb"__is_same(", b""),
    (b"__is_pointer_interconvertible", rb"__is_pointer_interconvertible_base_of\(", rb"__is_base_of(", b""),
    (b"__reference_converts", rb"__reference_converts_from_temporary\(\w+, \w+\)", rb"false", b""),
    (b"0.0bf16", rb"(?:__)?decltype\(0\.0bf16\)", rb"__bf16", b""),
)
# GCC's built-ins in C. GCC's atomic functions accept atomic objects, but Clang's do not. Clang has no global
# register variables, and no decimal numbers, which any other type of number may replace.
_SPELLINGS_OF_C: Final = (
    (b"_Atomic", rb"\b_Atomic(?=\s*\()", rb"typeof", b""),
    (b"_Atomic", rb"\b_Atomic\b", rb"", b""),
    (b"_Decimal", rb"((?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:d[dfl]|D[DFL])\b", rb"\1", b""),
    (b"_Decimal", rb"\b_Decimal(?:32|64|128)\b", rb"double", b""),
    (
        b"register",
        rb"\bregister\b([^;{}()=]*)\b(?:__)?asm(?:__)?\s*\(\s*\"[^\"]*\"\s*\)",
        rb"        \1",
        b"",
    ),
)


def digest(text: bytes, language: str = "c++") -> tuple[bytes, int]:
    """Return the text for the parser, and the number of bytes by which its offsets exceed those in ``text``."""
    prelude = _TYPES + _TYPES_OF_C if language == "c" else _TYPES
    for word, spelling, known, declarations in _SPELLINGS_OF_C if language == "c" else _SPELLINGS:
        if word in text:
            text = re.sub(spelling, partial(_respell, known), text)
            prelude += declarations
    if _FLOAT128 in text:
        # Clang has __float128 only on x86. Elsewhere long double replaces it, even if it has fewer bits, because only
        # the syntax counts. The parser assumes this machine, even if a cross compiler compiles for a different one.
        prelude += b"typedef %s _Float128;" % (b"__float128" if "86" in MACHINE else b"long double")
    prelude += b"\n"
    return prelude + text, len(prelude)


def _respell(known: bytes, found: re.Match[bytes]) -> bytes:
    return found.expand(known).ljust(len(found[0]))
