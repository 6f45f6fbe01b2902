"""The examples in the documentation run, and print the documented output."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"


def test_the_examples_print_what_stands_beside_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    expected = re.findall(r"^print\(.*\)\s+# (.*)$", "".join(blocks), re.M)
    assert capsys.readouterr().out.splitlines() == expected
    assert len(expected) > 10
