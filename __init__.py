"""Find what is slow in an SPMD program: on which ranks, where in the source, and why."""

# The function that renders experiments in notebooks, as MODULE:FUNCTION; imported on first use.
NOTEBOOK_RENDERER = "autoanalyzer.view.notebook:notebook_html"

__version__: str


def __getattr__(name: str) -> str:
    """Return ``__version__``, read on first use, because every compilation imports this package and must start fast."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415

    return version("autoanalyzer")
