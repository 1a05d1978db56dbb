"""Marked text: `==words==`."""

from __future__ import annotations

from kb.markdown.delimited_construct import DelimitedConstruct

MARK = DelimitedConstruct(
    name="mark",
    delimiter="==",
    tag="mark",
    priority=65,
    operator=True,  # x==1 and y==2 compare
    span_class="mark",
    css="background: #fff3a3",
    background="mark",
)
