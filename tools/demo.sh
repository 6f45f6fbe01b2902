#!/bin/sh
# Build the sample rays with probes, run it on 4 ranks, print the verdict. $2: static (default) or dynamic schedule.
set -eu
bin=$(cd "$1" && pwd)
schedule=${2:-static}
PATH=$bin:$PATH
export PATH

# Open MPI needs permission to run as root, and to put more ranks than cores on a machine.
if [ "$(id -u)" = 0 ]; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
fi
OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe  # Open MPI 4, and 5
export OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy

case $schedule in static | dynamic) ;; *) echo "SCHEDULE: expected static or dynamic, found $schedule" >&2; exit 2 ;; esac
folder=build/demo/$schedule
mkdir -p "$folder"
cp samples/rays/* "$folder"
cd "$folder"
echo "in $folder, with PATH=$bin:\$PATH:"
make --no-print-directory CC=aa-mpicc SCHEDULE="$schedule"
# With the better schedule, compare only the workers, because the master always differs.
exclude=""
[ "$schedule" = static ] || exclude="--exclude-rank 0"
set -x
autoanalyzer run -o out $exclude -- mpirun -n 4 ./rays
