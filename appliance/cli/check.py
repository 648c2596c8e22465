"""``tresen check``: is a tenant's knowledge right? Every mistake with file, line and how to mend it."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from appliance.config import load_paths
from appliance.errors import UsageError


@click.command()
@click.argument("tenants", nargs=-1, metavar="[TENANT]…")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
def command(tenants: tuple[str, ...], as_json: bool) -> int:
    """Check the knowledge files of tenants; without an argument, of all."""
    from appliance.storage.knowledge.allergens import load_allergens
    from appliance.storage.knowledge.check import check_tenant
    from appliance.storage.knowledge.tenant import list_tenants

    root = load_paths().knowledge
    known = list_tenants(root)
    if unknown := [one for one in tenants if one not in known]:
        raise UsageError(f"There is no tenant '{unknown[0]}'. Known are: {', '.join(known)}.")
    allergens = load_allergens(root / "allergens.yaml")
    found = {one: check_tenant(root, one, allergens) for one in tenants or known}
    errors = sum(problem.severity == "error" for problems in found.values() for problem in problems)
    if as_json:
        click.echo(json.dumps({one: [asdict(problem) for problem in all_] for one, all_ in found.items()}))
        return 1 if errors else 0
    for one, problems in found.items():
        for problem in problems:
            click.echo(str(problem))
        wrong = sum(problem.severity == "error" for problem in problems)
        click.echo(f"{one}: {'good' if not wrong else f'{wrong} to mend'}")
    return 1 if errors else 0
