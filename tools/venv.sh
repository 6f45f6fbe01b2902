#!/bin/sh
# Make the virtual environment $2 of the interpreter $1, with the project (editable) and its development tools.
set -eu
python=$1
venv=$2

if ! "$python" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "$python: expected Python 3.11 or later; run make PYTHON=/path/to/python3.11" >&2
    exit 1
fi
echo "setting up $venv" >&2
"$python" -c 'import ensurepip, venv' 2>/dev/null || python=/usr/bin/python3
"$python" -m venv --without-pip "$venv"
# Python compiles what is imported: of a hundred packages, a small part.
install() { "$venv/bin/python" "$@" -qq --disable-pip-version-check --no-compile; }
# The pip that comes with Python is run from its wheel: that of Python 3.11 takes twice as long as the present one.
wheel='import ensurepip, glob, sysconfig
folder = sysconfig.get_config_var("WHEEL_PKG_DIR") or ensurepip.__path__[0] + "/_bundled"
print(*glob.glob(folder + "/pip-*.whl"))'
install "$("$python" -c "$wheel")/pip" install --upgrade pip
install -m pip install --editable '.[dev]'
