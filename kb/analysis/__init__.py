"""Turns text into search terms: tokens, stemming, pinyin, glossary."""
