"""List the library functions whose calls are regions, in a table per library."""

from __future__ import annotations

import re
from typing import Final

from .expression import expression

__all__ = ["fortran_mode", "is_instruction", "is_move", "is_of_c", "mode_of_call"]

_INSTRUCTIONS: Final = frozenset(
    f"{name}{suffix}"
    for name in ("ceil", "copysign", "fabs", "floor", "fma", "fmax", "fmin", "lrint", "rint", "round", "sqrt", "trunc")
    for suffix in ("", "f", "l")
) | {"abs", "labs", "operator[]"}
_ENDINGS: Final = frozenset(("__assert_fail", "__assert_rtn", "__assert", "abort", "exit", "_exit", "_Exit"))

# Functions whose calls compilers insert themselves for more than a few bytes, or that exist only as builtins.
_OF_BYTES: Final = expression(r"mem|st[pr]|bcmp|bcopy|bzero|r?index")

_MOVES: Final = frozenset(("memcpy", "memmove", "memset"))

_LIBM: Final = expression(
    r"c?(?:a?(?:sin|cos|tan)h?|exp|log|pow)[fl]?|(?:atan2|sincos|exp2|exp10|expm1|log2|log10|log1p|logb|ilogb|cbrt|hypot"
    r"|erfc?|[lt]gamma|lgamma_r|fmod|remainder|remquo|modf|frexp|ldexp|scalbl?n|nearbyint|nextafter|fdim|j[01n]|y[01n])[fl]?"
)
_BLAS: Final = expression(
    r"(?:cblas_)?(?:[sdcz](?:rotm?g?|swap|scal|copy|axpy|dot|dot[uc]|gemv|gbmv|symv|hemv|sbmv|spmv|trmv|tbmv|tpmv|trsv"
    r"|tbsv|tpsv|ger|ger[uc]|syr2?|her2?|spr2?|gemm|symm|hemm|syr2?k|her2?k|trmm|trsm)|[sd]s?dot|sc?nrm2|dz?nrm2|sc?asum"
    r"|dz?asum|i[sdcz]amax|csscal|zdscal)_?"
)
_LAPACK: Final = expression(
    r"(?:LAPACKE_)?p?[sdcz](?:ge|gb|gt|po|pp|pb|pt|sy|he|sp|hp|st|tr|tp|or|un|hs|gg|di|sb|hb)"
    r"(?:trf2?|trs|tri|sv[xd]?|sdd|con|rfs|equ|qrf|qp3|lqf|qlf|rqf|els[dsxy]?|ls|evd?|evr|evx|eev|es|gvd?|gvx|eqr|ein|trd"
    r"|brd|hrd|gqr|mqr|glq|mlq|gtr|mtr|ghr|bal|bak|sqr)(?:_work|_64)?_?"
    r"|(?:LAPACKE_)?p?[sdcz]la(?:cpy|swp|set|nge|nsy|nhe|rfg|rft|rfb)(?:_work|_64)?_?"
)
_FFTW: Final = expression(r"[sd]?fftw[flq]?_(?:mpi_)?(?:execute|plan|init_threads|cleanup|import|export)\w*")
_MPI: Final = expression(r"P?MPI_[A-Z]\w*")
# MPI functions without regions: the probe library has regions for the first three; the others only look up values.
_NO_MPI: Final = expression(
    r"P?MPI_(?:Init|Init_thread|Finalize|Wtime|Wtick|Initialized|Finalized|Comm_rank|Comm_size|Get_count|Get_address"
    r"|Error_string|Error_class|\w+_f2c|\w+_c2f|T_\w+)",
    re.IGNORECASE,
)
_SYSCALL: Final = frozenset(
    """
    read write open openat creat close lseek pread pwrite readv writev preadv pwritev sendfile fsync fdatasync sync
    ftruncate truncate stat fstat lstat fstatat access chmod chown link unlink symlink readlink rename mkdir rmdir
    opendir readdir closedir chdir getcwd mmap munmap mprotect msync madvise mlock munlock brk sbrk fork wait
    waitpid kill nanosleep clock_nanosleep usleep sleep sched_yield select pselect poll ppoll epoll_wait pipe dup
    dup2 fcntl ioctl socket connect bind listen accept send recv sendto recvfrom sendmsg recvmsg shutdown getsockopt
    setsockopt shm_open shm_unlink shmget shmat shmdt semop semget msgsnd msgrcv getrusage syscall system popen
    pclose
    """.split()  # noqa: SIM905 - more readable as a table
)
_LIBRARY: Final = frozenset(
    """
    malloc calloc realloc free aligned_alloc posix_memalign memalign memcpy memmove memset memcmp strlen strcpy
    strncpy strcat strncat strcmp strncmp strdup strtok strstr strchr qsort bsearch rand srand random srandom
    drand48 erand48 lrand48 atoi atol atof strtol strtoul strtoll strtod strtof fopen fclose fread fwrite fprintf
    printf sprintf snprintf vfprintf vprintf vsnprintf puts fputs fputc putchar fgets fgetc getline fscanf scanf
    sscanf fseek ftell rewind fflush perror getenv tmpfile remove time clock gettimeofday
    clock_gettime
    """.split()  # noqa: SIM905 - more readable as a table
)
_FORTRAN_MATH: Final = expression(
    r"[dc]?(?:a?(?:sin|cos|tan)h?|exp|log|log10)|alog|alog10|d?atan2|d?erfc?|erfc_scaled|gamma|log_gamma|hypot"
    r"|bessel_[jy][01n]|matmul|dot_product|transpose"
)
_FORTRAN_LIBRARY: Final = frozenset(
    """
    random_number random_seed system_clock cpu_time date_and_time etime dtime get_command_argument getarg
    get_environment_variable move_alloc maxval minval maxloc minloc sum product count pack unpack reshape spread
    cshift eoshift
    """.split()  # noqa: SIM905 - more readable as a table
)
_FORTRAN_SYSCALL: Final = frozenset(
    """
    system execute_command_line sleep getcwd chdir unlink rename chmod stat fstat lstat kill fork
    """.split()  # noqa: SIM905 - more readable as a table
)


