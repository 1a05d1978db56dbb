"""Struck text: `~~words~~`."""

from __future__ import annotations

from kb.markdown.delimited_construct import DelimitedConstruct

STRIKETHROUGH = DelimitedConstruct(name="strike", delimiter="~~", tag="s", priority=66)
