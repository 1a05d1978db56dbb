"""What can be typed into the search field, in one table: the window's help, its chips and the command line show it."""

from __future__ import annotations

from dataclasses import dataclass

NAMED = {
    "tag": ("标签", "tag"),
    "lang": ("语言", "language"),
    "path": ("路径", "path"),
    "title": ("标题", "title"),
    "code": ("代码", "code"),
    "has": ("包含", "has"),
    "status": ("状态", "status"),
    "device": ("设备", "device"),
    "modified": ("修改于", "modified"),
}
VALUES = {
    ("lang", "zh"): ("中文", "Chinese"),
    ("lang", "en"): ("英文", "English"),
    ("lang", "mixed"): ("中英混排", "both in one"),
    ("has", "snippet"): ("可以运行的代码", "code that can be run"),
    ("has", "image"): ("图片", "a picture"),
    ("has", "table"): ("表格", "a table"),
    ("has", "code"): ("代码块", "a block of code"),
    ("has", "math"): ("公式", "a formula"),
    ("has", "task"): ("待办事项", "a task"),
    ("has", "link"): ("链接", "a link"),
    ("status", "failed"): ("运行失败", "its code failed"),
    ("status", "stale"): ("代码改过，还没重跑", "its code changed since it ran"),
    ("status", "passed"): ("运行通过", "its code passed"),
    ("status", "never"): ("还没运行过", "its code never ran"),
    ("status", "unavailable"): ("此处不可用", "not available here"),
    ("device", "cuda"): ("能在 NVIDIA GPU 上运行", "runs on an NVIDIA GPU"),
    ("device", "cpu"): ("能在 CPU 上运行", "runs on the CPU"),
    ("device", "mps"): ("能在 Apple GPU 上运行", "runs on an Apple GPU"),
    ("device", "xpu"): ("能在 Intel GPU 上运行", "runs on an Intel GPU"),
    ("modified", "today"): ("今天改过", "changed today"),
    ("modified", "week"): ("一周之内改过", "changed within a week"),
    ("modified", "month"): ("一个月之内改过", "changed within a month"),
    ("modified", "year"): ("一年之内改过", "changed within a year"),
}


@dataclass(frozen=True)
class SyntaxExample:
    """A way to ask: an example that works as it stands, and what it finds."""

    example: str
    zh: str
    en: str


SYNTAX_EXAMPLES = (
    SyntaxExample("mixed precision", "含有这些词的小节；最后一个词边打边补全",
           "sections with these words; the last one may go on"),
    SyntaxExample("显存", "也找英文里的 GPU memory；英文词同样找到中文笔记",
           "Chinese finds English notes of the same meaning, and vice versa"),
    SyntaxExample("hunhejingdu", "拼音或首字母也能找到标题和标签", "pinyin, or its initials, for titles and tags"),
    SyntaxExample("RuntimeError: CUDA error: device-side assert triggered", "粘贴整段报错，路径和行号会被忽略",
           "paste an error as it is: paths and line numbers are set aside"),
    SyntaxExample('"running mean"', "原样出现的一段话，不改错、不换词", "these words as they stand, nothing corrected"),
    SyntaxExample("barrier -apex", "不要含有某个词的小节", "without sections that have a word"),
    SyntaxExample("gather OR scatter_", "两者有其一即可", "one or the other"),
    SyntaxExample("tag:indexing", "有这个标签的笔记；也可写 标签:", "notes with a tag"),
    SyntaxExample("lang:zh dropout", "只要中文（zh）、英文（en）", "in Chinese (zh) or English (en) only"),
    SyntaxExample("path:tensors", "路径里有这些字的笔记", "notes whose path has this in it"),
    SyntaxExample("title:gather", "标题里的词", "words of headings"),
    SyntaxExample("code:no_grad", "代码里的词", "words of code"),
    SyntaxExample("has:snippet", "有代码片段、图片（image）、表格（table）、公式（math）的小节",
           "with code to run, an image, a table, math"),
    SyntaxExample("status:failed", "代码运行失败（failed）、待重跑（stale）、通过（passed）的笔记",
           "notes whose code failed, is stale, or passed"),
    SyntaxExample("device:cuda", "代码能在某种设备上运行的笔记", "notes whose code is meant for a device"),
    SyntaxExample("modified:>2026-01", "在某天、某月之后（>）或之前（<）改过；也可写 week、month",
           "changed after (>) or before (<) a day or month; also: week, month"),
)  # fmt: skip
