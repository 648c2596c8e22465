"""``menu.md``: ``##`` category, ``###`` item, below it price, options, allergens as lines (R-04)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.conversation.business import Category, Item, Menu, Option, Words
from appliance.storage.knowledge.allergens import Allergens
from appliance.storage.knowledge.document import Block, Document, Problem, Unusable
from appliance.storage.knowledge.folding import fold

FIELD = re.compile(r"^\s*(?:[-*]\s+)?\**([A-Za-zÄÖÜäöü]+(?: [a-z]{2})?)\**\s*:\**\s*(.*)$")
FIELDS = {
    "preis": "price", "price": "price",
    "allergene": "allergens", "allergens": "allergens",
    "optionen": "options", "options": "options",
    "auch": "also", "also": "also",
    "dauer": "minutes", "duration": "minutes",
    "name": "name", "text": "text",
}  # fmt: skip
PRICE = re.compile(r"(?:€\s*|EUR\s*)?(\d{1,4})(?:[.,](\d{1,2}))?\s*(?:€|EUR|Euro)?", re.IGNORECASE)
SURCHARGE = re.compile(r"^(.*?)\s*(?:\+\s*(.*))?$")
ALLERGEN = re.compile(r"^(.*?)\s*\(([A-Za-z0-9]+)\)$")
MINUTES = re.compile(r"(\d{1,3})\s*(?:Minuten|Min\.?|minutes|min)?", re.IGNORECASE)
NONE = ("keine", "none")


def parse_menu(document: Document, default_language: str, allergens: Allergens) -> Menu:
    """The menu of a document. Raises Unusable with the line of every mistake."""
    reader = _MenuReader(document, default_language, allergens)
    menu = reader.menu()
    if reader.problems:
        raise Unusable(reader.problems)
    return menu


class _MenuReader:
    """Collects every problem of a file, so that all are told at once."""

    def __init__(self, document: Document, default_language: str, allergens: Allergens) -> None:
        self.document = document
        self.default_language = default_language
        self.allergens = allergens
        self.problems: list[Problem] = []

    def menu(self) -> Menu:
        heads: list[Block] = []
        items: list[list[Item]] = []
        names: dict[str, int] = {}
        for block in self.document.blocks:
            if block.level == 2:
                heads.append(block)
                items.append([])
            elif block.level == 3 and not heads:
                self._wrong(
                    block.line, f"'{block.title}' stands in no category.", "Put a '##' heading above it."
                )
            elif block.level == 3:
                if fold(block.title) in names:
                    what = f"'{block.title}' stands twice (line {names[fold(block.title)]})."
                    self._wrong(block.line, what, "Give each item a name of its own.")
                names[fold(block.title)] = block.line
                items[-1].append(self._item(block))
        if not names:
            self._wrong(1, "The menu holds no item.", "Write '## category' and below it '### item'.")
        parts = [self._category(head, tuple(own)) for head, own in zip(heads, items, strict=True)]
        return Menu(tuple(parts), self.default_language)

    def _category(self, block: Block, items: tuple[Item, ...]) -> Category:
        if not items:
            self._wrong(
                block.line, f"The category '{block.title}' is empty.", "Add a '###' item or remove it."
            )
        fields = {(name, language): text for name, language, text, _ in self._fields(block)}
        return Category(self._names(block.title, fields), items, _listed(fields.get(("also", None), "")))

    def _item(self, block: Block) -> Item:
        price = minutes = None
        allergens: tuple[str, ...] | None = None
        options: tuple[Option, ...] = ()
        texts: dict[tuple[str, str | None], str] = {}
        has_price = False
        for name, language, text, line in self._fields(block):
            match name:
                case "price":
                    has_price, price = True, self._price(text, line)
                case "allergens":
                    allergens = self._allergens(text, line)
                case "options":
                    options = self._options(text, line, language, options)
                case "minutes":
                    minutes = self._minutes(text, line)
                case _:
                    texts[name, language] = f"{texts.get((name, language), '')} {text}".strip()
        if not has_price:
            what = f"'{block.title}' has no price."
            self._wrong(block.line, what, "Add a line such as '- Preis: 8,50 €' or '- Preis: auf Anfrage'.")
        described = {
            language or self.default_language: text
            for (name, language), text in texts.items()
            if name == "text"
        }
        return Item(
            self._names(block.title, texts), price, described, options, allergens,
            _listed(texts.get(("also", None), "")), minutes,
        )  # fmt: skip

    def _fields(self, block: Block) -> Iterator[tuple[str, str | None, str, int]]:
        """Each line as (field, language, text, line number); free lines are ``text``."""
        for line, text in block.lines:
            match = FIELD.match(text)
            key, _, language = (match[1] if match else "").partition(" ")
            if match and key.casefold() in FIELDS:
                yield FIELDS[key.casefold()], language or None, match[2].strip(), line
            elif match and text.lstrip().startswith(("-", "*")):
                known = ", ".join(sorted({name.capitalize() for name in FIELDS}))
                self._wrong(line, f"'{match[1]}' is no field of an item.", f"Known are {known}.")
            elif text.strip():
                yield "text", None, text.strip(), line

    def _names(self, title: str, fields: dict[tuple[str, str | None], str]) -> Words:
        others = {language: text for (name, language), text in fields.items() if name == "name" and language}
        return {self.default_language: title, **others}

    def _price(self, text: str, line: int) -> int | None:
        if text.casefold() in ("auf anfrage", "on request"):
            return None
        match = PRICE.fullmatch(text)
        if match is None:
            self._wrong(line, f"The price '{text}' has no number.", "Write e.g. '8,50 €' or 'auf Anfrage'.")
            return None
        return int(match[1]) * 100 + int((match[2] or "0").ljust(2, "0"))

    def _minutes(self, text: str, line: int) -> int | None:
        match = MINUTES.fullmatch(text)
        if match is None:
            self._wrong(line, f"The duration '{text}' has no number.", "Write e.g. '45 Minuten'.")
            return None
        return int(match[1])

    def _options(
        self, text: str, line: int, language: str | None, known: tuple[Option, ...]
    ) -> tuple[Option, ...]:
        """``mit Reis; extra Käse +1,50 €``; a line in another language names the same options in order."""
        parts = [part.strip() for part in text.split(";") if part.strip()]
        if language is None:
            return tuple(self._option(part, line) for part in parts)
        if len(parts) != len(known):
            what = f"{len(parts)} options in '{language}', but {len(known)} in the line above."
            self._wrong(line, what, "Name the same options in the same order.")
            return known
        return tuple(
            Option({**option.name, language: part}, option.price_cents)
            for option, part in zip(known, parts, strict=True)
        )

    def _option(self, text: str, line: int) -> Option:
        match = SURCHARGE.match(text)
        name, price = (match[1], match[2]) if match else (text, None)
        return Option({self.default_language: name}, (self._price(price, line) or 0) if price else 0)

    def _allergens(self, text: str, line: int) -> tuple[str, ...]:
        if text.casefold().rstrip(".") in NONE:
            return ()
        codes = [code for part in _listed(text) if (code := self._allergen(part, line))]
        if not codes and not self.problems:
            self._wrong(
                line, "The list of allergens is empty.", "Write e.g. 'Gluten (A), Milch (G)' or 'keine'."
            )
        return tuple(sorted(set(codes)))

    def _allergen(self, text: str, line: int) -> str | None:
        match = ALLERGEN.match(text)
        name, code = (match[1], match[2].upper()) if match else (text, "")
        if code not in self.allergens.by_code:
            what = (
                f"'{text}' has no allergen code from A to N."
                if match is None
                else f"Unknown allergen code '{code}'."
            )
            known = self.allergens.code_of(name)
            mend = f"Write '{name} ({known})'." if known else "See knowledge/allergens.yaml."
            self._wrong(line, what, mend)
            return None
        if self.allergens.code_of(name) != code:
            meant = self.allergens.name(code, self.default_language)
            self._wrong(
                line, f"'{text}': the letter {code} means {meant}.", "Correct the name or the letter."
            )
            return None
        return code

    def _wrong(self, line: int, what: str, mend: str) -> None:
        self.problems.append(self.document.problem(line, what, mend))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
