"""From text to search terms: tokens, stemming, pinyin, glossary."""