def mode_of_call(name: str) -> str:
    """Return the mode that measures calls of a C function, or an empty string if no table contains its name."""
    if name in _SYSCALL or name in _LIBRARY:
        return "syscall" if name in _SYSCALL else "library"
    if _MPI.fullmatch(name):
        return "" if _NO_MPI.fullmatch(name) else "mpi"
    return "math" if _is_math(name) else ""


def is_instruction(name: str) -> bool:
    """Return whether a C or C++ function compiles to one or two instructions, or ends the program."""
    builtin = name.removeprefix("__builtin_")
    if builtin != name:
        plain = builtin.strip("_").removesuffix("_chk")
        return not (mode_of_call(plain) or _OF_BYTES.match(plain))
    return name in _INSTRUCTIONS or name in _ENDINGS


def is_move(name: str) -> bool:
    """Return whether a C function moves or sets bytes."""
    return name.removeprefix("__builtin_").strip("_").removesuffix("_chk") in _MOVES


def is_of_c(name: str) -> bool:
    """Return whether a function counts as a library function only if the C library's headers declare it."""
    return not (_MPI.fullmatch(name) or _is_of_solvers(name))


def fortran_mode(name: str) -> str:
    """Return the mode that measures calls of a Fortran procedure, in lower case, or an empty string if none does."""
    if name.startswith(("mpi_", "pmpi_")):
        return "" if _NO_MPI.fullmatch(name) else "mpi"
    if _FORTRAN_MATH.fullmatch(name) or _is_of_solvers(name):
        return "math"
    return "syscall" if name in _FORTRAN_SYSCALL else "library" if name in _FORTRAN_LIBRARY else ""


def _is_math(name: str) -> bool:
    return name not in _INSTRUCTIONS and bool(_LIBM.fullmatch(name) or _is_of_solvers(name))


def _is_of_solvers(name: str) -> bool:
    return bool(_BLAS.fullmatch(name) or _LAPACK.fullmatch(name) or _FFTW.fullmatch(name))
