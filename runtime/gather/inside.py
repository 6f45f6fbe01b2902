"""Determine from samples which code runs in regions: functions without probes, lines, libraries, and the probes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from ...experiment import Region
from ...experiment.inside import ENOUGH_SAMPLES, Inside, InsidePart, largest_parts
from ...experiment.region import UPWARDS
from ..build import LIBRARY
from ..usage.names import ALLOCATION_LIBRARY
from .addresses import FORTRAN_FILES, SYSTEM, VARIANT, AddressPlace, inlined_at, library_of, symbols_at
from .sample_sums import CodePlace, SampleSums

__all__ = ["said_of_errors", "said_of_samples", "seen_inside"]

_OURS: Final = (LIBRARY, ALLOCATION_LIBRARY)
_PROBES_FILE: Final = "<autoanalyzer>"  # the same as _PRELUDE_FILE in instrument/c_family/insert.py
# The functions that insertion adds, from stub.h, guard.h and fortran_stub.c in instrument/.
_PROBES: Final = re.compile(
    r"aa_(?:begin(?:_apart)?|enter(?:_counted)?|exit|leave|close|resync|connect_counted"
    r"|(?:open_)?guard|equal|lasting|slot_of|only_counts|fortran_(?:ignore|connect))_{0,2}(?:[.:].+)?",
    re.IGNORECASE,
)
_FORTRAN_PROGRAM: Final = "MAIN"  # the name of Fortran's main program, as ``addresses`` returns it
_BIASED: Final = 0.1  # largest bias without a warning, relative to the known share
_SIGMAS: Final = 3
_WORTH_A_WORD: Final = 0.05  # share of all samples; smaller shares of missing samples or addresses are not reported


class _What(NamedTuple):
    """The code at an address: a function's name, or a line of the region itself; all fields are empty if unknown."""

    name: str
    library: str
    file: str
    line: int


_NOTHING: Final = _What("", "", "", 0)


def seen_inside(sums: SampleSums) -> tuple[tuple[Inside, ...], dict[str, float]]:
    """Return the code in each region with enough samples, most samples first, and the value of ``Notes.sampled``."""
    if not sums.signals or sums.seconds <= sums.lost:
        return (), {}
    seconds = (sums.seconds - sums.lost) / sums.signals
    # With so few samples, no region is reported, so reading debug information would be a waste of time.
    chains = _chains({place for _, place in sums.places if place}) if sums.signals >= ENOUGH_SAMPLES else {}
    total: dict[Region, float] = {}
    parts: dict[Region, dict[_What | None, float]] = {}
    lines: dict[tuple[Region, _What | None], dict[tuple[str, int], float]] = {}
    for (region, place), amount in sums.places.items():
        samples = amount / seconds
        _add(total, region, samples)
        if place:
            what, line = _what(region, place, chains.get(place, []), sums.interpreters)
            _add(parts.setdefault(region, {}), what, samples)
            _add(lines.setdefault((region, what), {}), line, samples)
    probes = sum(of_region.get(None, 0.0) for of_region in parts.values())
    found = (
        Inside(
            region.descriptor,
            round(samples, 1),
            round(parts[region].get(None, 0.0), 1),
            largest_parts(
                InsidePart(what.name, what.library, *_most_frequent(lines[region, what]), round(amount, 1))
                for what, amount in parts[region].items()
                if what and what != _NOTHING
            ),
        )
        for region, samples in total.items()
        if samples >= ENOUGH_SAMPLES and region in parts
    )
    ordered = tuple(sorted(found, key=lambda each: (-each.samples, each.region)))
    return ordered, {"samples": sums.signals, "seconds": seconds, "probes": round(probes, 1)}


_Key = TypeVar("_Key")


def _add(sums: dict[_Key, float], key: _Key, amount: float) -> None:
    sums[key] = sums.get(key, 0.0) + amount


def _most_frequent(lines: Mapping[tuple[str, int], float]) -> tuple[str, int]:
    return max(lines, key=lambda line: (lines[line], line))


def said_of_samples(sums: SampleSums) -> Iterator[str]:
    """Yield the reasons why samples are missing, if any are."""
    reasons = {
        "old_kernel": "no samples: the kernel is too old (needs Linux 5.9 on x86-64, 5.16 on ARM)",
        "theirs": "samples are missing: the program handles SIGURG itself",
        "refused": "samples are missing: the system provided no timers",
    }
    yield from (said for state, said in reasons.items() if sums.states[state])
    without = {
        "blocked": "while SIGURG was blocked",
        "small_stack": "on a stack that is smaller than 32 KiB or of unknown size",
        "masking": "that blocked and unblocked signals too often",
    }
    for state, why in without.items():
        if number := sums.states[state]:
            yield f"no samples of {number} {'thread' if number == 1 else 'threads'} {why}"


