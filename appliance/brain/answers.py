"""Questions: which tool answers one, and what is said of its result; short, as one speaks (R-21, R-30)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from appliance.conversation.commands import AskFact
from appliance.conversation.models import Question, Say, ToolCall, ToolResult
from appliance.conversation.plain import plain
from appliance.conversation.state import Answer, Offer, OfferKind, Topic
from appliance.conversation.steps import Step

MOST_ITEMS = 3
"""So many things are named at a time."""
MOST_CATEGORIES = 5
FEWEST_DISHES = 2
MOST_SENTENCES = 2
LONGEST_QUERY = 200
LONGEST_TEXT = 220
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ„\"0-9])")
UNAVAILABLE = frozenset({"not_available", "could_not_check", "failed", "storage", "call_too_long"})


def call_for(task: Answer, topic: Topic) -> ToolCall | None:
    """The tool that answers; None when it must be asked first what is meant."""
    fact = task.fact
    about = {key: plain(value) for key, value in fact.about}
    if _is_open(fact) and not task.searched:
        return _search(fact)
    match fact.topic:
        case "hours":
            return ToolCall("get_hours", {"day": about["day"]} if "day" in about else {})
        case "menu" if "allergen" in about:
            return ToolCall("get_allergens", {"without": about["allergen"]})
        case "menu":
            part = about.get("category") or about.get("item")
            return ToolCall("get_menu", {"category": part} if part else {})
        case "price":
            part = about.get("item") or about.get("category") or topic.item
            return ToolCall("get_menu", {"category": part}) if part else None
        case "allergens" if "item" in about:
            return ToolCall("get_allergens", {"item": about["item"]})
        case "allergens" if "allergen" in about:
            return ToolCall("get_allergens", {"without": about["allergen"]})
        case "allergens":
            return ToolCall("get_allergens", {"item": topic.item}) if topic.item else None
        case "services":
            return ToolCall("get_services")
        case _:
            return _search(fact)


def is_about_dishes(result: ToolResult, dishes: Sequence[str]) -> bool:
    """Whether a found section answers a question about the menu: it names several dishes."""
    sections = result.data.get("sections") or ()
    text = sections[0]["text"].casefold() if sections else ""
    return sum(dish.casefold() in text for dish in set(dishes)) >= FEWEST_DISHES


def _is_open(fact: AskFact) -> bool:
    """A question about the menu that names nothing on it: "Habt ihr was Veganes?"."""
    return fact.topic == "menu" and not fact.about


def _search(fact: AskFact) -> ToolCall:
    return ToolCall("search_knowledge", {"query": fact.text.strip()[:LONGEST_QUERY] or fact.topic})


def answer(step: Step, fact: AskFact, result: ToolResult, *, alone: bool) -> Step:
    """Say what the tool found. ``alone``: nothing else is open, so that a question back is in place."""
    if not result.ok and result.error in UNAVAILABLE:
        return step.say("answer.failed")
    data = result.data
    match result.tool:
        case "get_hours":
            step = _hours(step, data)
        case "get_menu" if data.get("items"):
            step = _items(step, data, alone=alone)
        case "get_menu" | "get_services":
            step = _categories(step, data)
        case "get_allergens" if "without" in data:
            step = _without(step, data, known=result.ok)
        case "get_allergens":
            step = _allergens(step, data)
        case _:
            return knowledge(step, fact, data, alone=alone)
    return step.having(answered=step.state.answered + 1)


def more(step: Step) -> Step:
    """The next part of a list that was broken off."""
    rest = step.state.topic.rest
    return _listed(step.ask_nothing(), rest, alone=True) if rest else step


def knowledge(step: Step, fact: AskFact, data: Mapping[str, Any], *, alone: bool) -> Step:
    """The first sentences of the best section; never a whole one, and "not known" when there is none.

    A model may phrase this one day: the section is the evidence, the phrase is the seam.
    """
    sections = data.get("sections") or ()
    if data.get("found") and sections:
        text = first_sentences(sections[0]["text"])
        return step.say("answer.knowledge", text=text).having(answered=step.state.answered + 1)
    step = step.say("answer.not_known")
    if not alone:
        return step
    offer = Offer(OfferKind.TEAM, reason="question", summary=fact.text)
    return step.ask("offer_team.question", question=Question.YES_NO, offer=offer)


def first_sentences(text: str) -> str:
    """One or two sentences, without marks of Markdown; a very long one is cut between words."""
    plain_text = " ".join(re.sub(r"[*_`#]|^\s*[-*]\s+", "", text, flags=re.MULTILINE).split())
    sentences = SENTENCE.split(plain_text)
    kept = sentences[0]
    for sentence in sentences[1:MOST_SENTENCES]:
        if len(kept) + len(sentence) < LONGEST_TEXT:
            kept = f"{kept} {sentence}"
    return kept if len(kept) <= LONGEST_TEXT else kept[:LONGEST_TEXT].rsplit(" ", 1)[0] + " …"


def _hours(step: Step, data: Mapping[str, Any]) -> Step:
    days = data.get("days") or ()
    if not days:
        return step.say("hours.which_day")
    for day in days:
        if not day["closed"]:
            step = step.say("hours.open", date=day["date"], ranges=day["ranges"])
        elif day.get("holiday"):
            step = step.say("hours.holiday", date=day["date"], holiday=day["holiday"])
        else:
            step = step.say("hours.closed", date=day["date"])
    return step


def _items(step: Step, data: Mapping[str, Any], *, alone: bool) -> Step:
    items: Sequence[Mapping[str, Any]] = data["items"]
    names = tuple(item["name"] for item in items)
    if len(items) == 1:
        topic = Topic(category=data["category"], item=names[0], items=names)
        step = step.having(topic=topic)
        if items[0]["price_cents"] is None:
            return step.say("menu.no_price", item=names[0])
        return step.say("menu.price", item=names[0], price=items[0]["price_cents"])
    step = step.having(topic=Topic(category=data["category"], items=names))
    shown = [{"name": item["name"], "price_cents": item["price_cents"]} for item in items]
    return _listed(step, Say("menu.items", {"category": data["category"], "items": shown}), alone=alone)


def _categories(step: Step, data: Mapping[str, Any]) -> Step:
    names = data.get("categories") or [one["category"] for one in data.get("services", ())]
    key = "menu.unknown" if data.get("unknown_category") else "menu.categories"
    return step.having(topic=Topic()).say(key, categories=names[:MOST_CATEGORIES])


def _allergens(step: Step, data: Mapping[str, Any]) -> Step:
    item = data["item"]
    step = step.having(topic=Topic(item=item if data["known"] else None, items=(item,)))
    if not data["known"]:
        return step.say("allergens.not_known", item=item)
    if data["allergens"]:
        return step.say("allergens.contains", item=item, allergens=data["allergens"])
    return step.say("allergens.none", item=item)


def _without(step: Step, data: Mapping[str, Any], *, known: bool) -> Step:
    """What is free of an allergen: first among what was just talked about, else anywhere."""
    allergen, free = data["without"], list(data.get("free", ()))
    if not known:
        return step.say("allergens.unknown_allergen", allergen=allergen)
    topic = step.state.topic
    meant = [name for name in topic.items if name in free]
    if meant:
        step = step.say("allergens.free_among", allergen=allergen, items=meant[:MOST_ITEMS])
    elif not free:
        return step.say("allergens.none_free", allergen=allergen)
    else:
        key = "allergens.free_elsewhere" if topic.items else "allergens.free"
        step = step.say(key, allergen=allergen, items=free[:MOST_ITEMS])
    return step.say("allergens.traces")


def _listed(step: Step, listing: Say, *, alone: bool) -> Step:
    """The first items of a listing; when more are left and nothing else is open, offer them."""
    items = listing.values["items"]
    now, later = items[:MOST_ITEMS], items[MOST_ITEMS:]
    rest = Say("menu.more_items", {**listing.values, "items": later}) if later else None
    step = step.having(topic=replace(step.state.topic, rest=rest))
    step = step.do(Say(listing.phrase, {**listing.values, "items": now}))
    if rest is None or not alone:
        return step
    return step.ask("offer_more", question=Question.YES_NO, offer=Offer(OfferKind.MORE))
