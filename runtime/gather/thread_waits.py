"""Add up the places where OpenMP threads wait for each other, over all processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...experiment import Region
from ...experiment.thread_wait import ThreadWait, added
from .shard import PlaceWait

__all__ = ["thread_waits"]


def thread_waits(processes: Iterable[Sequence[PlaceWait]], names: Mapping[Region, Region]) -> tuple[ThreadWait, ...]:
    """Return the waits in each place, summed over processes, longest first.

    Args:
        processes: The waits of each process's threads.
        names: The names of places that were known only by an address: see ``call_site_names``.
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
