"""The style sheets of a theme: for all widgets, for the named parts of the window, and for a note's document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from app.style.theme import MONO, SANS, Theme

TEXT_PX = 15  # pixels of prose at zoom 1
BOX_ROOM = 32  # pixels left and right of a quote or a callout, together
GUTTER = 44  # pixels between two languages side by side
_FOLDER = Path(__file__).parent.as_posix()
_CHEVRON = f"{_FOLDER}/chevron.svg"


def window_sheet(t: Theme) -> str:
    """Return the sheet for bars, panels, popups and notifications, by their object names."""
    return _bars(t) + _choosers(t) + _panels(t) + _popups(t) + _notices(t)


def _bars(t: Theme) -> str:
    return f"""
QPushButton[accent="true"]:focus {{ border: 2px solid {t.on_accent}; padding: 4px 11px; }}
#focusLine {{ background: {t.accent}; border: none; }}
#topBar {{ background: {t.panel}; border-bottom: 1px solid {t.line}; }}
#statusBar {{ background: {t.panel}; border-top: 1px solid {t.line}; }}
#findBar {{ background: {t.panel}; border-top: 1px solid {t.line}; }}
QLabel#status {{ border: 1px solid transparent; border-radius: 5px; padding: 0 2px; }}
QLabel#status:focus {{ border-color: {t.accent}; }}
QLabel#status, QToolButton#isolation {{ color: {t.dim}; font-size: 13px; }}
QToolButton#isolation {{ padding: 1px 6px; }}
#statusBar QProgressBar {{ max-height: 4px; min-height: 4px; }}
QLineEdit#searchField {{ border-radius: 8px; padding: 6px 10px 6px 4px; font-size: 14px; }}
QLabel#searchHint {{ color: {t.dim}; font-size: 13px; background: transparent; }}
#settingsPage, #settingsInner, #welcomePage, #welcomeInner, #helpPage, #helpArea, #helpInner {{
  background: {t.page}; border: none; }}
QLabel#vaultName {{ font-weight: 600; }}
QLabel#settingsTitle {{ font-size: 18px; font-weight: 700; margin-top: 14px; }}
QLabel#welcomeTitle {{ font-size: 26px; font-weight: 700; }}
QLabel#welcomeTold {{ font-size: 15px; }}
QFrame#welcomeFolder {{ background: {t.code}; border: 1px solid {t.line}; border-radius: 7px; }}
QPushButton#welcomeMake:focus {{ border: 2px solid {t.ink}; padding: 4px 11px; }}
QLabel#welcomeFailed {{ color: {t.bad}; }}
QLabel#keysTold {{ color: {t.bad}; }}
#replacer {{ background: {t.page}; border: none; }}
QTreeWidget#replacerList {{ background: {t.page}; }}
QTreeWidget#replacerList::item:selected {{ background: {t.accent_soft}; color: {t.ink}; }}
QLabel#replacerTold {{ color: {t.dim}; }}
QLabel#replacerTold[wrong="true"] {{ color: {t.bad}; }}
#central, QStackedWidget {{ background: {t.page}; }}
QLabel#emptyPage {{ color: {t.dim}; background: {t.page}; font-size: 15px; }}
QTabBar#tabs {{ background: {t.panel}; border-bottom: 1px solid {t.line}; }}
QTabBar#tabs::tab {{ padding: 7px 10px; max-width: 220px; }}
QTabBar#tabs::scroller {{ width: 44px; }}
QTabBar#tabs::tear {{ width: 0; border: none; }}
QToolButton#ScrollLeftButton, QToolButton#ScrollRightButton {{ background: {t.panel}; padding: 0; border-radius: 5px;
  border-color: transparent; }}
QToolButton#ScrollLeftButton:hover, QToolButton#ScrollRightButton:hover {{ border-color: {t.accent}; }}
QToolButton#tabCloser {{ padding: 1px; border-radius: 5px; }}
QTabBar#tabs::tab:selected {{ background: {t.page}; }}
"""


def _choosers(t: Theme) -> str:
    return f"""
