"""Syntax in standard libraries that are newer than the parser."""

import pytest

from autoanalyzer.instrument.c_family.clang.digest import digest
from autoanalyzer.instrument.c_family.clang.tree import parse

# Each line is syntax from a header of GCC 13 or 14.
NEWER = b"""\
namespace std {
template <typename _Tp, _Tp... _Idx> struct integer_sequence {};
template <typename _Tp, _Tp _Num> using make_integer_sequence = integer_sequence<_Tp, __integer_pack(_Tp(_Num))...>;
template <typename _Tp> struct remove_reference { using type = __remove_reference(_Tp); };
template <typename _From, typename _To> struct converts { enum { value = __is_nothrow_convertible(_From, _To) }; };
template <typename _Tp, typename _Up> struct layout { enum { value = __is_layout_compatible(_Tp, _Up) }; };
template <typename _Base, typename _Derived>
struct base { enum { value = __is_pointer_interconvertible_base_of(_Base, _Derived) }; };
template <typename _Tp, typename _Res_t, bool _Dangle = __reference_converts_from_temporary(_Tp, _Res_t)>
struct calls { enum { dangles = _Dangle }; };
typedef __decltype(0.0bf16) __bfloat16_t;
template <typename T> struct exact { enum { value = 0 }; };
template <> struct exact<_Float128> { enum { value = 1 }; };
template <> struct exact<__bfloat16_t> { enum { value = 2 }; };
}
int main() {
    std::make_integer_sequence<int, 3> three;
    std::integer_sequence<int, 0, 1, 2> same = three;
    std::remove_reference<int &>::type one = 1;
    std::remove_reference<int &&>::type *more = &one;
    return std::converts<int, long>::value + std::layout<int, int>::value + std::base<int, int>::value
        + std::calls<int, int>::dangles + std::exact<_Float128>::value + *more;
}
"""


@pytest.mark.parametrize("number", [b"_Tp(_Num)", b"_Num"])  # of GCC 13, and of earlier versions
def test_headers_of_newer_compilers_are_understood(number):
    assert parse(NEWER.replace(b"_Tp(_Num)", number), ("-std=c++17",), lambda offset: False).unread == []


def test_offsets_stay():
    contents, shift = digest(NEWER)
    assert len(contents) == len(NEWER) + shift
    assert contents[shift:].split(b"int main()")[1] == NEWER.split(b"int main()")[1]
