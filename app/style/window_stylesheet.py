"""The style sheet of the window's own parts, beside that of widgets in general."""

from __future__ import annotations

from app.style.theme import Theme


def window_sheet(t: Theme) -> str:
    """Return the sheet for bars, panels, popups and notices, by their object names."""
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
#centre, QStackedWidget {{ background: {t.page}; }}
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
#palette, #prompt {{ background: {t.field}; border: 1px solid {t.line}; border-radius: 9px; }}
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
    """Return a colour ("#rrggbb") that leaves a hint of what lies under it."""
    return f"#e6{colour[1:]}"
