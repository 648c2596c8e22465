"""A tenant's folder, read when it changes; a bad edit leaves the last good version in force (R-04, R-05)."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from appliance.conversation.business import Hours, Menu, Section, Words
from appliance.conversation.models import TenantProfile, Vocabulary
from appliance.errors import KnowledgeError
from appliance.storage.knowledge.allergens import Allergens
from appliance.storage.knowledge.document import (
    Document,
    Missing,
    NotPublic,
    Problem,
    Unusable,
    read_document,
)
from appliance.storage.knowledge.hours import parse_hours
from appliance.storage.knowledge.menu import parse_menu
from appliance.storage.knowledge.meta import Meta, parse_meta

TENANT_ID = re.compile(r"[a-z0-9_-]+")
PAGE = re.compile(r"(menu|hours|policies|faq)(?:\.([a-z]{2}))?\.md")
ALSO = re.compile(r"^- (?:Auch|Also): *(.*)$", re.MULTILINE)
REQUIRED = ("menu.md", "hours.md", "policies.md", "faq.md")
Stamp = tuple[int, int, int]
Content = TypeVar("Content", Meta, Menu, Hours)


@dataclass(frozen=True)
class Tenant:
    """All that a business's files say, at one moment."""

    meta: Meta
    menu: Menu | None
    """None: the file is missing or was never good."""
    hours: Hours | None
    """None: missing, unreadable or never good; whether it is open can't be told (R-12)."""
    sections: tuple[Section, ...]
    problems: tuple[Problem, ...]
    content_mock: bool

    allergens: Allergens

    @property
    def profile(self) -> TenantProfile:
        """What the conversation must know."""
        meta = self.meta
        return TenantProfile(
            id=meta.tenant,
            name=meta.business_name,
            languages=meta.languages,
            formality=meta.formality,
            phone=meta.phone,
            notice=meta.notice[meta.default_language],
            time_zone=meta.time_zone,
            largest_party=meta.capacity.largest_party,
            content_mock=self.content_mock,
            banned_phrases=meta.banned_phrases,
            vocabulary=self._vocabulary(),
            notices=meta.notice,
            greetings=meta.greeting,
            allergens=self.allergens.all_names(meta.languages),
        )

    def _vocabulary(self) -> Vocabulary:
        """Names as on the menu first, then those of other languages and those that callers use."""
        meta, default = self.meta, self.meta.default_language
        parts = self.menu.categories if self.menu else ()
        items = [item for part in parts for item in part.items]
        return Vocabulary(
            dishes=_names([(item.name, item.also) for item in items], default),
            categories=_names([(part.name, part.also) for part in parts], default),
            names=(meta.business_name, meta.address.street, meta.address.city, *meta.people),
        )


@dataclass(frozen=True)
class _Page:
    """What a good file holds."""

    content: Meta | Menu | Hours | None
    sections: tuple[Section, ...]
    mock: bool


@dataclass(frozen=True)
class _Kept:
    """A file as it was last looked at; ``page`` is its last good version."""

    stamp: Stamp | None
    page: _Page | None
    problems: tuple[Problem, ...] = ()


