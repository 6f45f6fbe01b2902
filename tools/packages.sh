#!/bin/sh
# Install the distribution packages that the product and its tests need, on Debian and Ubuntu.
# With arguments, install only the packages that they name. If this needs a password, print the command to run, and stop.
set -eu

packages="python3 python3-venv gcc g++ gfortran make cmake ninja-build autoconf automake libtool clang clang-format binutils
          flang-19 libomp-dev openmpi-bin libopenmpi-dev mpich libmpich-dev libbz2-dev valgrind libpapi-dev mandoc curl
          libc6-dev-arm64-cross libc6-dev-ppc64el-cross"

# Tests open HTML pages in a browser. Ubuntu packages no browser; tests use any browser that is installed.
! grep -q '^ID=debian' /etc/os-release || packages="$packages chromium-headless-shell"

# The page's script is tested with Node.js and built with npm; any installed versions of both will do.
command -v node >/dev/null || packages="$packages nodejs"
command -v npm >/dev/null || packages="$packages npm"

# Some releases lack these packages. Only tests need them: without clang and flang, the tests that compile with them fail;
# without the other packages, tests are skipped.
optional="clang clang-format flang-19 libomp-dev chromium-headless-shell libc6-dev-arm64-cross libc6-dev-ppc64el-cross"

[ $# = 0 ] || packages="$*" optional=""

missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    # On other distributions, look for programs instead of packages. The package managers' commands were not tried.
    lacking="" essential=""
    for program in gcc make mpicc mpirun; do
        command -v "$program" >/dev/null || lacking="$lacking $program" essential=1
    done
    for program in g++ gfortran valgrind; do
        command -v "$program" >/dev/null || lacking="$lacking $program"
    done
    if [ $# = 0 ] && [ -z "$essential" ]; then
        [ -z "$lacking" ] || echo "no$lacking on PATH: some tests will be skipped or fail" >&2
        exit 0
    fi
    way="" more='${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}'
    if [ $# = 0 ] && command -v dnf >/dev/null; then
        way="dnf install python3.11 gcc gcc-c++ gcc-gfortran make openmpi-devel valgrind-devel
    module load mpi/openmpi-$(uname -m) # without modules: export PATH=/usr/lib64/openmpi/bin:\$PATH LD_LIBRARY_PATH=/usr/lib64/openmpi/lib$more
    make PYTHON=python3.11 # and the target"
    elif [ $# = 0 ] && command -v zypper >/dev/null; then
        way="zypper install python311 gcc gcc-c++ gcc-fortran make openmpi4-devel valgrind-devel
    export PATH=/usr/lib64/mpi/gcc/openmpi4/bin:\$PATH LD_LIBRARY_PATH=/usr/lib64/mpi/gcc/openmpi4/lib64$more
    make PYTHON=python3.11 # and the target"
    elif [ $# = 0 ] && command -v pacman >/dev/null; then
        way="pacman -S python gcc gcc-fortran make openmpi valgrind"
    fi
    if [ -n "$way" ]; then
        echo "no$lacking on PATH; these commands should bring what is missing; then run make again:" >&2
        echo "    sudo $way" >&2
    else
        echo "expected apt-get, found none; install the equivalents of these Debian packages and run make again:$missing" >&2
    fi
    exit 1
fi

# Drop optional packages that apt does not know, if it has read its lists.
drop_unknown() {
    apt-cache show gcc >/dev/null 2>&1 || return 0
    kept=""
    for package in $missing; do
        case " $optional " in
            *" $package "*) apt-cache show "$package" >/dev/null 2>&1 || continue ;;
        esac
        kept="$kept $package"
    done
    missing=$kept
}

drop_unknown
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    sudo=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo="sudo"
else
    echo "packages are missing; run this command, then make again:" >&2
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
try() {
    "$@" >>"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
}
try $sudo apt-get update
drop_unknown # now apt has its lists, even if it had none before
if [ -n "$missing" ]; then
    echo "installing$missing" >&2
    try $sudo apt-get install -y --no-install-recommends $missing
fi
rm -f "$log"