QFrame#modeSwitch {{ background: {t.panel}; border: 1px solid {t.line}; border-radius: 8px; }}
QFrame#modeSwitch QToolButton {{ background: transparent; color: {t.dim}; border: 1px solid transparent;
  border-radius: 7px; padding: 4px 11px; font-size: 14px; }}
QFrame#modeSwitch QToolButton:hover {{ color: {t.ink}; }}
QFrame#modeSwitch QToolButton:focus {{ border-color: {t.accent}; }}
QFrame#modeSwitch QToolButton:checked {{ background: {t.accent_soft}; color: {t.accent}; font-weight: 700; }}
QToolButton#chooser {{ background: {t.field}; padding: 5px 11px; border-radius: 8px; }}
"""


def _panels(t: Theme) -> str:
    return f"""
#treePanel, #outlinePanel, #outlineInner {{ background: {t.panel}; }}
QLabel#caption {{ color: {t.dim}; font-size: 12px; padding: 2px 9px; qproperty-indent: 0; }}
QLabel#treeEmpty {{ color: {t.dim}; padding: 6px 9px; }}
QTreeView#noteTree {{ background: {t.panel}; }}
QTreeView#noteTree::item, QTreeView#noteTree::item:selected, QTreeView#noteTree::item:hover {{
  background: transparent; }}
#tagArea, #tagArea > QWidget > QWidget {{ background: {t.panel}; border: none; }}
QLabel#tags:focus {{ border-color: {t.accent}; }}
QLabel#tags {{ border: 1px solid transparent; border-radius: 5px; padding: 0 8px; font-size: 14px; color: {t.dim}; }}
QPushButton#outlineLine {{ text-align: left; padding: 2px 8px; border: 1px solid transparent; border-radius: 5px;
  background: transparent; font-weight: 400; color: {t.ink}; }}
QPushButton#outlineLine[cited="true"] {{ color: {t.dim}; font-size: 13px; padding: 0 8px 3px 8px; }}
QPushButton#outlineLine:hover {{ background: {t.hover}; }}
QPushButton#outlineLine:checked {{ color: {t.accent}; font-weight: 700; background: transparent; }}
QToolButton#linkIt {{ color: {t.accent}; font-size: 13px; padding: 1px 6px; border: 1px solid transparent;
  border-radius: 5px; background: transparent; }}
QToolButton#linkIt:hover, QToolButton#linkIt:focus {{ border-color: {t.accent}; }}
QToolButton#linkIt:disabled {{ color: {t.dim}; }}
QPushButton#outlineLine:focus {{ border-color: {t.accent}; }}
"""


def _popups(t: Theme) -> str:
    return f"""
QFrame[popup="true"], #palette, #prompt {{ background: {t.field}; border: 1px solid {t.popup_line}; }}
QLabel#promptCaption {{ font-weight: 700; }}
QLabel#promptHint {{ color: {t.dim}; font-size: 13px; }}
QLabel#promptHint[wrong="true"] {{ color: {t.bad}; }}
QListView#resultsList {{ background: {t.field}; }}
QListView#resultsList::item, QListView#resultsList::item:selected, QListView#resultsList::item:hover {{
  background: transparent; padding: 0; }}
QLabel#resultsFooter {{ color: {t.dim}; font-size: 13px; padding: 5px 12px 4px 12px; }}
QLabel#resultsMessage {{ padding: 8px 12px 4px 12px; }}
QPushButton#chip {{ background: {t.accent_soft}; color: {t.accent}; border: 1px solid transparent; border-radius: 11px;
  padding: 1px 10px; font-size: 13px; }}
QPushButton#chip:hover {{ border-color: {t.accent}; }}
QPushButton#chip[stray="true"] {{ background: {t.code}; color: {t.warn}; border: 1px dashed {t.warn}; }}
QLabel#dropHint {{ background: {_through(t.accent_soft)}; color: {t.accent}; border: 2px dashed {t.accent};
  border-radius: 12px; padding: 24px; font-size: 18px; font-weight: 600; }}
QLineEdit#paletteField {{ border-radius: 8px; padding: 7px 10px; }}
"""


def _notices(t: Theme) -> str:
    return f"""
