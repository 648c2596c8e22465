"""Tools that every trade has: search_knowledge, escalate_to_human, end_call."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from appliance.conversation.business import Section, in_language
from appliance.conversation.models import Effect
from appliance.storage.knowledge.tenant import Tenant
from appliance.storage.outbox import enqueue, instant
from appliance.tools.search import LONGEST_QUERY
from appliance.tools.texts import Texts
from appliance.tools.tool import Answer, Arguments, Scope, Tool, new_id

LARGEST_OUTPUT = 1536
"""Bytes of JSON that a search may return (R-06)."""
LONGEST_TEXT = 320
LETTERS = re.compile(r"\s*\([A-N](?:\s*,\s*[A-N])*\)")
"""Allergen letters, which nobody hears (R-10)."""
MARKUP = re.compile(r"[*_`]|^\s*[-*]\s+", re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ„\"0-9])")

Short = Annotated[str, StringConstraints(min_length=1, max_length=80)]


class Query(Arguments):
    """A question in the caller's words."""

    query: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY)]


class Escalation(Arguments):
    """Why a person is needed, and what the person should know."""

    reason: Short
    summary: Annotated[str, StringConstraints(max_length=1000)] = ""
    urgency: Literal["low", "normal", "high"] = "normal"


class Nothing(Arguments):
    """No arguments."""


def search_knowledge(scope: Scope, arguments: Query) -> Answer:
    """Up to three sections that answer, or ``found: false``."""
    sections = searchable(scope.tenant, scope.language, scope.texts)
    hits = scope.search.find(sections, arguments.query, scope.tenant.meta.synonyms)
    if not hits:
        return Answer({"found": False, "sections": [], "text": scope.texts.say("not_found")})
    text = shortened(hits[0].section.text, LONGEST_TEXT)
    told: list[dict[str, str]] = []
    data: dict[str, Any] = {"found": True, "sections": told, "text": text}
    for section in (hit.section for hit in hits):
        told.append({"source": section.source, "title": section.title, "text": LETTERS.sub("", section.text)})
        if _size(data) > LARGEST_OUTPUT:
            told[-1]["text"] = shortened(section.text, LONGEST_TEXT)
        if _size(data) > LARGEST_OUTPUT:
            told.pop()
            break
    return Answer(data)


def escalate_to_human(scope: Scope, arguments: Escalation) -> Answer:
    """Tell the owner, once for each reason in a call (R-15), and say how the caller goes on."""
    meta = scope.tenant.meta
    known = next(
        scope.db.query(
            "select id, way from escalations where call_id = ? and reason = ?",
            [scope.call_id, arguments.reason],
        ),
        None,
    )
    way = "human_line" if arguments.urgency == "high" and not meta.notify else "callback"
    if known is not None:
        return _escalated(scope, known["id"], known["way"])
    escalation_id = new_id(
        "ESC", lambda one: not scope.db.execute("select 1 from escalations where id = ?", [one]).fetchone()
    )
    row = {
        "id": escalation_id, "tenant": meta.tenant, "call_id": scope.call_id, **arguments.model_dump(),
        "way": way, "phone": scope.caller, "created_at": instant(scope.now),
    }  # fmt: skip
    scope.db.table("escalations").insert(row)
    enqueue(
        scope.db, tenant=meta.tenant, kind="escalation", about=escalation_id, urgency=arguments.urgency,
        payload=row, now=scope.now,
    )  # fmt: skip
    return _escalated(scope, escalation_id, way)


def end_call(scope: Scope, arguments: Nothing) -> Answer:
    """The call is over."""
    return Answer({"text": scope.texts.say("goodbye")})


def searchable(tenant: Tenant, language: str, texts: Texts) -> list[Section]:
    """Every page in a language where it is there, else in the business's own; and the menu."""
    spoken = {one.page for one in tenant.sections if one.language == language}
    default = tenant.meta.default_language
    pages = [one for one in tenant.sections if one.language == (language if one.page in spoken else default)]
    return pages + _menu_sections(tenant, language, texts)


def shortened(text: str, longest: int) -> str:
    """Whole sentences up to a length; a single longer one is cut between words."""
    plain = " ".join(MARKUP.sub("", LETTERS.sub("", text)).split())
    kept = ""
    for sentence in SENTENCE_END.split(plain):
        if kept and len(kept) + 1 + len(sentence) > longest:
            break
        kept = f"{kept} {sentence}".strip()
    return kept if len(kept) <= longest else kept[:longest].rsplit(" ", 1)[0] + " …"


def _menu_sections(tenant: Tenant, language: str, texts: Texts) -> list[Section]:
    menu = tenant.menu
    if menu is None:
        return []
    default = menu.default_language
    found = []
    for part in menu.categories:
        source = in_language(part.name, language, default)
        for item in part.items:
            name = in_language(item.name, language, default)
            price = (
                ""
                if item.price_cents is None
                else texts.say("costs", name=name, price=texts.money(item.price_cents))
            )
            described = in_language(item.description, language, default)
            text = " ".join(piece for piece in (described, price) if piece)
            found.append(Section("menu", source, name, text, language, item.also))
    return found


def _escalated(scope: Scope, escalation_id: str, way: str) -> Answer:
    phone = scope.tenant.meta.phone
    text = scope.texts.say(f"escalated_{way}", phone=phone)
    return Answer({"id": escalation_id, "way": way, "phone": phone, "text": text})


def _size(data: dict[str, Any]) -> int:
    return len(json.dumps(data, ensure_ascii=False).encode())


FRONT_DESK = (
    Tool(
        "search_knowledge",
        "Find what the business wrote about a question.",
        Effect.READ,
        Query,
        search_knowledge,
    ),
    Tool(
        "escalate_to_human",
        "Hand over to a person, with the reason.",
        Effect.ESCALATE,
        Escalation,
        escalate_to_human,
    ),
    Tool("end_call", "End the call after the goodbye.", Effect.END, Nothing, end_call),
)
