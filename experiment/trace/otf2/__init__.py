"""Read OTF2 traces, which Score-P, TAU, EZTrace and others write, with OTF2's own reader."""

from .reader import OTF2_SUFFIX, read_otf2

__all__ = ["OTF2_SUFFIX", "read_otf2"]
