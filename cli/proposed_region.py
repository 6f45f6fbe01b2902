"""If a user requests statistics of the whole program, propose those of the region that the verdict names."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..errors import AutoanalyzerError

if TYPE_CHECKING:
    from ..analyze.run.code_regions import CodeRegion
    from ..experiment import Experiment

__all__ = ["MOST", "ProposedRegion", "region_name"]

MOST: Final = 2_000  # maximum number of locations; for more locations, computing the verdict takes too long


@dataclass(frozen=True, slots=True)
class ProposedRegion:
    """A region whose statistics are more informative than those of the program.

    Attributes:
        region: The value for ``--region``.
        exclusive: Whether the statistics cover only the region's own code, without its callees.
        sentence: Why the region is proposed, and the command that analyses it.
        command: The command.
    """

    region: str
    exclusive: bool
    sentence: str
    command: str

    @classmethod
    def of(cls, experiment: Experiment, arguments: argparse.Namespace) -> ProposedRegion | None:
        """Return the region that the verdict names first, or None if it names none, or there are too many locations."""
        from ..analyze import analyze
        from ..view.foremost import foremost_sentence

        if len(experiment.locations) > MOST:
            return None
        try:
            findings = analyze(experiment, exclude_ranks=arguments.exclude_rank)
        except AutoanalyzerError:
            return None
        named = findings.verdict.first
        region = named.region if named else None
        name = region_name(experiment, region) if region else None
        if named is None or region is None or name is None:
            return None
        exclusive = region.own_code
        command = shlex.join(
            ["autoanalyzer", "stats", str(arguments.experiment), arguments.analysis, "--region", name]
            + ["--exclusive"] * exclusive
            + [word for rank in arguments.exclude_rank for word in ("--exclude-rank", str(rank))]
            + [word for path in arguments.sample for word in ("--sample", str(path))]
            + (["--grid", arguments.grid] if arguments.grid else [])
            + (["--metrics", arguments.metrics] if arguments.metrics else [])
            + [word for formula in arguments.derive for word in ("--derive", formula)]
            + (["--by", arguments.by] if arguments.by else [])
        )
        return cls(
            name,
            exclusive,
            f"{foremost_sentence(findings, named)} To analyse only this region, run: {command}",
            command,
        )


def region_name(experiment: Experiment, region: CodeRegion) -> str | None:
    """Return a name for ``--region`` that matches only this region, or None if there is none."""
    from ..experiment.selection import paths_named

    own = experiment.call_paths[region.id].region
    short = own.file.rpartition("/")[2]
    places = [f"{file}:{own.first_line}" for file in (short, own.file) if file and own.first_line]
    for name in (*places, own.name, experiment.path_name(region.id)):
        try:
            found = paths_named(experiment, name)
        except AutoanalyzerError:
            continue
        if region.id in found and {experiment.call_paths[path].region.identity for path in found} == {own.identity}:
            return name
    return None
