#!/bin/sh
# Create the virtual environment $2 with the interpreter $1, the project (editable) and its development tools.
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
# Without --no-compile, pip would compile a hundred packages, although only a small part of them is ever imported.
install() { "$venv/bin/python" "$@" -qq --disable-pip-version-check --no-compile; }
# Run the pip that comes with Python from its wheel, only to install the current pip, which takes half the time.
wheel='import ensurepip, glob, sysconfig
folder = sysconfig.get_config_var("WHEEL_PKG_DIR") or ensurepip.__path__[0] + "/_bundled"
print(*glob.glob(folder + "/pip-*.whl"))'
install "$("$python" -c "$wheel")/pip" install --upgrade pip
install -m pip install --editable '.[dev]'
