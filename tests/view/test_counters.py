import numpy as np

from autoanalyzer.multivariate.correlation import correlation
from autoanalyzer.multivariate.formula import Formula
from autoanalyzer.multivariate.metric_space import MetricSpace, Point
from autoanalyzer.view.counters import as_typed
from autoanalyzer.view.statistics import correlation_report


def test_names_are_typed_as_a_shell_takes_them():
    assert as_typed(["a", "$x$ <b>"], {}) == "--metrics 'a,$x$ <b>'"
    assert as_typed(["tlb", "b c"], {"b c": "measured:papi:PAPI_B"}) == "--counters papi --events 'b c=PAPI_B'"
    named = {"perf::CS": "measured:papi:perf::CS:u=1:k=1", "PAPI_B": "measured:papi:PAPI_B"}
    assert as_typed(named, named) == "--counters papi:perf::CS,PAPI_B"
    both = {**named, "cycles": "measured:papi:PAPI_TOT_CYC"}
    assert as_typed(both, both) == "--counters papi:perf::CS,PAPI_B --events cycles=PAPI_TOT_CYC"


def test_of_a_derived_metric_what_it_is_made_of_is_counted():
    drawn = np.random.default_rng(0).uniform(1, 2, (3, 12))
    space = MetricSpace.of_columns(
        dict(zip(("sent", "messages", "tlb"), drawn, strict=True)),
        [Point(rank) for rank in range(12)],
        derived=[Formula.parse("size=sent/messages"), Formula.parse("relative=size/2-1")],
        metrics=("relative", "tlb"),
    )
    assert correlation_report(correlation(space)).document["next"] == "--metrics sent,messages,tlb"
