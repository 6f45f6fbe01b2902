"""Text on coloured cells is readable: WCAG 2.1, level AA."""

from __future__ import annotations

import subprocess
from pathlib import Path

import orjson

TWIN = Path(__file__).with_name("ink.mjs")


def luminance(colour: list[int]) -> float:
    parts = [each / 255 for each in colour]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_numbers_on_a_map_contrast_with_each_colour():
    ran = subprocess.run(["node", TWIN], capture_output=True, check=True)
    for behind, ink in orjson.loads(ran.stdout):
        low, high = sorted([luminance(behind), luminance(ink)])
        assert (high + 0.05) / (low + 0.05) >= 4.5, behind
