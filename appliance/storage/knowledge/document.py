"""One knowledge file: front matter with line numbers, and the Markdown below it cut at its headings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from frontmatter.default_handlers import YAMLHandler
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.errors import KnowledgeError

LARGEST_BYTES = 256 * 1024
HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class Problem:
    """Something wrong in a file: where, what, and how to mend it."""

    file: str
    line: int
    what: str
    mend: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        mark = "warning: " if self.severity == "warning" else ""
        return f"{self.file}:{self.line}: {mark}{self.what} {self.mend}".rstrip()


class Unusable(KnowledgeError):
    """A file whose content can't be used; holds all that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class NotPublic(Unusable):
    """A file that does not say ``visibility: public``. It is never loaded, whatever was loaded before."""


class Missing(Unusable):
    """A file that is not there or can't be read."""


class FrontMatter(BaseModel):
    """What every file must say of itself (R-02). Files add keys of their own."""

    model_config = ConfigDict(extra="allow", frozen=True)

    tenant: str = Field(pattern=r"^[a-z0-9_-]+$")
    content_status: Literal["approved", "realistic-mock"]
    visibility: Literal["public"]
    last_review: Any
    title: str | None = None


@dataclass(frozen=True)
class Block:
    """A heading with the lines below it, each with its line number in the file."""

    level: int
    """1 to 6; 0 for what stands before the first heading."""
    title: str
    line: int
    lines: tuple[tuple[int, str], ...]

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.lines).strip()


@dataclass(frozen=True)
class Document:
    """A file that passed the general checks."""

    file: str
    """Path as shown to people: ``<tenant>/<name>``."""
    meta: Mapping[str, Any]
    node: yaml.Node | None
    blocks: tuple[Block, ...]

    def line_of(self, *keys: str | int) -> int:
        """The line of a key in the front matter, or of the innermost key that is there."""
        return line_of(self.node, keys)

    def problem(self, line: int, what: str, mend: str = "") -> Problem:
        return Problem(self.file, line, what, mend)


def read_document(path: Path, tenant: str) -> Document:
    """Read and check a file. Raises Unusable (or NotPublic, Missing) with file and line."""
    shown = f"{path.parent.name}/{path.name}"
    text = _read(path, shown)
    handler = YAMLHandler()
    try:
        if not handler.detect(text):
            raise ValueError
        front, body = handler.split(text)
    except ValueError:
        mend = "Begin it with a line '---', the keys of the template, and a line '---'."
        raise NotPublic(
            [Problem(shown, 1, "The file has no front matter, so it is not loaded.", mend)]
        ) from None
    node, meta = _yaml(front, shown)
    if meta.get("visibility") != "public":
        mend = "Write 'visibility: public' if callers may hear it."
        raise NotPublic(
            [Problem(shown, line_of(node, ["visibility"]), "The file is not public: not loaded.", mend)]
        )
    problems = schema_problems(FrontMatter, meta, node, shown)
    if not problems and meta["tenant"] != tenant:
        what = f"The file belongs to tenant '{meta['tenant']}', not to '{tenant}'."
        problems = [Problem(shown, line_of(node, ["tenant"]), what, f"Write 'tenant: {tenant}'.")]
    if problems:
        raise Unusable(problems)
    return Document(shown, meta, node, _blocks(body, first_line=text.count("\n") - body.count("\n") + 1))


def line_of(node: yaml.Node | None, keys: Sequence[str | int]) -> int:
    """Line (from 1, the opening ``---`` counts) of the value that ``keys`` lead to, as far as they lead."""
    line = 1 if node is None else _line(node)
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if pair[0].value == str(key)), None)
            if found is None:
                return line
            line, node = _line(found[0]), found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = _line(node)
        else:
            return line
    return line


def schema_problems(
    schema: type[BaseModel], data: Mapping[str, Any], node: yaml.Node | None, shown: str
) -> list[Problem]:
    """What a schema finds wrong with the front matter, each with its line."""
    try:
        schema.model_validate(data)
    except ValidationError as wrong:
        return [
            Problem(
                shown,
                line_of(node, error["loc"]),
                f"'{_dotted(error['loc'])}': {_said(error)}.",
                _mend(error),
            )
            for error in wrong.errors()
        ]
    return []


def _read(path: Path, shown: str) -> str:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            what = f"The file has more than {LARGEST_BYTES // 1024} KiB, so it is not loaded."
            raise Unusable([Problem(shown, 1, what, "Split it, or shorten it.")])
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC), encoding="utf-8-sig") as file:
            return file.read().replace("\r\n", "\n")
    except OSError as cause:
        what = f"The file can't be read: {cause.strerror or cause}."
        raise Missing(
            [Problem(shown, 1, what, "Copy it from knowledge/_template and fill it in.")]
        ) from cause
    except UnicodeDecodeError as cause:
        raise Unusable([Problem(shown, 1, "The file is not UTF-8 text.", "Save it as UTF-8.")]) from cause


def _yaml(front: str, shown: str) -> tuple[yaml.Node | None, dict[str, Any]]:
    text = front if front.startswith("\n") else f"\n{front}"
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        meta = yaml.safe_load(text)
    except yaml.YAMLError as cause:
        mark = getattr(cause, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        what = f"The front matter is not valid YAML: {getattr(cause, 'problem', None) or cause}."
        raise Unusable([Problem(shown, line, what, "Check indents, colons and quotes.")]) from cause
    except ValueError as cause:  # PyYAML raises it plainly for a date such as 2026-13-45
        raise Unusable(
            [Problem(shown, 1, f"The front matter holds an impossible date: {cause}.", "")]
        ) from cause
    if not isinstance(meta, dict):
        raise NotPublic(
            [Problem(shown, 1, "The front matter is empty, so the file is not loaded.", "Fill it in.")]
        )
    return node, meta


def _blocks(body: str, first_line: int) -> tuple[Block, ...]:
    visible = COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), body)
    level, title, line = 0, "", first_line
    lines: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for number, text in enumerate(visible.split("\n"), first_line):
        if heading := HEADING.match(text):
            blocks.append(Block(level, title, line, tuple(lines)))
            level, title, line, lines = len(heading[1]), heading[2], number, []
        else:
            lines.append((number, text.rstrip()))
    blocks.append(Block(level, title, line, tuple(lines)))
    return tuple(block for block in blocks if block.title or block.text)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _dotted(keys: Sequence[str | int]) -> str:
    return ".".join(str(key) for key in keys)


def _said(error: Mapping[str, Any]) -> str:
    return str(error["msg"]).removeprefix("Value error, ").rstrip(".")


def _mend(error: Mapping[str, Any]) -> str:
    match error["type"]:
        case "missing":
            return "Add the key."
        case "extra_forbidden":
            return "Remove the key, or correct its spelling."
        case _:
            return "See knowledge/_template."