def _chains(places: Iterable[CodePlace]) -> dict[CodePlace, list[AddressPlace]]:
    """Return the functions at each place, inlined functions first."""
    files: dict[str, list[int]] = {}
    for file, address in sorted(places):
        if file and Path(file).name not in _OURS:
            files.setdefault(file, []).append(address)
    found: dict[CodePlace, list[AddressPlace]] = {}
    for file, addresses in files.items():
        named = inlined_at(file, [f"{each:x}" for each in addresses])
        found |= {(file, address): chain for address, chain in zip(addresses, named, strict=True)}
        bare = [address for address in addresses if not any(place.file for place in found[file, address])]
        symbols = symbols_at(file, [f"{each:x}" for each in bare]) if bare else []
        for address, name in zip(bare, symbols, strict=True):
            found[file, address] = [AddressPlace(name, "", 0)] if name else []
    return found


def _is_ours(place: CodePlace, chain: Sequence[AddressPlace]) -> bool:
    if Path(place[0]).name in _OURS:
        return True
    return bool(chain) and (chain[0].file.endswith(_PROBES_FILE) or _PROBES.fullmatch(chain[0].function) is not None)


def _what(
    region: Region, place: CodePlace, chain: Sequence[AddressPlace], interpreters: set[str]
) -> tuple[_What | None, tuple[str, int]]:
    """Classify the code at an address that was sampled in a region.

    Returns:
        The function, or the region's own line, or None for the probes; and the file and line, empty and 0 if unknown. A
        function in a system header counts as the function into which it is inlined.
    """
    if _is_ours(place, chain):
        return None, ("", 0)
    file = place[0]
    library = library_of(file)
    is_system = file.startswith(SYSTEM) and bool(library)
    own = next((each for each in chain if each.file and not each.file.startswith(SYSTEM)), None)
    if own and not is_system:
        name = "" if _is_of(region, own) else own.function
        return _What(name, "", own.file, 0 if name else own.line), (own.file, own.line)
    if file in interpreters:
        library = Path(file).name
    name = chain[-1].function if chain else ""
    if is_system and (found := VARIANT.fullmatch(name)):
        name = found[1]
    return _What(name, library, "", 0), ("", 0)


def _is_of(region: Region, place: AddressPlace) -> bool:
    """Return whether a line belongs to the region's function, or to a lambda or unnamed function inside it."""
    shorter, longer = sorted((UPWARDS.sub("", region.file), UPWARDS.sub("", place.file)), key=len)
    if not region.file or not f"/{longer}".endswith(f"/{shorter}"):
        return False
    if place.function in (region.function, _FORTRAN_PROGRAM):
        return True
    contains_others = place.file.lower().endswith(FORTRAN_FILES) and _last(place.function) != _last(region.function)
    return region.first_line <= place.line <= region.last_line and not contains_others


def _last(function: str) -> str:
    return function.rpartition("::")[2]


def said_of_errors(sums: SampleSums) -> Iterator[str]:
    """Yield warnings about missing or biased samples, for programs whose regions get their times from samples."""
    if sums.crowded > _WORTH_A_WORD * sums.seconds:
        share = 100 * sums.crowded / sums.seconds
        yield f"{share:.0f} % of the samples have no location, because the table of code locations was full"
    if sums.lost > _WORTH_A_WORD * sums.seconds:
        late = "because signals came late: SIGURG was blocked, or a hypervisor took the core"
        yield f"{100 * sums.lost / sums.seconds:.0f} % of the CPU time is not covered by samples, {late}"
    yield from _said_of_bias(sums)


def _said_of_bias(sums: SampleSums) -> Iterator[str]:
    """Yield a warning if samples and the threads' clocks disagree about the share of CPU time outside calls."""
    if sums.signals < ENOUGH_SAMPLES or not sums.spent > 0 or sums.seconds <= sums.lost:
        return
    seen, known = sums.own / (sums.seconds - sums.lost), min(sums.computed / sums.spent, 1.0)
    chance = _SIGMAS * sqrt(known * (1 - known) / sums.signals)
    if abs(seen - known) > chance + _BIASED * known:
        yield (
            f"samples are biased, because threads share cores: {100 * seen:.0f} % of the samples, but "
            f"{100 * known:.0f} % of the CPU time, are outside MPI, OpenMP and file I/O calls, so the times of "
            "regions may be wrong by this difference"
        )
