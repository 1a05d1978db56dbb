"""Errors about notes, each a sentence in English and in Chinese that says what to do."""

from __future__ import annotations

from typing import Any, Self


class KbError(Exception):
    """An error as a sentence in both languages; `str()` is the English one."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en, zh)
        self.en = en
        self.zh = zh

    def __str__(self) -> str:
        return self.en

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors are sent between processes; a subclass is rebuilt without calling its own __init__.
        return _rebuilt, (type(self), self.en, self.zh), self.__dict__

    def sentence(self, language: str) -> str:
        """Return the Chinese sentence for "zh", otherwise the English one."""
        return self.zh if language == "zh" else self.en

    @classmethod
    def _bare(cls, en: str, zh: str) -> Self:
        error = cls.__new__(cls, en, zh)
        error.args = (en, zh)
        return error


def _rebuilt(kind: type[KbError], en: str, zh: str) -> KbError:
    return kind._bare(en, zh)  # noqa: SLF001 - the other half of __reduce__


class VaultMissing(KbError):
    """The folder of notes is not there or cannot be read."""

    def __init__(self, root: object) -> None:
        self.root = str(root)
        super().__init__(
            f"The notes folder {root} is not there or cannot be read; connect its disk or choose another folder.",
            f"笔记文件夹 {root} 不存在或无法读取；请接上它所在的磁盘，或另选一个文件夹。",
        )


class NoteMissing(KbError):
    """There is no such note or attachment in the vault."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"There is no file {path!r} in the vault; it may have been moved or deleted.",
            f"笔记库中没有文件“{path}”；它可能已被移动或删除。",
        )


class NotText(KbError):
    """The file's bytes are not text in any encoding that could be written back."""

    def __init__(self, path: str, reason: str, reason_zh: str = "") -> None:
        self.path = path
        self.reason = reason
        self.reason_zh = reason_zh or reason
        name = path or "The file"
        super().__init__(
            f"{name} cannot be shown as text: {self.reason}.",
            f"{path or '该文件'} 无法作为文本显示：{self.reason_zh}。",
        )


class NoteChanged(KbError):
    """The file on disk is not the one that was read; nothing was written."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path} was changed by another program and was not overwritten; compare both versions and choose.",
            f"{path} 已被其他程序修改，未作覆盖；请比较两个版本后再决定。",
        )


class SaveFailed(KbError):
    """The text could not be written; the file is complete, old or new."""

    def __init__(self, path: object, reason: str, reason_zh: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        self.reason_zh = reason_zh or reason
        super().__init__(
            f"{path} could not be saved: {reason}. The text is still open; save it again or elsewhere.",
            f"{path} 保存失败：{self.reason_zh}。文本仍然打开着；请重试或另存到别处。",
        )


class BadName(SaveFailed):
    """A path cannot be that of a new note."""

    def __init__(self, path: str, reason: str, reason_zh: str) -> None:
        super().__init__(path, reason, reason_zh)
        self.args = self.en, self.zh = (
            f"{path!r} cannot be the name of a note: {reason}.",
            f"{path!r} 不能作为笔记的名字：{reason_zh}。",
        )


class MoveFailed(KbError):
    """A file could not be renamed, moved or deleted; it is where it was."""

    def __init__(self, path: object, reason: str, reason_zh: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        super().__init__(
            f"{path} could not be moved: {reason}. Nothing was changed.",
            f"无法移动 {path}：{reason_zh or reason}。没有做任何改动。",
        )


class VaultNotMade(KbError):
    """The user's own vault could not be created from the shipped notes; nothing was left behind."""

    def __init__(self, root: object, reason: str, reason_zh: str = "") -> None:
        self.root = str(root)
        super().__init__(
            f"Your notes folder {root} could not be made: {reason}. Mend that, or open another folder of notes.",
            f"无法建立您的笔记文件夹 {root}：{reason_zh or reason}。请排除原因，或打开另一个笔记文件夹。",
        )


class OutsideVault(KbError):
    """The path leads out of the vault, or to something that is not a plain file; it was not opened."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path!r} does not lead to a plain file inside the vault and was not opened.",
            f"“{path}”不是笔记库内的普通文件，未被打开。",
        )


class LeadsOutside(KbError):
    """A link in a folder that is imported leads to a file outside that folder."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path!r} is a link to a file outside the imported folder and was left out.",
            f"“{path}”是指向所导入文件夹之外的链接，未导入。",
        )


class AlreadyInVault(KbError):
    """The folder to import is inside the vault."""

    def __init__(self, place: object) -> None:
        self.place = str(place)
        super().__init__(
            f"{place} lies in this vault already; to have it elsewhere, move it.",
            f"{place} 已在这个笔记库中；要换地方，请移动它。",
        )


class BadFrontMatter(KbError):
    """The front matter is not valid YAML, so no value in it can be changed."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(
            f"The front matter cannot be changed because it is not valid YAML ({problem}); mend it in the editor.",
            f"front matter 不是有效的 YAML（{problem}），无法修改；请先在编辑器中改正。",
        )


class IndexFailed(KbError):
    """The search index can neither be opened nor rebuilt."""


class RenderFailed(KbError):
    """The note could not be rendered."""


class Cancelled(KbError):
    """The work was abandoned because its result is no longer needed."""

    def __init__(self) -> None:
        super().__init__("Nobody waits for this any more.", "已经没有谁在等待它了。")
