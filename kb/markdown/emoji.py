"""Emoji by their short names, as on GitHub and in chats: `:fire:`.

The table only lists names that differ from Unicode's.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

SHORT_NAME = r"(?<![A-Za-z0-9_:/\[])(?P<emoji>:[a-z0-9_+-]{1,40}:)(?![A-Za-z0-9_:`])"
_OTHER_NAMES = """
+1 👍 -1 👎 100 💯 1st_place_medal 🥇 2nd_place_medal 🥈 3rd_place_medal 🥉 arrow_down ⬇️ arrow_left ⬅️
arrow_right ➡️ arrow_up ⬆️ balance_scale ⚖️ bar_chart 📊 boom 💥 books 📚 bulb 💡 calendar 📅 chart 💹 clap 👏
clock ⏰ computer 💻 cool 😎 construction 🚧 cry 😢 exclamation ❗ eyes 👀 file_folder 📁 floppy_disk 💾 gear ⚙️
grey_question ❔ grin 😁 grinning 😀 hammer_and_wrench 🛠️ heart ❤️ heavy_check_mark ✔️ heavy_plus_sign ➕
hourglass ⌛ information_source ℹ️ joy 😂 key 🔑 lab_coat 🥼 label 🏷️ laughing 😆 left_right_arrow ↔️
light_bulb 💡 link 🔗 lock 🔒 mag 🔍 mag_right 🔎 memo 📝 mortar_board 🎓 muscle 💪 no_entry ⛔ ok 🆗 ok_hand 👌
open_mouth 😮 package 📦 page_facing_up 📄 paperclip 📎 pencil 📝 pencil2 ✏️ point_down 👇 point_left 👈
point_right 👉 point_up ☝️ poop 💩 pray 🙏 pushpin 📌 question ❓ raised_hands 🙌 recycle ♻️ robot 🤖
rotating_light 🚨 scream 😱 scroll 📜 see_no_evil 🙈 shield 🛡️ sleeping 😴 slightly_smiling_face 🙂 smile 😄
smiley 😃 smirk 😏 snail 🐌 sob 😭 sparkles ✨ star ⭐ star2 🌟 stop_sign 🛑 stopwatch ⏱️ sunglasses 😎 sunny ☀️
sweat_smile 😅 tada 🎉 test_tube 🧪 thinking 🤔 thumbsdown 👎 thumbsup 👍 timer_clock ⏲️ tools 🛠️ trophy 🏆
truck 🚚 v ✌️ warning ⚠️ wave 👋 whale 🐳 white_check_mark ✅ wink 😉 wrench 🔧 x ❌ zap ⚡
"""
_LISTED = dict(zip(words := iter(_OTHER_NAMES.split()), words, strict=False))
_FIRST, _LAST = 0x1F300, 0x1FAFF  # emoji that are coloured without a variation selector


@lru_cache(maxsize=256)
def emoji_of(name: str) -> str | None:
    """Return the emoji of a short name without its colons, None if there is none."""
    if name in _LISTED:
        return _LISTED[name]
    try:
        sign = unicodedata.lookup(name.replace("_", " ").replace("-", " "))
    except KeyError:
        return None
    return sign if len(sign) == 1 and _FIRST <= ord(sign) <= _LAST else None
