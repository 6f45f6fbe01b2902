"""The scores of a suite's verdicts as a table, and each wrong verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .faults import Truth
from .kept import Kept
from .key import Key
from .score import Hit, Score, said

_NEAR = 0.25  # maximum error of a predicted gain, as a share of the measured one
_NEAR_ON_PATH = 0.1  # the same as a share of the critical path, if ranks work one after another or wait for one
_WAITED_FOR = ("serial", "late-sender")
_CHANCE = 0.005  # share of the run by which measurements of the same busy time differ
_RIGHT = 1.3  # maximum factor between the planted and the measured strength of a fault


@dataclass(frozen=True)
class Outcome:
    """A run, the findings on it, and their score."""

    run: Kept
    score: Score
    found: dict[str, Any]

    @property
    def key(self) -> Key:
        """The truth with which the findings are compared."""
        return self.run.key

    @property
    def name(self) -> str:
        """The seed, language and faults of the case as text."""
        what = "cure of " if self.key.cured else ""
        kinds = " + ".join(f"{each.kind} {each.strength:.0%}" for each in self.key.truths) or "control"
        return f"seed {self.key.seed:4} {self.key.language:3} {what}{kinds}"

    def record(self) -> dict[str, Any]:
        """Return the score as values for JSON, with the run's wall time and longest busy time in seconds."""
        hits = [
            {"kind": hit.truth.kind, "strength": hit.truth.strength, "parts_ranks": hit.truth.parts_ranks}
            | {"found": hit.found, "first": hit.first, "clusters": hit.clusters, "cause": hit.cause, "gain": hit.gain}
            for hit in self.score.hits
        ]
        keys = ("imbalances", "hedged", "causes", "speed")
        numbers = {
            "wall_time": self.found["experiment"]["wall_time"],
            "longest": self.run.busiest([self.key.steps]),
            "path": self.run.path,
        }
        name = {"seed": self.key.seed, "language": self.key.language, "cured": self.key.cured}
        return name | {"hits": hits} | {key: getattr(self.score, key) for key in keys} | numbers


def wrong(outcome: Outcome) -> list[str]:
    """Return lines that report what is wrong with a verdict: expected, found, and the seed; none if it is right."""
    judged = outcome.score
    lines = []
    for hit in judged.hits:
        if not hit.found:
            lines.append(f"missed: {_expected(hit.truth)}; found {_named(outcome.found, hit.truth)}")
        if hit.clusters is False:
            lines.append(f"clusters: expected {_expected(hit.truth)}, found {_clusters(outcome.found)}")
        if hit.cause is False:
            lines.append(f"cause: expected {_expected(hit.truth)}, found {hit.said}")
    lines += [f"invented imbalance: {each}; {_clusters(outcome.found)}" for each in judged.imbalances]
    lines += [f"invented imbalance?: {each}; {_clusters(outcome.found)}" for each in judged.hedged]
    lines += [f"invented cause: {each}" for each in judged.causes]
    return [f"WRONG  {outcome.name}", *(f"       {line}" for line in lines)] if lines else []


def _expected(truth: Truth) -> str:
    who = " | ".join(" ".join(each) for each in truth.groups) or " < ".join(truth.order) or "all ranks"
    what = "its procedure" if truth.loop is None else f"loop {truth.loop + 1}"
    return f"{truth.kind} {truth.strength:.0%} in {truth.phase} ({what}), {who}, {' or '.join(truth.causes)}"


def _named(found: dict[str, Any], truth: Truth) -> str:
    if truth.parts_ranks:
        return f"{_clusters(found)}: {', '.join(map(said, found['dissimilarity']['cccr'])) or 'no region'}"
    return ", ".join(map(said, found["disparity"]["cccr"])) or "nothing heavy"


def _clusters(found: dict[str, Any]) -> str:
    differences = found["dissimilarity"]
    clusters = " | ".join(" ".join(map(str, each)) for each in differences["clusters"])
    return f"ranks {clusters}, S = {differences['severity']:.2f}"


def table(outcomes: Iterable[Outcome]) -> str:
    """Return a table: a line for each kind and each strength of faults, then the scores of all verdicts."""
    every = list(outcomes)
    hits = [hit for each in every for hit in each.score.hits]
    lines = ["", "fault             cases  found  clusters  causes  first 3"]
    for title, key in (("kind", _kind), ("strength", _strength)):
        names = sorted({key(hit.truth) for hit in hits})
        lines += [_row(name, [hit for hit in hits if key(hit.truth) == name]) for name in names]
        lines.append("" if title == "kind" else _row("all", hits))
    parted = [hit for hit in hits if hit.truth.parts_ranks]
    true, extra = (
        sum(hit.found for hit in parted),
        sum(len(each.score.imbalances + each.score.hedged) for each in every),
    )
    lines += ["", f"places of imbalances: {_rates(true, len(parted), extra)}"]
    heavy = [hit for hit in hits if not hit.truth.parts_ranks]
    invented = sum(len(each.score.causes) for each in every)
    lines.append(f"places of all ranks' faults: {_rates(sum(hit.found for hit in heavy), len(heavy), invented)}")
    for name, clean in (
        ("controls", [each for each in every if not each.key.truths]),
        ("cured programs", [each for each in every if each.key.truths and each.key.cured]),
    ):
        firm, timid = (sum(bool(getattr(each.score, key)) for each in clean) for key in ("imbalances", "hedged"))
        causes, speed = (sum(bool(getattr(each.score, key)) for each in clean) for key in ("causes", "speed"))
        lines.append(
            f"{name}: {len(clean)}, of which IMBALANCE {firm}, IMBALANCE? {timid}, "
            f"invented causes {causes}, SPEED {speed}"
        )
    lines += _gains(every)
    return "\n".join(lines)