QFrame#notice {{ background: {t.accent_soft}; border-bottom: 1px solid {t.line}; }}
QFrame#notice[kind="failed"] {{ background: {t.code}; }}
QFrame#notice[kind="failed"] QLabel#noticeSign {{ color: {t.bad}; }}
QLabel#noticeSign {{ color: {t.accent}; font-weight: 700; }}
"""


def _through(colour: str) -> str:
    """Return a colour ("#rrggbb") with 90 % opacity, as "#aarrggbb"."""
    return f"#e6{colour[1:]}"


def with_fonts(theme: Theme, text: str, code: str) -> Theme:
    """Return a theme with these font families before those of the system; an empty name changes nothing."""
    prose = f"'{_name(text)}', {SANS}" if text else SANS
    return replace(theme, prose_font=prose, code_font=f"'{_name(code)}', {MONO}" if code else MONO)


def _name(family: str) -> str:
    """Return a family name without characters that would end its quotation in a style sheet."""
    return "".join(char for char in family if char not in "'\"\\,;{}\n")


def families(fonts: str) -> list[str]:
    """Return the names in a style sheet's list of fonts, as QFont takes them."""
    return list(_families(fonts))


def in_columns(fonts: str = MONO) -> str:
    """Return the sheet of a widget that shows code or output; the window's sheet would override a font."""
    return f"font-family: {fonts}; font-size: 13px;"


@lru_cache(maxsize=16)
def _families(fonts: str) -> tuple[str, ...]:
    return tuple(name.strip().strip("'") for name in fonts.split(","))


def document_sheet(theme: Theme, zoom: float = 1.0) -> str:
    """Return the sheet of a note's document; `zoom` scales every size."""
    return _text(theme, zoom) + _blocks(theme, zoom) + _admonitions(theme) + _code(theme)


def _before_chinese(fonts: str) -> str:
    """Return the families of a list that precede its first Chinese one."""
    return fonts.partition(", 'Noto Sans CJK SC'")[0]


def _scale(zoom: float) -> Callable[[float], str]:
    """Return a function that scales a size in pixels to a length of a style sheet, such as 15px."""
    return lambda size: f"{max(1, round(size * zoom))}px"


def _text(theme: Theme, zoom: float) -> str:
    px = _scale(zoom)
    return f"""
body {{ color: {theme.ink}; }}
p, li, dd, dt {{ line-height: {px(25)}; }}
p {{ margin-top: 0; margin-bottom: {px(10)}; }}
ul, ol {{ margin-top: 0; margin-bottom: {px(10)}; }}
li {{ margin-top: 0; margin-bottom: {px(3)}; }}
li ul, li ol {{ margin-bottom: {px(3)}; }}
a {{ color: {theme.accent}; text-decoration: underline; text-decoration-color: {theme.underline}; }}
a code, a span.gap, a.foot {{ text-decoration: none; }}
h6.h1 {{ color: {theme.head}; font-size: {px(27)}; font-weight: 700; margin-top: {px(26)}; margin-bottom: {px(8)}; }}
h6.h2 {{ color: {theme.head}; font-size: {px(21)}; font-weight: 700; margin-top: {px(24)}; margin-bottom: {px(7)}; }}
h6.h3 {{ color: {theme.head}; font-size: {px(17)}; font-weight: 700; margin-top: {px(18)}; margin-bottom: {px(6)}; }}
h6.h4, h6.h5, h6.h6, p.h4 {{
  color: {theme.head}; font-size: {px(15)}; font-weight: 700; margin-top: {px(14)}; margin-bottom: {px(5)}; }}
h6.h5 {{ color: {theme.dim}; }}
h6.h6 {{ font-size: {px(13)}; color: {theme.dim}; }}
code, kbd, samp, tt, pre {{ font-family: {theme.code_font}; font-size: {px(13)}; }}
h6.h1 code {{ font-size: {px(24)}; }}
h6.h2 code {{ font-size: {px(19)}; }}
h6.h3 code {{ font-size: {px(15)}; }}
pre {{ white-space: pre-wrap; line-height: {px(20)}; margin: 0; }}
h6.first, h6.twin {{ margin-top: 0; }}
"""


