"""A real Slurm cluster on one machine: nodes with their own name, /tmp and /dev/shm; they share everything else.

Each node is a ``slurmd`` in its own namespaces. This needs root, and Debian's slurmctld, slurmd, slurm-client and
munge. Several clusters can run at once, each with its own ports, key and munge daemon.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

__all__ = ["NODES", "PROGRAMS", "Cluster", "Done"]

# Nodes are chosen by name, because Slurm would choose another one while a node still ends its last job.
NODES: Final = ("-N", "2", "-w", "aa-node1,aa-node2")
PROGRAMS: Final = ("slurmctld", "slurmd", "srun", "munged", "mungekey", "unshare")

_PATIENCE: Final = 600  # seconds for nodes to come up, and jobs to end, on a busy machine
_TEMPORARY: Final = Path("/tmp")
_SHARED_MEMORY: Final = Path("/dev/shm")
# On a busy machine, one in some hundred programs that srun starts with Debian 12's Open MPI ends in MPI_Init, with or
# without the tool: a rank calls a null pointer, or does not find shared memory. So nodes do without the components that
# fail.
_PARAMETERS: Final = {
    "etc/openmpi/openmpi-mca-params.conf": "btl = self,tcp",
    "usr/lib/*/pmix2/share/pmix-mca-params.conf": "gds = hash",
}

Done = subprocess.CompletedProcess[str]


@dataclass
class Cluster:
    """A running cluster.

    Attributes:
        folder: A folder that all nodes share; not below /tmp.
        nodes: The names of the nodes.
        cache: The tool's cache of builds, which all nodes share, too.
        shown: Folders, such as a checkout, that all nodes must see even if they are below /tmp.
    """

    folder: Path
    nodes: Sequence[str]
    cache: Path
    shown: Sequence[Path] = ()
    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _ports: Sequence[int] = ()

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables with which commands use this cluster."""
        mine = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
        path = f"{Path(sys.executable).parent}:{mine.get('PATH', os.defpath)}"
        own = {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path, "AUTOANALYZER_CACHE": str(self.cache)}
        return mine | own

    def up(self) -> None:
        """Start the cluster, and wait until all nodes are idle; ``/etc/hosts`` gets their names if they are missing."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "state").mkdir(exist_ok=True)
        self._ports = _free_ports(1 + len(self.nodes))
        self._start_munge()
        _name_hosts(self.nodes)
        (self.folder / "slurm.conf").write_text(self._configuration())
        self._start("slurmctld", ["slurmctld", "-D"])
        for node in self.nodes:
            self.start(node)
        self._wait_for(self.nodes)

    def start(self, node: str) -> None:
        """Start a node."""
        (self.folder / f"spool-{node}").mkdir(exist_ok=True)
        own = [f"mount -t tmpfs tmpfs {place}" for place in (_TEMPORARY, _SHARED_MEMORY)]
        own += [f"mount --bind {mine} {place}" for place, mine in self._parameters().items()]
        setup = [f"hostname {node}", "mount --make-rprivate /", *self._around(own), f"exec slurmd -D -N {node}"]
        self._start(node, ["unshare", "-m", "-u", "sh", "-e", "-c", "\n".join(setup)])

    def _around(self, mounting: Sequence[str]) -> list[str]:
        """Return shell commands that mount folders, and keep ``shown`` accessible below them.

        Args:
            mounting: The commands that mount.
        """
        hidden = [place for place in self.shown if place.is_relative_to(_TEMPORARY)]
        held = [self.folder / f"shown-{number}" for number in range(len(hidden))]
        before = [f"mkdir -p {hold}; mount --bind {place} {hold}" for place, hold in zip(hidden, held, strict=True)]
        after = [f"mkdir -p {place}; mount --move {hold} {place}" for place, hold in zip(hidden, held, strict=True)]
        return [*before, *mounting, *after]

    def _parameters(self) -> dict[Path, Path]:
        """Write parameter files of Open MPI and PMIx for the nodes; return the machine's file → the nodes' file."""
        found = {}
        for name, line in _PARAMETERS.items():
            for place in Path("/").glob(name):
                mine = self.folder / place.name
                mine.write_text(f"{place.read_text()}\n{line}\n")
                found[place] = mine
        return found

    def kill(self, node: str) -> None:
        """Kill a node with everything that runs on it."""
        for pid in [*self.processes_on(node), self._processes[node].pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._processes.pop(node).wait()

    def down(self) -> None:
        """Kill all nodes and the cluster's other processes."""
        for node in self.nodes:
            if node in self._processes:
                self.kill(node)
        for process in self._processes.values():
            process.kill()
            process.wait()

    def tidy(self) -> None:
        """Remove files that tests left in the nodes' own folders, so that tests do not affect each other."""
        for node in self.nodes:
            for each in self._inside(node, _TEMPORARY).glob("autoanalyzer-*"):
                shutil.rmtree(each, ignore_errors=True)

    def _inside(self, node: str, place: Path) -> Path:
        """Return the path by which processes outside a node's namespace reach one of its folders."""
        return Path(f"/proc/{self._processes[node].pid}/root") / place.relative_to("/")

    def run(
        self, *words: str | Path, folder: Path, more: Mapping[str, str] | None = None, timeout: float = 1200
    ) -> Done:
        """Run a command on the machine from which jobs are submitted.

        A command that allocates nodes starts when all nodes are idle, so it gets the first ones.
        """
        command = [*map(str, words)]
        if not {"srun", "salloc", "sbatch"}.isdisjoint(command):
            self.wait()  # otherwise, Slurm would not choose a node that still ends its last job
        return subprocess.run(
            command,
            cwd=folder,
            env=self.environment | dict(more or {}),
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )

    def batch(self, script: Path, *options: str) -> Done:
        """Submit a script, and wait for its end; return the job's exit status and output."""
        output = script.with_suffix(".out")
        words = [
            "sbatch",
            "--parsable",
            "-o",
            str(output),
            "-e",
            str(script.with_suffix(".err")),
            *options,
            str(script),
        ]
        done = self.run(*words, folder=script.parent)
        assert done.returncode == 0, done.stderr
        self.idle()  # because sbatch --wait checks only every ten seconds
        told = self.run("scontrol", "show", "job", done.stdout.strip(), folder=script.parent).stdout
        status = max(int(code) for code in re.findall(r"ExitCode=(\d+):", told))
        printed = [file.read_text() if file.exists() else "" for file in (output, script.with_suffix(".err"))]
        return Done(words, status, printed[0], printed[1] + done.stderr)

    def on(self, node: str, *words: str) -> str:
        """Run a command on a node, which must be idle, and return its output."""
        return self.run("srun", "-w", node, "-N", "1", "-n", "1", *words, folder=self.folder).stdout

    def idle(self) -> None:
        """Wait until no job is left."""
        end = time.monotonic() + _PATIENCE
        while jobs := self.run("squeue", "-h", folder=self.folder).stdout.strip():
            if time.monotonic() > end:
                self.cancel()
                raise AssertionError(f"jobs did not end: {jobs}")
            time.sleep(0.2)

    def _start(self, name: str, words: Sequence[str]) -> None:
        log = (self.folder / f"{name}.log").open("wb")
        self._processes[name] = subprocess.Popen(
            words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )

    def processes_on(self, node: str, name: str = "") -> list[int]:
        """Return the IDs of the processes on a node, which are recognised by their host name.

        Args:
            node: The node's name.
            name: Part of the program's name; empty: all programs.
        """
        machine = Path(f"/proc/{self._processes[node].pid}/ns/uts").readlink()
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (place / "ns" / "uts").readlink() == machine and name in (place / "comm").read_text():
                    found.append(int(place.name))
        return found

    def shared_memory(self, node: str) -> set[str]:
        """Return the names in the shared memory of a node."""
        return {each.name for each in self._inside(node, _SHARED_MEMORY).iterdir()}

    def begun(self, place: Path) -> None:
        """Wait until four ranks of the program are about to sleep, after their first work.

        Args:
            place: The folder in which the program runs.
        """
        end = time.monotonic() + _PATIENCE
        while len([*place.glob("begun-*")]) < 4:
            assert time.monotonic() < end
            time.sleep(0.2)

    def cancel(self) -> None:
        """End all jobs."""
        self.run("scancel", "-f", "-u", "root", folder=self.folder)

    def wait(self) -> None:
        """Wait until all nodes are idle."""
        self._wait_for(self.nodes)

    @property
    def _munge(self) -> Path:
        """The path of the socket by which processes prove which user they belong to."""
        return self.folder / "munge.socket"

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        subprocess.run(["mungekey", "-c", "-f", "-k", key], check=True)
        own = {"key-file": key, "socket": self._munge, "pid-file": f"{key}.pid", "seed-file": f"{key}.seed"}
        options = [f"--{name}={value}" for name, value in own.items()]
        # --force: only root can use the cluster's folder, which is right, because only root uses the cluster.
        self._start("munged", ["munged", "--foreground", "--force", f"--log-file={key}.log", *options])
        end = time.monotonic() + _PATIENCE
        while not self._munge.exists():
            assert time.monotonic() < end, f"munged did not start; see {self.folder}/munge.key.log"
            time.sleep(0.05)

    def _wait_for(self, nodes: Sequence[str]) -> None:
        end = time.monotonic() + _PATIENCE
        while True:
            ready = self.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N", folder=self.folder).stdout.split()
            if {*nodes} <= {*ready}:
                return
            assert time.monotonic() < end, f"{ready} of {nodes} came up; see {self.folder}/*.log"
            time.sleep(0.2)

    def _configuration(self) -> str:
        here = os.uname().nodename.partition(".")[0]
        nodes = "".join(
            f"NodeName={node} NodeHostname={node} NodeAddr=127.0.0.1 Port={port} CPUs=4 RealMemory=2000\n"
            for node, port in zip(self.nodes, self._ports[1:], strict=True)
        )
        return f"""ClusterName=tests{self._ports[0]}
SlurmctldHost={here}(127.0.0.1)
SlurmctldPort={self._ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self._munge}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool-%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
KillWait=2
InactiveLimit=0
{nodes}PartitionName=all Nodes=ALL Default=YES MaxTime=30 State=UP OverSubscribe=FORCE:8
"""


def _free_ports(count: int) -> list[int]:
    """Return unused ports."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _name_hosts(nodes: Sequence[str]) -> None:
    hosts = Path("/etc/hosts")
    known = hosts.read_text()
    missing = [node for node in nodes if node not in known.split()]
    if missing:
        with hosts.open("a") as stream:  # appended, because other processes may read the file meanwhile
            stream.writelines(f"127.0.0.1 {node}\n" for node in missing)