def _kind(truth: Truth) -> str:
    return truth.kind


def _strength(truth: Truth) -> str:
    return f"{truth.strength:4.0%} {'some' if truth.parts_ranks else 'all'} ranks"


def _row(name: str, hits: list[Hit]) -> str:
    parts: list[Callable[[Hit], bool | None]] = [lambda hit: hit.clusters, lambda hit: hit.cause, lambda hit: hit.first]
    shown = []
    for part in parts:
        judged = [part(hit) for hit in hits if part(hit) is not None]
        shown.append(f"{sum(map(bool, judged))}/{len(judged)}" if judged else "-")
    return f"{name:17} {len(hits):5} {sum(hit.found for hit in hits):6} {shown[0]:>9} {shown[1]:>7} {shown[2]:>8}"


def _rates(true: int, planted: int, extra: int) -> str:
    recall, precision = (true / whole if whole else 1.0 for whole in (planted, true + extra))
    both = 2 * true / (planted + true + extra) if planted + true + extra else 1.0
    return f"precision {precision:.2f}, recall {recall:.2f}, F1 {both:.2f} ({true} of {planted}, {extra} invented)"


def _gains(outcomes: list[Outcome]) -> list[str]:
    """Compare, for each case of one fault, the time that its cure saved with the planted and the predicted time."""
    cures = {each.key.seed: each for each in outcomes if each.key.cured}
    rows, right = [], []
    near: dict[str, list[bool]] = {
        "of computing, files and messages": [],
        "by the clock, whose noise is that of the machine": [],
    }
    on_path: list[bool] = []
    for each in outcomes:
        if each.key.cured or len(each.key.truths) != 1 or each.key.seed not in cures:
            continue
        (truth,), cure = each.key.truths, cures[each.key.seed]
        gain = each.score.hits[0].gain if each.score.hits else None
        waited = each.found["experiment"]["wall_time"] - cure.found["experiment"]["wall_time"]
        have_paths = each.run.has_path and cure.run.has_path
        saved = waited if truth.in_turn and not have_paths else _saved(each.run, cure.run)
        if have_paths and (truth.in_turn or truth.kind in _WAITED_FOR):
            on_path.append(gain is not None and abs(gain - saved) <= _NEAR_ON_PATH * each.run.path)
        if gain is not None and not (have_paths and truth.in_turn):
            by_chance = _CHANCE * each.run.busiest([each.key.steps])
            how = [*near][truth.in_turn]
            near[how].append(abs(gain - saved) <= max(_NEAR * abs(saved), by_chance))
        strength = _turned_out(each.run, cure.run)
        right.append(1 / _RIGHT <= strength / truth.strength <= _RIGHT)
        planted, said_to_be = f"{truth.kind} {truth.strength:.0%}", "-" if gain is None else f"{gain:.3f} s"
        rows.append(f"{each.key.seed:4} {planted:20} {strength:7.1%} {saved:8.3f} s {waited:8.3f} s {said_to_be:>10}")
    if not rows:
        return []
    head = ["", "seed fault               strength    saved     wall time  predicted   gain by the cure", *rows]
    of_all = [f"strength within a factor of {_RIGHT}: {sum(right)} of {len(right)}"]
    predicted = [
        f"predicted within {_NEAR:.0%}, {how}: {sum(hits)} of {len(hits)}" for how, hits in near.items() if hits
    ]
    if on_path:
        ends = (
            f"predicted within {_NEAR_ON_PATH:.0%} of the critical path, of ranks that work in turn or are waited for"
        )
        predicted.append(f"{ends}: {sum(on_path)} of {len(on_path)}")
    return [*head, *of_all, *predicted]


def _turned_out(faulty: Kept, cured: Kept) -> float:
    """Return the share of the run that the only fault really takes: what its place takes with the fault and without."""
    (truth,) = faulty.key.truths
    if truth.in_turn and faulty.has_path and cured.has_path:
        return _saved(faulty, cured) / faulty.path
    takes = Kept.processing if truth.moves else Kept.elapsed if truth.by_the_clock else Kept.busiest
    saved = takes(faulty, *faulty.key.places) - takes(cured, *cured.key.places)
    return saved / takes(faulty, [faulty.key.steps])


def _saved(faulty: Kept, cured: Kept) -> float:
    """Return the seconds that the cure saved at the fault's own place, because the rest of a run varies by more."""
    (truth,) = faulty.key.truths
    takes = Kept.elapsed if truth.kind == "file-io" else Kept.processing if truth.moves else Kept.busiest
    takes = Kept.on_path if truth.in_turn else takes
    return takes(faulty, *faulty.key.places) - takes(cured, *cured.key.places)
