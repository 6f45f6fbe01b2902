"""What is slow in an SPMD program, on which ranks, where in the source, and why."""

# What shows an experiment in a notebook, as an entry point: imported by the first one that is shown.
NOTEBOOK_RENDERER = "autoanalyzer.view.notebook:notebook_html"

__version__: str


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: compiles, which start this package each time, do without."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415

    return version("autoanalyzer")
