"""Print a log as one JSON object, using Darshan's own library.

This is a separate program, because damaged logs may crash the library. Run it as
``python -m autoanalyzer.experiment.bridges.darshan_records LOG``.
"""

from __future__ import annotations

import json
import resource
import sys
from importlib import import_module
from typing import Any, Final

__all__ = ["MODULES"]

MODULES: Final = ("POSIX", "STDIO", "MPI-IO")

_MEMORY: Final = 16 << 30  # limit of the process's address space in bytes; Darshan's libraries reserve a large part
_SECONDS: Final = 600


def main() -> None:
    """Print the log named on the command line: the job, its files, and their counters."""
    for limit, most in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CPU, _SECONDS)):
        before = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, (most, before) if before == resource.RLIM_INFINITY else (min(most, before), before))
    library = import_module("darshan.backend.cffi_backend")
    log = library.log_open(sys.argv[1])
    if log["handle"] == library.ffi.NULL:
        sys.exit("its header is damaged")
    job = library.log_get_job(log)
    names, modules = library.log_get_name_records(log), library.log_get_modules(log)
    records: list[dict[str, Any]] = []
    for module in MODULES:
        if module in modules:
            columns = [*library.counter_names(module), *library.fcounter_names(module)]
            while (record := library.log_get_record(log, module)) is not None:
                values = [*record["counters"].tolist(), *record["fcounters"].tolist()]
                found = {name: value for name, value in zip(columns, values, strict=True) if value}
                records.append({"module": module, "id": record["id"], "rank": record["rank"], "values": found})
    document = {
        "version": job["metadata"].get("lib_ver", ""),
        "processes": job["nprocs"],
        "seconds": job["run_time"],
        "command": library.log_get_exe(log),
        "modules": sorted(modules),
        "partial": sorted(name for name, each in modules.items() if each["partial_flag"]),
        "names": {str(number): name for number, name in names.items()},
        "records": records,
    }
    json.dump(document, sys.stdout)


if __name__ == "__main__":
    main()
