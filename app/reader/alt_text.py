"""What is drawn on a page, in words for who does not see it.

Qt reads a formula or a picture out as one letter without a name, and has no way to give it one. So the page says that
there are some and how to have them in words, and a picture that the keyboard comes to is told by its own.
"""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

from app.i18n import Translator
from app.reader.page_set import PageSet
from app.reader.selection_text import plain_text
from kb.rendering.rendered_page import Prose

_OBJECT = "\ufffc"


def drawn_summary(pages: PageSet, words: Translator) -> str:
    """Return how many formulas and pictures a page has, and that copied they are words; nothing where it has none."""
    proses = [part.html for side in pages.sides() for section in pages.pages[side].sections for part in section.parts
              if isinstance(part, Prose) and "<img" in part.html]  # fmt: skip
    formulas = sum(prose.count('src="formula:') for prose in proses)
    pictures = sum(prose.count("<img") for prose in proses) - formulas
    told = (
        words(f"{formulas} 个公式，复制得到 LaTeX", f"{formulas} formula{'s' * (formulas > 1)}, copied as LaTeX"),
        words(f"{pictures} 张图片，复制得到说明文字", f"{pictures} picture{'s' * (pictures > 1)}, copied as words"),
    )
    return words("；", "; ").join(one for one, count in zip(told, (formulas, pictures), strict=True) if count)


def alt_text_at(cursor: QTextCursor, words: Translator) -> str:
    """Return what a picture that is selected is called; nothing where none is."""
    if _OBJECT not in cursor.selectedText():
        return ""
    return plain_text(cursor).strip() or words("图片", "picture")