def _blocks(theme: Theme, zoom: float) -> str:
    px = _scale(zoom)
    return f"""
td.left {{ padding-right: {px(GUTTER / 2)}; }}
td.right {{ padding-left: {px(GUTTER / 2)}; }}
td.top-h1 {{ padding-top: {px(30)}; }}
td.top-h2 {{ padding-top: {px(26)}; }}
td.top-h3 {{ padding-top: {px(20)}; }}
td.top-h4 {{ padding-top: {px(14)}; }}
td.top-prose {{ padding-top: {px(5)}; }}
td.top-lead {{ padding-top: {px(10)}; }}
td.bar {{ padding: {px(7)} {px(6)} {px(10)} {px(14)}; }}
td.bar-end {{ padding: {px(7)} {px(14)} {px(10)} {px(6)}; }}
td.box-code {{ padding: {px(9)} {px(14)} {px(12)} {px(14)}; }}
td.box-labelled {{ padding: {px(2)} {px(14)} {px(12)} {px(14)}; }}
td.code-label {{ padding: {px(5)} {px(6)} 0 {px(14)}; }}
td.code-copy {{ padding: {px(5)} {px(14)} 0 {px(6)}; }}
td.beside {{ padding-top: {px(10)}; }}
p.small {{ color: {theme.dim}; font-size: {px(12)}; line-height: {px(17)}; margin: 0; }}
td.code-copy a {{ color: {theme.dim}; text-decoration: none; }}
p.formula {{ margin-top: {px(4)}; margin-bottom: {px(14)}; }}
div {{ line-height: {px(25)}; margin-bottom: {px(10)}; }}
p.figure {{ margin-bottom: {px(4)}; }}
p.caption {{ color: {theme.dim}; font-size: {px(13)}; line-height: {px(19)}; margin-bottom: {px(14)}; }}
tquote {{ font-family: {_before_chinese(theme.prose_font)}, 'Noto Sans CJK KR', 'DejaVu Sans', sans-serif; }}
span.gap {{ font-family: {theme.code_font}; font-size: {px(6)}; }}
td.box-quote, td.box-note, td.box-tip, td.box-important, td.box-warning, td.box-caution {{
  padding: {px(6)} {px(BOX_ROOM / 2)}; }}
td.t {{ padding: {px(6)} {px(10)}; border-bottom: 1px solid {theme.line}; vertical-align: middle;
  line-height: {px(25)}; }}
p.facts {{ color: {theme.dim}; font-size: {px(13)}; line-height: {px(19)}; margin-bottom: {px(12)}; }}
p.title {{ margin-bottom: {px(2)}; }}
del {{ color: {theme.dim}; }}
a.task-box {{ color: transparent; text-decoration: none; }}
dd {{ margin-bottom: {px(6)}; }}
div.footnote, div.footnote p, div.footnote li {{ font-size: {px(13)}; color: {theme.dim}; }}
td.th {{ font-weight: 700; color: {theme.dim}; }}
dt {{ font-weight: 700; }}
"""


def _admonitions(theme: Theme) -> str:
    colours = {"note": theme.accent, "tip": theme.good, "important": theme.keyword}
    colours |= {"warning": theme.warn, "caution": theme.bad}
    titles = (f"p.{kind}-title {{ color: {colour}; font-weight: 700; }}" for kind, colour in colours.items())
    return "\n".join(titles)


# The element that colours each of Pygments' short classes: keywords, strings, numbers, names that matter, comments,
# errors and diffs. Elements instead of classes: Qt finds rules by element name, but tries each rule of a class on
# every element, and code has thousands.
TOKENS = {
    name: element
    for element, names in {
        "tkeyword": "k kc kd kn kp kr kt ow nb bp",
        "tstring": "s sa sb sc dl sd s2 se sh si sx sr s1 ss gi",
        "tnumber": "m mb mf mh mi mo il no",
        "tfunction": "nf fm nc nt nx",
        "tdecorator": "nd ni na nl vc vg vi vm",
        "tdim": "ch cpf gp go gh gu",
        "tcomment": "c cm c1 cs",
        "tbad": "err gd gr gt ne",
        "tstrong": "gs",
    }.items()
    for name in names.split()
}


