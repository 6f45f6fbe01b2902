"""The places where threads of OpenMP wait for each other, of all processes together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...experiment import Region
from ...experiment.thread_wait import ThreadWait, added
from .shard import PlaceWait

__all__ = ["thread_waits"]


def thread_waits(processes: Iterable[Sequence[PlaceWait]], names: Mapping[Region, Region]) -> tuple[ThreadWait, ...]:
    """Return what the threads of all processes did in each place, the longest waits first.

    Args:
        processes: What each thread of a process did.
        names: The places that are known by an address: see ``call_site_names``.
    """
    return added(each for waits in processes for each in added((_of_thread(wait, names) for wait in waits), same=True))


def _of_thread(wait: PlaceWait, names: Mapping[Region, Region]) -> ThreadWait:
    place, region = names.get(wait.place, wait.place), wait.region
    return ThreadWait(
        region=region.descriptor if region else "",
        kind=place.name.partition("@")[0],
        file=place.file if place.first_line else "",
        line=place.first_line,
        processes=1,
        threads=(wait.thread,),
        entries=(wait.entries,),
        contended=(wait.contended,),
        seconds=(max(wait.seconds, 0.0),),
        cpu_seconds=(max(wait.seconds - wait.off, 0.0),),
    )