@dataclass
class TenantFiles:
    """Gives the tenant as its files are now; a file is parsed again only when it has changed."""

    root: Path
    """The knowledge folder that holds the tenants."""
    id: str
    allergens: Allergens
    _kept: dict[str, _Kept] = field(default_factory=dict)
    _tenant: Tenant | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.folder = tenant_folder(self.root, self.id)

    def current(self) -> Tenant:
        """The tenant now. Raises KnowledgeError when ``_meta.md`` can't be used at all."""
        with self._lock:
            stamps = {name: _stamp(self.folder / name) for name in self._names()}
            if self._tenant is None or stamps != {name: kept.stamp for name, kept in self._kept.items()}:
                self._tenant = self._read(stamps)
            return self._tenant

    def _names(self) -> list[str]:
        here = {path.name for path in self.folder.glob("*.md") if PAGE.fullmatch(path.name)}
        return ["_meta.md", *sorted(here | set(REQUIRED))]

    def _read(self, stamps: dict[str, Stamp | None]) -> Tenant:
        before = self._content("_meta.md", Meta)
        self._kept = {name: self._kept[name] for name in stamps if name in self._kept}
        if self._has_changed("_meta.md", stamps["_meta.md"]):
            self._refresh("_meta.md", stamps["_meta.md"], None)
        meta = self._content("_meta.md", Meta)
        if meta is None:
            raise Unusable(self._kept["_meta.md"].problems)
        for name, stamp in stamps.items():
            if name != "_meta.md" and (meta != before or self._has_changed(name, stamp)):
                self._refresh(name, stamp, meta)
        pages = [self._kept[name].page for name in stamps]
        return Tenant(
            meta,
            self._content("menu.md", Menu),
            self._content("hours.md", Hours),
            tuple(section for page in pages if page for section in page.sections),
            tuple(problem for name in stamps for problem in self._kept[name].problems),
            any(page.mock for page in pages if page),
            self.allergens,
        )

    def _refresh(self, name: str, stamp: Stamp | None, meta: Meta | None) -> None:
        last = self._kept[name].page if name in self._kept else None
        try:
            self._kept[name] = _Kept(stamp, self._parse(name, meta))
        except (NotPublic, Missing) as wrong:
            self._kept[name] = _Kept(stamp, None, wrong.problems)
        except Unusable as wrong:
            self._kept[name] = _Kept(stamp, last, wrong.problems)

    def _parse(self, name: str, meta: Meta | None) -> _Page:
        path = self.folder / name
        if not path.resolve().is_relative_to(self.folder):
            what = "The file is a link that leads out of the tenant's folder, so it is not loaded."
            raise NotPublic([Problem(f"{self.id}/{name}", 1, what, "Put the file itself here.")])
        document = read_document(path, self.id)
        mock = document.meta["content_status"] == "realistic-mock"
        page = PAGE.fullmatch(name)
        if page is None or meta is None:
            return _Page(parse_meta(document), (), mock)
        default = meta.default_language
        match page[1], page[2]:
            case "menu", None:
                return _Page(parse_menu(document, default, self.allergens), (), mock)
            case "menu", _:
                mend = "Write lines such as '- Name en: …' and '- Text en: …' in menu.md."
                raise Unusable([document.problem(1, "A menu is not translated in a file of its own.", mend)])
            case "hours", None:
                hours = parse_hours(document, default)
                return _Page(hours, _sections(document, "hours", meta, default), mock)
            case kind, language:
                if language and language not in meta.languages:
                    mend = "Add the language to 'languages' in _meta.md, or remove the file."
                    raise Unusable([document.problem(1, f"The business does not speak '{language}'.", mend)])
                return _Page(None, _sections(document, kind, meta, language or default), mock)

    def _has_changed(self, name: str, stamp: Stamp | None) -> bool:
        return name not in self._kept or self._kept[name].stamp != stamp

    def _content(self, name: str, kind: type[Content]) -> Content | None:
        page = self._kept[name].page if name in self._kept else None
        return page.content if page and isinstance(page.content, kind) else None


def tenant_folder(root: Path, tenant_id: str) -> Path:
    """The folder of a tenant, without links. Raises KnowledgeError when there is none, or it lies outside."""
    if not TENANT_ID.fullmatch(tenant_id):
        raise KnowledgeError(f"'{tenant_id}' is no tenant id: use a-z, 0-9, '-' and '_'.")
    folder = (root / tenant_id).resolve()
    if not folder.is_relative_to(root.resolve()):
        raise KnowledgeError(f"The folder of tenant '{tenant_id}' is a link that leads out of {root}.")
    if not folder.is_dir():
        known = ", ".join(list_tenants(root)) or "none"
        raise KnowledgeError(f"There is no tenant '{tenant_id}' in {root}. Known are: {known}.")
    return folder


def list_tenants(root: Path) -> list[str]:
    """Ids of all folders with a ``_meta.md``; the template is no tenant."""
    return sorted(
        path.parent.name
        for path in root.glob("*/_meta.md")
        if TENANT_ID.fullmatch(path.parent.name) and not path.parent.name.startswith("_")
    )


def knowledge_root(configured: Path, chosen: str | None) -> Path:
    """The knowledge folder: the configured one, or a folder inside it that the environment chose (R-02)."""
    if not chosen:
        return configured
    folder = (configured / chosen).resolve()
    if ".." in Path(chosen).parts or not folder.is_relative_to(configured.resolve()):
        raise KnowledgeError(f"The knowledge folder '{chosen}' does not lie inside {configured}.")
    return folder


def _names(entries: Sequence[tuple[Words, tuple[str, ...]]], default: str) -> tuple[str, ...]:
    own = [name[default] for name, _ in entries]
    others = [one for name, also in entries for one in (*name.values(), *also)]
    return tuple(dict.fromkeys([*own, *others]))


def _sections(document: Document, page: str, meta: Meta, language: str) -> tuple[Section, ...]:
    source = document.meta.get("title") or meta.business_name
    found = []
    for block in document.blocks:
        also = ALSO.search(block.text)
        text = ALSO.sub("", block.text).strip()
        if block.level in (0, 2, 3) and text:
            others = tuple(word.strip() for word in also[1].split(",")) if also else ()
            found.append(Section(page, str(source), block.title or str(source), text, language, others))
    return tuple(found)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
