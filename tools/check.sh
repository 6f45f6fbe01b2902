#!/bin/sh
# Lint and type-check. mypy needs the checkout under the package's name, whatever the folder is called.
set -eu
bin=$(cd "$1" && pwd)
root=$(pwd)

"$bin/ruff" check .
"$bin/ruff" format --check .
report=$("$bin/lint-imports" --no-cache) || { echo "$report"; exit 1; }
echo "$report" | tail -n 1
"$bin/python" tools/design_names.py docs/design.md
"$bin/python" tools/users_words.py
if git grep -nE '^ *[rR]?"""Give ' -- '*.py'; then
    echo 'Begin these docstrings with what comes back or happens: "Return", "Yield", "Merge two".' >&2
    exit 1
fi
git ls-files '*.c' '*.h' | grep -v '^tests/' | xargs -r clang-format --dry-run --Werror

link=$(mktemp -d)
trap 'rm -rf "$link"' EXIT
ln -s "$root" "$link/autoanalyzer"
cd "$link"
rooms=$(cd "$root" && for room in */__init__.py; do echo "-p autoanalyzer.$(dirname "$room")"; done)
# Garbage collection, which mypy would enable again, takes a third of its time, and frees little.
"$bin/python" -c "import gc; gc.enable = gc.disable; gc.disable(); from mypy.__main__ import console_entry; console_entry()" --config-file "$root/pyproject.toml" --cache-dir "${MYPY_CACHE_DIR:-$root/.mypy_cache}" -m autoanalyzer -m autoanalyzer.__main__ $rooms
