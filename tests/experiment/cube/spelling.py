"""The XML that the tools of CUBE read: a grammar that is far stricter than XML's.

Derived from their parser: a declaration, attributes and empty elements have one spelling, elements have one order, and
only marked ones are optional.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_DECLARATION: Final = re.compile(r'<\?xml version="1\.0" encoding="UTF-8"\?>\s*')
_START: Final = re.compile(r'<([a-z_]+)((?: [A-Za-z]+="[^"<\n]*")*)>')
_SINGLE: Final = re.compile(r'<(attr|dim)((?: [A-Za-z]+="[^"<\n]*")*)/>')
_END: Final = re.compile(r"</([a-z_]+)>")
_TEXT: Final = re.compile(r"[^<]+")

# Element → pattern of the names of its children, each followed by a space; None: it contains text.
_CONTENT: Final = {
    "cube": "(?:attr )*metrics program system (?:severity )?",
    "metrics": "(?:metric )*",
    "metric": "disp_name uniq_name dtype uom url descr (?:metric )*",
    "program": "(?:region )+(?:cnode )+",
    "region": "name url descr ",
    "cnode": "(?:cnode )*",
    "system": "(?:(?:machine )+|(?:systemtreenode )+)(?:topologies )?",
    "machine": "name (?:node )+",
    "node": "name (?:process )+",
    "process": "name rank (?:thread )+",
    "thread": "name rank ",
    "systemtreenode": "name class (?:locationgroup )*(?:systemtreenode )*",
    "locationgroup": "name rank type (?:location )+",
    "location": "name rank type ",
    "topologies": "(?:cart )*",
    "cart": "(?:dim )+(?:coord )+",
    "severity": "(?:matrix )*",
    "matrix": "(?:row )*",
    "attr": "",
    "dim": "",
    **dict.fromkeys(
        ["disp_name", "uniq_name", "dtype", "uom", "url", "descr", "name", "class", "type", "rank", "coord", "row"]
    ),
}
_NUMBER: Final = "-?[0-9]+"
_WORD: Final = '[^"]*'

# Element → pattern of its attributes, which must be in this order.
_ATTRIBUTES: Final = {
    "cube": ' version="(?:3.0|4.4)"',
    "attr": f' key="{_WORD}" value="{_WORD}"',
    "metric": f' id="{_NUMBER}"(?: type="(?:EXCLUSIVE|INCLUSIVE)")?',
    "region": f' id="{_NUMBER}" mod="{_WORD}" begin="{_NUMBER}" end="{_NUMBER}"',
    "cnode": f' id="{_NUMBER}" calleeId="{_NUMBER}"(?: line="{_NUMBER}" mod="{_WORD}")?',
    "cart": f'(?: name="{_WORD}")? ndims="{_NUMBER}"',
    "dim": f'(?: name="{_WORD}")? size="{_NUMBER}" periodic="(?:true|false)"',
    "coord": f' (?:thrdId|locId)="{_NUMBER}"',
    "matrix": f' metricId="{_NUMBER}"',
    "row": f' cnodeId="{_NUMBER}"',
    **dict.fromkeys(
        ["machine", "node", "process", "thread", "systemtreenode", "locationgroup", "location"], f' Id="{_NUMBER}"'
    ),
}
_NUMBERS: Final = {"rank": rf"{_NUMBER}", "coord": rf"{_NUMBER}(?: {_NUMBER})*", "row": r"[-+.0-9a-z\n]+"}


@dataclass
class _Open:
    tag: str
    children: str = ""
    text: str = ""


def check_spelling(document: str) -> None:
    """Assert that the tools of CUBE would read this text.

    Raises:
        AssertionError: They would not read it; the message contains the place.
    """
    start = _DECLARATION.match(document)
    assert start, f"expected the declaration, found {document[:50]!r}"
    at = start.end()
    stack = [_Open("")]
    while at < len(document):
        rest = document[at : at + 60]
        if found := _SINGLE.match(document, at):
            _check_attributes(*found.groups())
            stack[-1].children += f"{found[1]} "
        elif found := _START.match(document, at):
            _check_attributes(*found.groups())
            assert found[1] not in ("attr", "dim"), f"expected a closed element, found {rest!r}"
            stack[-1].children += f"{found[1]} "
            stack.append(_Open(found[1]))
        elif found := _END.match(document, at):
            assert found[1] == stack[-1].tag, f"expected </{stack[-1].tag}>, found {rest!r}"
            _check_content(stack.pop())
        else:
            found = _TEXT.match(document, at)
            assert found, f"found {rest!r}"
            stack[-1].text += found[0]
        at = found.end()
    assert [each.tag for each in stack] == [""], "expected the end of the document"
    assert stack[0].children == "cube "


def _check_attributes(tag: str, attributes: str) -> None:
    assert tag in _CONTENT, f"expected a known element, found <{tag}>"
    assert re.fullmatch(_ATTRIBUTES.get(tag, ""), attributes), f"found <{tag}{attributes}>"


def _check_content(element: _Open) -> None:
    content = _CONTENT[element.tag]
    if content is None:
        assert not element.children, f"expected text in <{element.tag}>, found {element.children}"
        assert re.fullmatch(_NUMBERS.get(element.tag, ".*"), element.text, re.DOTALL), f"<{element.tag}>{element.text}"
        return
    assert not element.text.strip(), f"expected elements in <{element.tag}>, found {element.text.strip()[:50]!r}"
    assert re.fullmatch(content, element.children), f"<{element.tag}> holds {element.children}"
