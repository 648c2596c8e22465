"""get_menu, get_services and get_allergens: what the menu says, and never more than it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import StringConstraints, model_validator

from appliance.conversation.business import Category, Item, Menu, Words, in_language
from appliance.conversation.models import Effect
from appliance.storage.knowledge.folding import fold, words
from appliance.tools.front_desk import Nothing
from appliance.tools.tool import Answer, Arguments, Scope, Tool

MOST_NAMED = 6
"""So many things are named in a sentence; the data hold all."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=120)]


class Part(Arguments):
    """A category of the menu, or an item when only its price is wanted; none: the list of categories."""

    category: Name | None = None


class AboutAllergens(Arguments):
    """Either an item, or an allergen to be avoided."""

    item: Name | None = None
    without: Name | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> AboutAllergens:
        if (self.item is None) == (self.without is None):
            raise ValueError("give either 'item' or 'without'")
        return self


def get_menu(scope: Scope, arguments: Part) -> Answer:
    """The categories, or what is in one."""
    menu = scope.tenant.menu
    if menu is None:
        return Answer({"categories": [], "text": scope.texts.say("menu_unknown")}, "not_available")
    if arguments.category is None:
        return _categories(scope, menu, "categories")
    if part := find_category(menu, arguments.category):
        return _items(scope, part, part.items)
    for part in menu.categories:
        if item := find_item(Menu((part,), menu.default_language), arguments.category):
            return _items(scope, part, (item,))
    answer = _categories(scope, menu, "unknown_category")
    return Answer({**answer.data, "unknown_category": arguments.category})


def get_services(scope: Scope, arguments: Nothing) -> Answer:
    """What the business offers: its categories, each with its items and prices."""
    menu = scope.tenant.menu
    if menu is None:
        return Answer({"services": [], "text": scope.texts.say("menu_unknown")}, "not_available")
    services = [
        {"category": _word(scope, part.name), "items": [_shown(scope, item) for item in part.items]}
        for part in menu.categories
    ]
    return Answer({"services": services, "text": _categories(scope, menu, "categories").data["text"]})


def get_allergens(scope: Scope, arguments: AboutAllergens) -> Answer:
    """Allergens of an item in words (R-10), or which items are free of one."""
    if arguments.without is not None:
        return _free_of(scope, arguments.without)
    name = arguments.item or ""
    item = find_item(scope.tenant.menu, name) if scope.tenant.menu else None
    if item is None:
        text = scope.texts.say("item_unknown", item=name)
        return Answer({"item": name, "known": False, "allergens": [], "text": text})
    shown = _word(scope, item.name)
    if item.allergens is None:
        text = scope.texts.say("allergens_not_stated", item=shown)
        return Answer({"item": shown, "known": False, "allergens": [], "text": text})
    found = scope.allergens.words(item.allergens, scope.language)
    spoken = scope.texts.listing(scope.allergens.words(item.allergens, scope.texts.language))
    key = "contains" if found else "contains_none"
    text = scope.texts.say(key, item=shown, allergens=spoken)
    return Answer({"item": shown, "known": True, "allergens": found, "text": text})


def find_category(menu: Menu, name: str) -> Category | None:
    """A category by any of its names, singular or plural, in any language."""
    wanted = fold(name)
    exact = [part for part in menu.categories if wanted in _names(part.name, part.also)]
    if exact:
        return exact[0]
    close = [
        part
        for part in menu.categories
        if any(_same_stem(wanted, one) for one in _names(part.name, part.also))
    ]
    return close[0] if len(close) == 1 else None


def find_item(menu: Menu, name: str) -> Item | None:
    """An item by one of its names, or by words that only its name holds. A guess is never made."""
    wanted = fold(name)
    items = [item for part in menu.categories for item in part.items]
    for item in items:
        if wanted in _names(item.name, item.also):
            return item
    parts = set(words(name))
    close = [item for item in items if any(parts <= set(one.split()) for one in _names(item.name, item.also))]
    return close[0] if parts and len(close) == 1 else None


def _free_of(scope: Scope, name: str) -> Answer:
    menu, texts = scope.tenant.menu, scope.texts
    code = scope.allergens.code_of(name)
    if menu is None or code is None:
        said = {"without": name, "free": [], "not_free": [], "unknown": []}
        text = texts.say("menu_unknown") if menu is None else texts.say("allergen_unknown", allergen=name)
        return Answer({**said, "text": text}, "not_available" if menu is None else "unknown_allergen")
    allergen = scope.allergens.name(code, scope.language)
    items = [item for part in menu.categories for item in part.items]
    free = [
        _word(scope, one.name) for one in items if one.allergens is not None and code not in one.allergens
    ]
    holding = [_word(scope, one.name) for one in items if one.allergens is not None and code in one.allergens]
    unknown = [_word(scope, one.name) for one in items if one.allergens is None]
    key = "free_of" if free else "none_free_of"
    text = texts.say(key, allergen=allergen, items=texts.first(free, MOST_NAMED))
    return Answer({"without": allergen, "free": free, "not_free": holding, "unknown": unknown, "text": text})


def _categories(scope: Scope, menu: Menu, phrase: str) -> Answer:
    names = [_word(scope, part.name) for part in menu.categories]
    return Answer(
        {"categories": names, "text": scope.texts.say(phrase, categories=scope.texts.listing(names))}
    )


def _items(scope: Scope, part: Category, items: Sequence[Item]) -> Answer:
    texts = scope.texts
    name = _word(scope, part.name)
    shown = [_shown(scope, item) for item in items]
    priced = [_with_price(scope, item) for item in items]
    if len(items) == 1:
        text = texts.say("one_item", item=priced[0], description=shown[0]["description"]).strip()
    else:
        text = texts.say("items_of", category=name, items=texts.first(priced, MOST_NAMED))
    return Answer({"category": name, "items": shown, "text": text})


def _shown(scope: Scope, item: Item) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": _word(scope, item.name),
        "price_cents": item.price_cents,
        "options": [{"name": _word(scope, one.name), "price_cents": one.price_cents} for one in item.options],
        "description": _word(scope, item.description),
    }
    return row if item.minutes is None else {**row, "minutes": item.minutes}


def _with_price(scope: Scope, item: Item) -> str:
    name = _word(scope, item.name)
    if item.price_cents is None:
        return scope.texts.say("price_on_request", name=name)
    return scope.texts.say("item_price", name=name, price=scope.texts.money(item.price_cents))


def _word(scope: Scope, text: Words) -> str:
    return in_language(text, scope.language, scope.tenant.meta.default_language)


def _names(name: Words, also: Sequence[str]) -> set[str]:
    return {fold(one) for one in (*name.values(), *also)}


def _same_stem(one: str, other: str) -> bool:
    """Equal but for a plural ending of at most two letters."""
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= 2


MENU = (
    Tool("get_menu", "Categories of the menu, or the items of one.", Effect.READ, Part, get_menu),
    Tool("get_services", "Everything that is offered, with prices.", Effect.READ, Nothing, get_services),
    Tool(
        "get_allergens",
        "Allergens of an item, or items without one.",
        Effect.READ,
        AboutAllergens,
        get_allergens,
    ),
)
