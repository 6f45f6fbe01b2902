#!/bin/sh
set -eu
autoanalyzer run --repeat "${RUNS:-5}" --no-analyze -o new -- ${PROGRAM:-mpirun -n 4 ./app}
if [ -d base ]; then
  autoanalyzer view new --against base -o performance.html
  autoanalyzer compare base/run-* --with new/run-* --fail-on 5% --markdown performance.md --junit performance.xml
else
  autoanalyzer view new -o performance.html
  echo 'There is no base yet to compare with.' | tee performance.md
fi
