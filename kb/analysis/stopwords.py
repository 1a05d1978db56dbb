"""Stop words in both languages: they join others and say little themselves."""

from __future__ import annotations

EMPTY = 0.15  # weight of a stop word among other words
_ENGLISH = """
a about after all also an and any are as at be been before but by can could did do does during each for from had has
have he her his how i if in instead into is it its me my no not of off on one onto or our out over per several she
should since so some such than that the their them then there these they this those through to too under until up upon
versus very via vs was we were what when where which while who whom whose why will with without would you your
"""
_CHINESE = """
一个 一些 一下 一样 不能 不会 不要 不是 也是 为何 什么 为什 以及 以后 以前 他们 会有 但是 作为 你的 使得 使用 其他 再用
如何 如果 它们 对于 就是 应该 我们 或者 所以 所有 所谓 时候 时的 是否 有没 有些 没有 然后 由于 的话 直接 能否 能不 要不
要用 这个 这些 这样 通过 那个 那么 都是 都有 里面 需要 可以 可能 因为 还是 而且 关于 两个 之后 之前 之间 各个 多少 几个
"""
_CHARACTERS = frozenset("的了吗呢么怎哪吧啊")
_WORDS = frozenset(_ENGLISH.split())
_PAIRS = frozenset(_CHINESE.split())


def is_stopword(term: str) -> bool:
    """Return whether a Latin word or a pair of Chinese characters is a stop word."""
    return term in _WORDS or term in _PAIRS or (len(term) == 2 and not _CHARACTERS.isdisjoint(term))  # noqa: PLR2004
