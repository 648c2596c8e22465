"""Whatever an editor does to a file, the answer is a list of mistakes and never a crash."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appliance.storage.knowledge.check import check_tenant
from tests.fakes.desk import ALLERGENS, copy_tenant

pytestmark = pytest.mark.unit

FILES = ("_meta.md", "menu.md", "hours.md", "policies.md", "faq.md")
YAML = [
    "---",
    "null",
    "[]",
    "{}",
    "- ",
    ": ",
    "|",
    "!!python/object:os.system",
    "&a [*a]",
    "<<: 1",
    "0x1",
    "\t",
]
VALUES = ["\x00", "2026-99-99", "99:99-00:00", "closed", "-1", "1e999", "%"]
MARKDOWN = ["###", "##", "<!--", "- Preis:", "- Allergene: ()", "- Auch:"]
SNIPPETS = st.one_of(st.sampled_from(YAML + VALUES + MARKDOWN), st.text(max_size=12))


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(FILES), line=st.integers(0, 60), snippet=SNIPPETS, insert=st.booleans())
def test_a_changed_line_never_crashes_the_check(name: str, line: int, snippet: str, insert: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = copy_tenant("demo-friseur", Path(folder))
        path = root / "demo-friseur" / name
        lines = path.read_text("utf-8").split("\n")
        place = line % len(lines)
        lines[place : place if insert else place + 1] = [snippet]
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
        for problem in check_tenant(root, "demo-friseur", ALLERGENS):
            assert problem.line >= 1
            assert problem.what


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(FILES), content=st.binary(max_size=300))
def test_any_bytes_are_told_as_a_mistake(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = copy_tenant("demo-friseur", Path(folder))
        (root / "demo-friseur" / name).write_bytes(content)
        assert check_tenant(root, "demo-friseur", ALLERGENS)
