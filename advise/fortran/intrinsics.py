"""Fortran's intrinsic functions whose value depends only on their arguments."""

from __future__ import annotations

from typing import Final

__all__ = ["KIND_BYTES", "PURE"]

_NAMES: Final = """
    abs achar acos acosh adjustl adjustr aimag aint alog alog10 amax0 amax1 amin0 amin1 amod anint asin asinh atan atan2
    atanh bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn btest cabs ccos ceiling cexp char clog cmplx
    conjg cos cosh csin csqrt dabs dacos dasin datan datan2 dble dcmplx dconjg dcos dcosh ddim dexp dfloat dim dimag
    dint dlog dlog10 dmax1 dmin1 dmod dnint dprod dreal dsign dsin dsinh dsqrt dtan dtanh epsilon erf erfc erfc_scaled
    exp exponent float floor fraction gamma huge hypot iabs iachar iand ibclr ibits ibset ichar idim idint idnint ieor
    ifix index int int2 int8 ior ishft ishftc isign kind len len_trim lge lgt lle llt log log10 log_gamma logical max
    max0 max1 merge min min0 min1 mod modulo nearest nint not popcnt poppar precision radix range real repeat
    rrspacing scale scan selected_int_kind selected_real_kind set_exponent sign sin sinh sngl spacing sqrt tan tanh
    tiny trailz transfer trim verify
    all any count cshift dot_product eoshift matmul maxloc maxval minloc minval pack product reshape shape size spread
    sum transpose unpack lbound ubound allocated associated present
"""
PURE: Final = frozenset(_NAMES.split())
"""Intrinsic functions whose values depend only on their arguments, which may be whole arrays."""

KIND_BYTES: Final = {
    **dict.fromkeys(["real32", "int32", "c_float", "c_int", "c_int32_t"], 4),
    **dict.fromkeys(["real64", "int64", "c_double", "c_long", "c_long_long", "c_int64_t", "c_size_t"], 8),
    **dict.fromkeys(["mpi_offset_kind", "mpi_address_kind", "mpi_count_kind", "c_intptr_t"], 8),
    **dict.fromkeys(["int8", "c_int8_t", "c_char", "c_bool"], 1),
    **dict.fromkeys(["int16", "c_int16_t", "c_short"], 2),
    "real128": 16,
}
"""Sizes in bytes of the kinds that intrinsic modules and MPI define, on 64-bit machines."""
