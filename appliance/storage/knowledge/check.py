"""Everything that is wrong in a tenant's folder, for ``tresen check``."""

from __future__ import annotations

from pathlib import Path

from appliance.storage.knowledge.allergens import Allergens
from appliance.storage.knowledge.document import Problem, Unusable
from appliance.storage.knowledge.tenant import PAGE, TenantFiles


def check_tenant(root: Path, tenant_id: str, allergens: Allergens) -> list[Problem]:
    """All problems, in the order of files and lines. Raises KnowledgeError when there is no such tenant."""
    files = TenantFiles(root, tenant_id, allergens)
    problems = [
        Problem(
            f"{tenant_id}/{path.name}", 1, "This file is not known, so it is not loaded.",
            "Known are _meta.md, menu.md, hours.md, policies.md, faq.md and e.g. faq.en.md.", "warning",
        )
        for path in sorted(files.folder.glob("*.md"))
        if path.name != "_meta.md" and not PAGE.fullmatch(path.name)
    ]  # fmt: skip
    try:
        problems += files.current().problems
    except Unusable as wrong:
        problems += wrong.problems
    return sorted(problems, key=lambda problem: (problem.file, problem.line))
