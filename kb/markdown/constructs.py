"""The constructs between two delimiters that Torchleaf adds to Markdown. All readers take them from here."""

from __future__ import annotations

from kb.markdown.mark import MARK
from kb.markdown.strikethrough import STRIKETHROUGH

CONSTRUCTS = (STRIKETHROUGH, MARK)
SPAN_CLASSES = {construct.tag: construct.span_class for construct in CONSTRUCTS if construct.span_class}
