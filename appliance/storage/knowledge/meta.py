"""``_meta.md``: who the business is, how it speaks, what may be booked by phone (R-03)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from appliance.conversation.business import Capacity
from appliance.storage.knowledge.document import Document, Unusable, schema_problems

LANGUAGE = re.compile(r"[a-z]{2}")


def _is_language(value: str) -> str:
    if not LANGUAGE.fullmatch(value):
        raise ValueError(f"'{value}' is no language code such as 'de'")
    return value


Language = Annotated[str, AfterValidator(_is_language)]


class Strict(BaseModel):
    """Frozen; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Address(Strict):
    """Where the business is."""

    street: str
    postcode: str
    city: str
    country: str = "DE"


class CapacityRules(Strict):
    """What may be booked by phone."""

    largest_party: int = Field(default=12, ge=1, le=30)
    seats: int = Field(default=40, ge=1)
    table_minutes: int = Field(default=120, ge=5, le=24 * 60)
    last_seating_minutes: int = Field(default=60, ge=0, le=12 * 60)
    horizon_days: int = Field(default=180, ge=1, le=730)

    @property
    def rules(self) -> Capacity:
        return Capacity(**self.model_dump())


class NotificationTarget(Strict):
    """Where messages to the owner go besides the dashboard. All are off unless they stand here."""

    channel: Literal["telegram", "ntfy", "email", "webhook"]
    to: str


class Meta(Strict):
    """The front matter of ``_meta.md``."""

    tenant: str
    content_status: Literal["approved", "realistic-mock"]
    visibility: Literal["public"]
    last_review: Any
    title: str | None = None
    business_name: str = Field(min_length=1)
    business_type: str
    pack: str = Field(default="restaurant", pattern=r"^[a-z_]+$")
    address: Address
    phone: str
    """The human line, E.164."""
    website: str | None = None
    people: tuple[str, ...] = ()
    """Names of people of the house that callers say."""
    languages: tuple[Language, ...] = Field(min_length=1)
    time_zone: str = "Europe/Berlin"
    formality: Literal["du", "sie"] = "sie"
    banned_phrases: tuple[str, ...] = ()
    greeting: dict[Language, str] = Field(default_factory=dict)
    """Greeting per language, with ``{business}`` and ``{notice}``; without one, the general one is used."""
    notice: dict[Language, str]
    """Where the data-protection notice is, as spoken."""
    notify: tuple[NotificationTarget, ...] = ()
    voices: dict[Language, str] = Field(default_factory=dict)
    capacity: CapacityRules = Field(default_factory=CapacityRules)
    synonyms: tuple[tuple[str, ...], ...] = ()
    """Groups of words that mean the same in this business, for the search."""

    @field_validator("phone")
    @classmethod
    def _phone_is_international(cls, value: str) -> str:
        number = re.sub(r"[\s/()-]", "", value)
        if not re.fullmatch(r"\+[1-9]\d{6,14}", number):
            raise ValueError("write the number with its country code, such as '+49 30 1234567', in quotes")
        return number

    @field_validator("greeting")
    @classmethod
    def _greeting_has_known_values(cls, value: dict[str, str]) -> dict[str, str]:
        for text in value.values():
            try:
                text.format(business="", notice="")
            except (KeyError, IndexError, ValueError):
                raise ValueError("only {business} and {notice} may stand in braces") from None
            if "{notice}" not in text:
                raise ValueError("'{notice}' is missing: a greeting says where the data-protection notice is")
        return value

    @field_validator("time_zone")
    @classmethod
    def _zone_exists(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError(f"'{value}' is no time zone such as 'Europe/Berlin'")
        return value

    @property
    def default_language(self) -> str:
        return self.languages[0]

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


def parse_meta(document: Document) -> Meta:
    """The business of a document. Raises Unusable with the line of every mistake."""
    if problems := schema_problems(Meta, document.meta, document.node, document.file):
        raise Unusable(problems)
    meta = Meta.model_validate(document.meta)
    per_language: dict[str, Mapping[str, str]] = {
        "notice": meta.notice, "greeting": meta.greeting, "voices": meta.voices,
    }  # fmt: skip
    wrong = [
        document.problem(
            document.line_of(key, language),
            f"'{key}' speaks '{language}', which is not among the languages.",
            "Add the language to 'languages', or remove the text.",
        )
        for key, texts in per_language.items()
        for language in texts
        if language not in meta.languages
    ]
    if meta.default_language not in meta.notice:
        what = f"'notice' has no text in the default language '{meta.default_language}'."
        wrong.append(document.problem(document.line_of("notice"), what, "Add it."))
    if wrong:
        raise Unusable(wrong)
    return meta