def _code(theme: Theme) -> str:
    colours = {name: getattr(theme, name) for name in ("keyword", "string", "number", "function", "decorator", "bad")}
    colours |= {"dim": theme.dim, "comment": theme.dim}
    rules = (f"t{name} {{ color: {colour}; }}" for name, colour in colours.items())
    return "\n".join(rules) + "\ntcomment { font-style: italic; }\ntstrong { font-weight: 700; }\n"


def widget_sheet(theme: Theme) -> str:
    """Return the sheet for all widgets by their class.

    Properties that a widget may set: `quiet` for a button without a frame, `accent` for the main button,
    `dim` for a secondary label, `panel` for a side panel.
    """
    return _bases(theme) + _inputs(theme) + _lists(theme) + _scroll_bars(theme)


def _bases(t: Theme) -> str:
    return f"""
QWidget {{ color: {t.ink}; font-family: {SANS}; font-size: 14px; }}
QMainWindow, QDialog {{ background: {t.panel}; }}
QToolTip {{ background: {t.field}; color: {t.ink}; border: 1px solid {t.line}; padding: 5px 8px;
  font-family: {SANS}; font-size: 13px; }}
QLabel[dim="true"] {{ color: {t.dim}; font-size: 13px; }}
QLabel[dim="true"][wrong="true"] {{ color: {t.bad}; }}
QSplitter::handle {{ background: {t.line}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QWidget[panel="true"] {{ background: {t.panel}; }}
QStatusBar {{ background: {t.panel}; border-top: 1px solid {t.line}; color: {t.dim}; }}
QStatusBar QLabel {{ color: {t.dim}; font-size: 13px; }}
QStatusBar::item {{ border: none; }}
QToolBar {{ background: {t.panel}; border: none; border-bottom: 1px solid {t.line}; padding: 7px 10px; spacing: 8px; }}
QTextEdit, QPlainTextEdit {{ background: {t.page}; border: none; selection-background-color: {t.selection};
  selection-color: {t.ink}; }}
QProgressBar {{ background: {t.line}; border: none; border-radius: 2px; max-height: 4px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 2px; }}
"""


