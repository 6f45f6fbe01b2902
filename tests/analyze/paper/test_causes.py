"""How each deviation from the paper changes the causes; Tables 3 and 4 are in ``test_section_6_1``."""

import json
from pathlib import Path

from autoanalyzer.analyze import analyze
from autoanalyzer.view.explain import explanation_lines
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.verdict import verdict_lines

UNEVEN = {"work": [1.0, 1.0, 2.0, 2.0], "rest": [1.0] * 4}
INSTRUCTIONS = {"work": [1e9, 1e9, 2e9, 2e9], "rest": [1e9] * 4}


def findings(make_experiment, **metrics):
    return analyze(make_experiment(UNEVEN, instructions=INSTRUCTIONS, **metrics), method="paper")


def test_ranks_differ_by_the_attributes_that_make_the_same_clusters(make_experiment):
    found = findings(make_experiment, io_bytes={"rest": [5.0, 6.0, 7.0, 8.0]}).dissimilarity_causes
    assert [row.values for row in found.table.rows] == [(0, 0), (1, 0), (2, 1), (3, 1)]
    assert [row.decision for row in found.table.rows] == [0, 0, 1, 1]
    assert {each.attribute for each in found.differences} == {"io_bytes", "instructions"}


def test_of_attributes_that_part_ranks_as_far_the_order_is_always_the_same(make_experiment):
    misses = {"l1_accesses": [1e10] * 4, "l1_misses": INSTRUCTIONS["work"]}
    volumes = {name: {"work": INSTRUCTIONS["work"]} for name in ("io_bytes", "mpi_bytes")}
    instructions = {"work": INSTRUCTIONS["work"], "rest": [0.0] * 4}
    metrics = {name: {"work": values} for name, values in misses.items()} | volumes | {"instructions": instructions}
    causes = analyze(make_experiment(UNEVEN, **metrics), method="paper").dissimilarity_causes.differences
    assert [each.attribute for each in causes] == ["l1_miss_rate", "io_bytes", "mpi_bytes", "instructions"]


def test_an_attribute_is_compared_in_all_regions_so_that_equal_work_elsewhere_hides_it(make_experiment):
    """The default method compares the culprit only."""
    metrics = {"instructions": {**INSTRUCTIONS, "rest": [1e11] * 4}}
    found = {method: analyze(make_experiment(UNEVEN, **metrics), method=method) for method in ("autoanalyzer", "paper")}
    causes = {method: each.dissimilarity_causes.differences for method, each in found.items()}
    assert [each.attribute for each in causes["autoanalyzer"]] == ["instructions"]
    assert causes["paper"] == ()


def test_any_volume_is_a_cause_where_no_other_region_has_some(make_experiment):
    metrics = {"mpi_bytes": {"work": [8.0] * 4}}
    found = {method: analyze(make_experiment(UNEVEN, **metrics), method=method) for method in ("autoanalyzer", "paper")}
    named = {
        method: [cause.attribute for causes in each.disparity_causes.causes.values() for cause in causes]
        for method, each in found.items()
    }
    assert named["autoanalyzer"] == []
    assert "mpi_bytes" in named["paper"]


def test_a_critical_region_that_is_no_culprit_has_a_row(make_experiment):
    seconds = {"outer": [0.0], "outer/inner": [9.0], "x": [1.0], "y": [0.5]}
    table = analyze(make_experiment(seconds, instructions=seconds), method="paper").disparity_causes.table
    assert [row.decision for row in table.rows][:2] == [1, 1]


def test_the_verdict_the_json_and_the_explanation_tell_the_method(make_experiment):
    found = findings(make_experiment)
    note = "analysed as in Liu et al. 2011 (--method paper): even the smallest differences and regions count"
    assert note in verdict_lines(found)
    document = json.loads(json.dumps(findings_document(found, Path("x.cube"), with_account=True), allow_nan=False))
    assert document["method"] == "paper"
    assert [each["name"] for each in document["dissimilarity"]["cccr"]] == ["work"]
    assert "root causes: instructions" in " ".join(explanation_lines(found))
    ours = analyze(found.experiment)
    assert note not in verdict_lines(ours)
    assert findings_document(ours, Path("x.cube"))["method"] == "autoanalyzer"
