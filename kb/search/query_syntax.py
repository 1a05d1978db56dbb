"""What can be typed into the search field, in one table: reading, completion, chips and every help text use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TRIED = "tried"  # asked of `Proven` as a status, but not typed: whatever has a recorded run


@dataclass(frozen=True)
class SyntaxExample:
    """A way to search: an example that works as it is, and what it finds, in both languages."""

    example: str
    zh: str
    en: str


@dataclass(frozen=True)
class FilterValue:
    """A value of a filter and its meaning in both languages. `spellings`: how it is typed, the canonical one first."""

    spellings: str
    zh: str
    en: str

    @property
    def name(self) -> str:
        """The canonical spelling, which the index and the ledger use."""
        return self.spellings.split()[0]


@dataclass(frozen=True)
class FilterKind:
    """A filter and its example in the help; without `values` it takes any text, "modified" also takes dates.

    `spellings`: how its name is typed, the canonical one first, the one that is the Chinese label last. `label`: the
    English label if it is not the canonical name.
    """

    spellings: str
    example: SyntaxExample
    values: tuple[FilterValue, ...] = ()
    label: str = ""

    @property
    def name(self) -> str:
        """The canonical name, which `Filter.name` holds."""
        return self.spellings.split()[0]

    @property
    def zh(self) -> str:
        """The Chinese label on chips."""
        return self.spellings.split()[-1]

    @property
    def en(self) -> str:
        """The English label on chips."""
        return self.label or self.name


_KINDS = (
    FilterKind("tag tags 标签", SyntaxExample("tag:indexing", "有这个标签的笔记；也可写 标签:", "notes with a tag")),
    FilterKind(
        "lang language 语言",
        SyntaxExample("lang:zh dropout", "只要中文（zh）、英文（en）", "in Chinese (zh) or English (en) only"),
        (
            FilterValue("zh cn chinese 中文 汉语", "中文", "Chinese"),
            FilterValue("en english 英文 英语", "英文", "English"),
            FilterValue("mixed 中英 双语", "中英混排", "both in one"),
        ),
        label="language",
    ),
    FilterKind("path 路径", SyntaxExample("path:tensors", "路径里有这些字的笔记", "notes whose path has this in it")),
    FilterKind("title 标题", SyntaxExample("title:gather", "标题里的词", "words of headings")),
    FilterKind("code 代码", SyntaxExample("code:no_grad", "代码里的词", "words of code")),
    FilterKind(
        "has 含 包含",
        SyntaxExample(
            "has:snippet",
            "有代码片段、图片（image）、表格（table）、公式（math）的小节",
            "with code to run, an image, a table, math",
        ),
        (
            FilterValue("snippet snippets 片段 代码段", "可以运行的代码", "code that can be run"),
            FilterValue("image images picture pictures 图 图片", "图片", "a picture"),
            FilterValue("table tables 表 表格", "表格", "a table"),
            FilterValue("code 代码", "代码块", "a block of code"),
            FilterValue("math formula formulas 公式", "公式", "a formula"),
            FilterValue("task tasks todo 任务 待办", "待办事项", "a task"),
            FilterValue("link links 链接", "链接", "a link"),
        ),
    ),
    FilterKind(
        "status 状态",
        SyntaxExample(
            "status:failed",
            "代码运行失败（failed）、待重跑（stale）、通过（passed）的笔记",
            "notes whose code failed, is stale, or passed",
        ),
        (
            FilterValue("failed 失败", "运行失败", "its code failed"),
            FilterValue("stale 过期", "代码改过，还没重跑", "its code changed since it ran"),
            FilterValue("passed 通过", "运行通过", "its code passed"),
            FilterValue("never 未运行 从未运行 没运行", "还没运行过", "its code never ran"),
            FilterValue("unavailable 不可用", "此处不可用", "not available here"),
        ),
    ),
    FilterKind(
        "device 设备",
        SyntaxExample("device:cuda", "代码能在某种设备上运行的笔记", "notes whose code is meant for a device"),
        (
            FilterValue("cuda gpu 显卡", "能在 NVIDIA GPU 上运行", "runs on an NVIDIA GPU"),
            FilterValue("cpu", "能在 CPU 上运行", "runs on the CPU"),
            FilterValue("mps", "能在 Apple GPU 上运行", "runs on an Apple GPU"),
            FilterValue("xpu", "能在 Intel GPU 上运行", "runs on an Intel GPU"),
        ),
    ),
    FilterKind(
        "modified 修改 修改于",
        SyntaxExample(
            "modified:>2026-01",
            "在某天、某月之后（>）或之前（<）改过；也可写 week、month",
            "changed after (>) or before (<) a day or month; also: week, month",
        ),
        (
            FilterValue("today 今天", "今天改过", "changed today"),
            FilterValue("week 一周", "一周之内改过", "changed within a week"),
            FilterValue("month 一月 一个月", "一个月之内改过", "changed within a month"),
            FilterValue("year 一年", "一年之内改过", "changed within a year"),
        ),
    ),
)
FILTERS: Mapping[str, FilterKind] = {kind.name: kind for kind in _KINDS}  # by canonical name, in the help's order

SYNTAX_EXAMPLES = (
    SyntaxExample(
        "mixed precision", "含有这些词的小节；最后一个词边打边补全", "sections with these words; the last one may go on"
    ),
    SyntaxExample(
        "显存",
        "也找英文里的 GPU memory；英文词同样找到中文笔记",
        "Chinese finds English notes of the same meaning, and vice versa",
    ),
    SyntaxExample("hunhejingdu", "拼音或首字母也能找到标题和标签", "pinyin, or its initials, for titles and tags"),
    SyntaxExample(
        "RuntimeError: CUDA error: device-side assert triggered",
        "粘贴整段报错，路径和行号会被忽略",
        "paste an error as it is: paths and line numbers are set aside",
    ),
    SyntaxExample('"running mean"', "原样出现的一段话，不改错、不换词", "these words as they stand, nothing corrected"),
    SyntaxExample("barrier -apex", "不要含有某个词的小节", "without sections that have a word"),
    SyntaxExample("gather OR scatter_", "两者有其一即可", "one or the other"),
    *(kind.example for kind in _KINDS),
)