def _inputs(t: Theme) -> str:
    return f"""
QLineEdit, QPlainTextEdit, QTextEdit {{ placeholder-text-color: {t.dim}; }}
QLineEdit, QSpinBox, QComboBox {{ background: {t.field}; border: 1px solid {t.line}; border-radius: 7px;
  padding: 5px 10px; selection-background-color: {t.selection}; selection-color: {t.ink}; }}
QLineEdit:focus, QSpinBox:focus, QComboBox:focus {{ border-color: {t.accent}; }}
QSpinBox {{ padding-right: 0; }}
QSpinBox QLineEdit {{ border: none; padding: 0 10px; background: transparent; }}
QSpinBox::up-button, QSpinBox::down-button {{ width: 0; border: none; }}
QPlainTextEdit#lines {{ background: {t.field}; border: 1px solid {t.line}; border-radius: 7px; padding: 2px 6px; }}
QPlainTextEdit#lines:focus {{ border-color: {t.accent}; }}
QComboBox {{ combobox-popup: 0; }}
QComboBox QAbstractItemView {{ background: {t.field}; border: 1px solid {t.line}; border-radius: 0; padding: 4px; }}
QComboBox QAbstractItemView:focus {{ border-color: {t.line}; }}
QComboBox QAbstractItemView::item {{ min-height: 22px; }}
QComboBox QAbstractItemView::item:selected {{ background: {t.accent_soft}; color: {t.accent}; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox::down-arrow {{ image: url("{_CHEVRON}"); width: 16px; height: 16px; }}
QPushButton, QToolButton {{ background: {t.field}; border: 1px solid {t.line}; border-radius: 7px; padding: 5px 12px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {t.accent}; }}
QPushButton:focus, QToolButton:focus {{ border-color: {t.accent}; }}
QPushButton:checked, QToolButton:checked {{ background: {t.accent_soft}; color: {t.accent}; font-weight: 600; }}
QPushButton:disabled, QToolButton:disabled {{ color: {t.dim}; }}
QPushButton[accent="true"] {{ background: {t.accent}; color: {t.on_accent}; border-color: {t.accent};
  font-weight: 600; }}
QPushButton[accent="true"]:disabled {{ background: {t.field}; color: {t.dim}; border-color: {t.line}; }}
QPushButton[quiet="true"], QToolButton[quiet="true"] {{ background: transparent; border-color: transparent; }}
QPushButton[quiet="true"]:hover, QToolButton[quiet="true"]:hover {{ background: {t.accent_soft}; }}
QPushButton[quiet="true"]:checked, QToolButton[quiet="true"]:checked {{ background: {t.accent_soft}; }}
QPushButton[quiet="true"]:focus, QToolButton[quiet="true"]:focus {{ border-color: {t.accent}; }}
QToolButton::menu-indicator, QPushButton::menu-indicator {{ image: none; width: 0; }}
QCheckBox {{ spacing: 7px; border: 1px solid transparent; border-radius: 5px; padding: 1px 4px; }}
QCheckBox:focus {{ border-color: {t.accent}; }}
QCheckBox::indicator, QTreeView::indicator {{ width: 13px; height: 13px; border: 1px solid {t.dim}; border-radius: 4px;
  background: {t.field}; }}
QCheckBox::indicator:checked, QTreeView::indicator:checked {{ background: {t.accent}; border-color: {t.accent};
  image: url("{_FOLDER}/tick-{"dark" if t.dark else "light"}.svg"); }}
QTreeView::indicator:indeterminate {{ background: {t.accent}; border-color: {t.accent};
  image: url("{_FOLDER}/part-{"dark" if t.dark else "light"}.svg"); }}
"""


def _lists(t: Theme) -> str:
    return f"""
QTreeView, QListView, QTableView {{ background: {t.panel}; border: 1px solid transparent; border-radius: 6px;
  outline: none; selection-background-color: {t.accent_soft}; selection-color: {t.ink}; }}
QTreeView:focus, QListView:focus, QTableView:focus {{ border-color: {t.accent}; }}
QTreeView::item, QListView::item {{ padding: 4px 8px; border-radius: 6px; }}
QTableView::item {{ padding: 3px 8px; }}
QTreeView::item:hover, QListView::item:hover {{ background: {t.hover}; }}
QTreeView::item:selected, QListView::item:selected {{ background: {t.accent_soft}; color: {t.accent}; }}
QListView::item {{ border-left: 3px solid transparent; }}
QListView::item:selected {{ border-left-color: {t.accent}; }}
QTreeView::branch:selected {{ background: transparent; }}
QHeaderView::section {{ background: {t.panel}; color: {t.dim}; border: none; border-bottom: 1px solid {t.line};
  padding: 5px 8px; }}
QMenuBar {{ background: {t.panel}; }}
QMenuBar::item:selected {{ background: {t.accent_soft}; border-radius: 5px; }}
QMenu {{ background: {t.field}; border: 1px solid {t.line}; padding: 5px; }}
QMenu::item {{ padding: 6px 26px 6px 12px; border-radius: 5px; border-left: 3px solid transparent; }}
QMenu::item:selected {{ background: {t.accent_soft}; color: {t.accent}; border-left-color: {t.accent}; }}
QMenu::item:disabled {{ color: {t.dim}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 5px 8px; }}
QTabBar::tab {{ background: transparent; color: {t.dim}; padding: 6px 12px; border: none;
  border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ color: {t.ink}; border-bottom-color: {t.accent}; }}
QTabWidget::pane {{ border: none; }}
"""


def _scroll_bars(t: Theme) -> str:
    return f"""
QScrollBar {{ background: transparent; border: none; margin: 0; }}
QScrollBar:vertical {{ width: 11px; }}
QScrollBar:horizontal {{ height: 11px; }}
QScrollBar::handle {{ background: {t.line}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {t.dim}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""
