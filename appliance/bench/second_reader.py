"""The language model as a reader of its own, over an engine process that lives as long as the benchmark."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import click

from appliance.config import load_paths
from appliance.conversation.ports import Reader
from appliance.engines.supervisor import Supervisor
from appliance.language_model.client import LanguageModel, llm_engine
from appliance.packs.restaurant import RESERVATION
from appliance.readers.candidates import SlotCandidates
from appliance.readers.normalise.values import Normalisers
from appliance.readers.second_opinion import Readable, Scope, SecondOpinion
from appliance.readers.understanding_prompt import load_prompt

TOPICS = ("hours", "menu", "allergens", "price", "services", "knowledge")
SECONDS = 10.0
"""Longer than in a call: what is measured is what it reads, not whether it is in time."""


@asynccontextmanager
async def second_readers(
    normalisers: Normalisers, languages: Sequence[str]
) -> AsyncIterator[Mapping[str, Reader]]:
    """By language. Raises ModelMissing, EngineDown."""
    paths = load_paths()
    supervisor = Supervisor(
        (llm_engine(paths),), paths.data / "logs", lambda line: click.echo(line, err=True)
    )
    await supervisor.start()
    try:
        model = LanguageModel(supervisor.client("language_model"))
        candidates = SlotCandidates(normalisers)
        prompts = {one: load_prompt(paths.knowledge / "prompts", one, candidates) for one in languages}
        for prompt in prompts.values():
            await model.hold(prompt.prefix)
        reader = SecondOpinion(
            model,
            prompts,
            Scope({"book": RESERVATION}, TOPICS),
            Readable(normalisers.values, candidates),
            sequence="bench",
            seconds=SECONDS,
        )
        yield dict.fromkeys(languages, reader)
    finally:
        await supervisor.stop()
