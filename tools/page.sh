#!/bin/sh
# Bundle the page's scripts from its modules and the packages that package-lock.json pins, and note their licences;
# with --check, only compare with what is committed.
set -eu
page=$(cd "$(dirname "$0")/../view/page" && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cp -R "$page/src" "$page/package.json" "$page/package-lock.json" "$made"
cd "$made"
npm ci --ignore-scripts --no-audit --no-fund --silent 2>npm.log || { cat npm.log >&2; exit 1; }
npm run build --silent >npm.log 2>&1 || { cat npm.log >&2; exit 1; }

{
    echo "page.js contains preact and htm as well as our own modules; charts.js and charts.css contain only uplot."
    for package in preact htm uplot; do
        printf '\n%s %s\n\n' "$package" "$(node -p "require('./node_modules/$package/package.json').version")"
        cat "node_modules/$package/LICENSE"
    done
} >LICENSES

for file in page.js charts.js charts.css LICENSES; do
    if [ "${1:-}" != --check ]; then
        cp "$file" "$page/$file"
    elif ! cmp -s "$file" "$page/$file"; then
        echo "view/page/$file differs from the result of its sources; run make page" >&2
        exit 1
    fi
done
