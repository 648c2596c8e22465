"""A tenant's files: what is loaded, what is refused, and how a mistake is told."""

from __future__ import annotations

import json
import os
import shutil
from datetime import date, time
from pathlib import Path

import pytest
from click.testing import CliRunner

from appliance.cli import root as tresen
from appliance.config import Paths
from appliance.conversation.business import Range
from appliance.errors import KnowledgeError
from appliance.storage.knowledge import tenant as tenant_module
from appliance.storage.knowledge.allergens import load_allergens
from appliance.storage.knowledge.check import check_tenant
from appliance.storage.knowledge.tenant import TenantFiles, knowledge_root, list_tenants
from tests.fakes.desk import ALLERGENS, KNOWLEDGE, copy_tenant

pytestmark = pytest.mark.unit


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copy_tenant("aylem", tmp_path)


def edit(root: Path, name: str, old: str, new: str, tenant: str = "aylem") -> None:
    path = root / tenant / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1_000_000))


def problems(root: Path, tenant: str = "aylem") -> list[str]:
    return [str(problem) for problem in check_tenant(root, tenant, ALLERGENS)]


def line_of(root: Path, name: str, text: str) -> int:
    lines = (root / "aylem" / name).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("tenant", ["aylem", "demo-friseur"])
def test_the_tenants_that_we_ship_are_good(tenant: str) -> None:
    assert problems(KNOWLEDGE, tenant) == []


def test_the_template_is_good_once_it_is_copied(tmp_path: Path) -> None:
    folder = tmp_path / "my-business"
    shutil.copytree(KNOWLEDGE / "_template", folder)
    assert problems(tmp_path, "my-business") == []


def test_the_demo_restaurant_is_a_whole_restaurant() -> None:
    tenant = TenantFiles(KNOWLEDGE, "aylem", ALLERGENS).current()
    assert tenant.menu is not None
    assert tenant.hours is not None
    items = [item for part in tenant.menu.categories for item in part.items]
    assert len(tenant.menu.categories) >= 8
    assert len(items) >= 45
    assert all(item.allergens is not None and item.description.keys() >= {"de", "en"} for item in items)
    assert tenant.hours.weekly[0] == ()
    assert sum(section.page == "faq" and section.language == "de" for section in tenant.sections) >= 20
    by_language = [
        [section.page for section in tenant.sections if section.language == language]
        for language in ("de", "en")
    ]
    assert by_language[0] == by_language[1], "English callers get the same facts"


def test_the_profile_holds_what_the_conversation_needs() -> None:
    tenant = TenantFiles(KNOWLEDGE, "aylem", ALLERGENS).current()
    profile = tenant.profile
    assert (profile.id, profile.name, profile.languages) == ("aylem", "Aylem Eat & Meet", ("de", "en"))
    assert (profile.phone, profile.largest_party, profile.content_mock) == ("+492214710412", 16, True)
    assert "Döner-Teller Kalb" in profile.vocabulary.dishes
    assert "Pizza" in profile.vocabulary.categories
    assert "Datenschutz" in profile.notice
    assert "privacy" in profile.notices["en"]
    assert {"Gluten", "gluten", "Nüsse", "nuts"} <= set(profile.allergens)
    assert profile.vocabulary.dishes.index("Rotwein") < profile.vocabulary.dishes.index("Veal doner plate")


def test_a_hairdresser_needs_no_code() -> None:
    tenant = TenantFiles(KNOWLEDGE, "demo-friseur", ALLERGENS).current()
    assert tenant.menu is not None
    cut = tenant.menu.categories[0].items[0]
    assert (cut.name["de"], cut.price_cents, cut.minutes, cut.allergens) == (
        "Damenhaarschnitt",
        4800,
        45,
        None,
    )


def test_an_edit_is_live_at_once_and_unchanged_files_are_parsed_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = tenant_module.read_document
    monkeypatch.setattr(
        tenant_module, "read_document", lambda path, tenant: read.append(path.name) or real(path, tenant)
    )
    files = TenantFiles(root, "aylem", ALLERGENS)
    first = files.current()
    assert files.current() is first
    assert len(read) == len(set(read)), "each once"
    read.clear()
    edit(root, "menu.md", "13,90 €", "14,20 €")
    assert files.current().menu != first.menu
    assert read == ["menu.md"]


def test_after_a_bad_edit_the_last_good_version_stays_in_force(root: Path) -> None:
    files = TenantFiles(root, "aylem", ALLERGENS)
    good = files.current()
    edit(root, "menu.md", "13,90 €", "teuer")
    edit(root, "hours.md", "11:00-22:00", "25:00-22:00")
    edit(root, "_meta.md", "time_zone: Europe/Berlin", "time_zone: Europe/Atlantis")
    now = files.current()
    assert (now.menu, now.hours, now.meta) == (good.menu, good.hours, good.meta)
    assert {problem.file for problem in now.problems} == {"aylem/_meta.md", "aylem/hours.md", "aylem/menu.md"}
    edit(root, "menu.md", "teuer", "15,00 €")
    assert files.current().menu != good.menu


def test_missing_hours_are_no_closed_day(root: Path) -> None:
    files = TenantFiles(root, "aylem", ALLERGENS)
    assert files.current().hours is not None
    (root / "aylem" / "hours.md").unlink()
    assert files.current().hours is None
    assert "hours.md:1" in str(files.current().problems[0])


@pytest.mark.parametrize("change", ["visibility: internal", "", "visibility: Public"])
@pytest.mark.parametrize("name", ["menu.md", "hours.md", "policies.md", "faq.md"])
def test_a_file_that_is_not_public_is_never_loaded_not_even_after_it_was(
    root: Path, name: str, change: str
) -> None:
    files = TenantFiles(root, "aylem", ALLERGENS)
    before = files.current()
    edit(root, name, "visibility: public", change)
    now = files.current()
    assert any("not public" in problem.what for problem in now.problems)
    for seen in (now, TenantFiles(root, "aylem", ALLERGENS).current()):
        assert (seen.menu is None) is (name == "menu.md")
        assert (seen.hours is None) is (name == "hours.md")
        german = [section for section in seen.sections if section.language == "de"]
        assert len(german) < len(before.sections)
        assert not [one for one in german if one.page == name.removesuffix(".md")]


def test_without_a_public_meta_file_there_is_no_tenant(root: Path) -> None:
    edit(root, "_meta.md", "visibility: public", "visibility: internal")
    with pytest.raises(KnowledgeError, match=r"aylem/_meta.md:\d+: The file is not public"):
        TenantFiles(root, "aylem", ALLERGENS).current()


def test_a_file_over_256_kib_is_refused(root: Path) -> None:
    with (root / "aylem" / "faq.md").open("a") as file:
        file.write("x" * 256 * 1024)
    assert "faq.md:1: The file has more than 256 KiB" in problems(root)[0]


def test_links_that_lead_out_are_refused(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    shutil.move(root / "aylem" / "faq.md", secret)
    (root / "aylem" / "faq.md").symlink_to(secret)
    assert "leads out" in problems(root)[0]
    (root / "linked").symlink_to(tmp_path)
    with pytest.raises(KnowledgeError, match="leads out"):
        TenantFiles(root, "linked", ALLERGENS)


@pytest.mark.parametrize("tenant", ["..", "../aylem", "/etc", "Aylem", "aylem/../aylem", "", "a b", "äylem"])
def test_a_tenant_id_can_not_lead_elsewhere(root: Path, tenant: str) -> None:
    with pytest.raises(KnowledgeError, match="no tenant id"):
        TenantFiles(root, tenant, ALLERGENS)


def test_a_knowledge_folder_from_outside_must_lie_inside_the_configured_one(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    assert knowledge_root(tmp_path, None) == tmp_path
    assert knowledge_root(tmp_path, "site") == tmp_path / "site"
    assert knowledge_root(tmp_path, str(tmp_path / "site")) == tmp_path / "site"
    (tmp_path / "out").symlink_to("/etc")
    for outside in ("..", "/etc", "site/../..", "out", "site/.."):
        with pytest.raises(KnowledgeError, match="does not lie inside"):
            knowledge_root(tmp_path, outside)


def test_only_folders_with_a_meta_file_are_tenants() -> None:
    assert list_tenants(KNOWLEDGE) == ["aylem", "demo-friseur"]


HOURS_MISTAKES = [
    ('monday: closed', 'monday: ["22:00-11:00"]', "monday", "ends before it begins"),
    ('monday: closed', 'monday: ["11:00-15:00", "14:00-22:00"]', "monday", "overlap"),
    ("  monday: closed", "  moonday: closed", "moonday", "no weekday"),
    ('monday: closed', 'monday: ["11-22"]', "monday", "no time range"),
    ('monday: closed', 'monday: ["11:00-25:00"]', "monday", "no time of day"),
    ('monday: closed', "monday: []", "monday", "empty"),
    ("  monday: closed\n", "", "weekly_hours", "missing: monday"),
    ("  monday: closed", "  monday: closed\n  montag: closed", "montag", "twice"),
    ("to: 2026-12-26", "to: 2026-12-20", "from: 2026-12-24", "before it begins"),
    ("date: 2026-12-31", "date: 2026-12-25", "date: 2026-12-25", "two entries"),
    ("date: 2026-12-31", "date: Silvester", "date: Silvester", "no date"),
    ("date: 2026-12-31", "date: 2026-12-31T18:00:00", "date: 2026-12-31T18", "no date"),
    ('hours: ["11:00-16:00"]', 'hours: ["11:00-16:00"]\n    closed: true', "date: 2026-12-31", "either"),
    ('hours: ["11:00-16:00"]', 'opening: ["11:00-16:00"]', "opening", "Unknown keys"),
    ("weekly_hours:", "public_holidays: DE-XX\nweekly_hours:", "public_holidays", "no country"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "what"), HOURS_MISTAKES)
def test_mistakes_in_the_hours_are_told_with_their_line(
    root: Path, old: str, new: str, place: str, what: str
) -> None:
    edit(root, "hours.md", old, new)
    found = problems(root)
    line = line_of(root, "hours.md", place)
    assert any(one.startswith(f"aylem/hours.md:{line}: ") and what in one for one in found), found


MENU_MISTAKES = [
    ("- Preis: 7,50 €", "- Preis: günstig", "no number"),
    ("- Preis: 7,50 €\n", "", "no price"),
    ("Gluten (A), Milch (G), Sesam (K)", "Gluten (Z)", "Unknown allergen code 'Z'"),
    ("Gluten (A), Milch (G), Sesam (K)", "Gluten (A), Milch (K)", "the letter K means Sesam"),
    ("Gluten (A), Milch (G), Sesam (K)", "Gluten, Milch", "no allergen code"),
    ("extra Fleisch +2,50 €", "extra Fleisch +viel", "no number"),
    ("Optionen en: without onions; spicy;", "Optionen en: spicy;", "3 options in 'en', but 4"),
    ("- Preis: 7,50 €", "- Preise: 7,50 €", "no field of an item"),
    ("### Hähnchendöner im Fladenbrot", "### Döner im Fladenbrot", "stands twice"),
]


@pytest.mark.parametrize(("old", "new", "what"), MENU_MISTAKES)
def test_mistakes_in_the_menu_are_told_with_their_line(root: Path, old: str, new: str, what: str) -> None:
    edit(root, "menu.md", old, new)
    found = problems(root)
    assert any(what in one for one in found), found
    for one in found:
        line = int(one.split(":")[1])
        text = (root / "aylem" / "menu.md").read_text("utf-8").splitlines()[line - 1]
        assert text.startswith(("###", "- ")), "the line is the item or its field"


META_MISTAKES = [
    ("formality: sie", "formality: ihr", "formality"),
    ('phone: "+49 221 4710412"', "phone: 02214710412", "phone"),
    ("languages: [de, en]", "languages: []", "languages"),
    ("languages: [de, en]", "languages: [deutsch]", "languages"),
    ("  seats: 48", "  seats: -3", "seats"),
    ("  largest_party: 16", "  largest_party: 40", "largest_party"),
    ("time_zone: Europe/Berlin", "time_zone: Mitteleuropa", "time_zone"),
    ("business_type: Döner-Restaurant", "busyness_type: Döner-Restaurant", "busyness_type"),
    ("content_status: realistic-mock", "content_status: draft", "content_status"),
    ("tenant: aylem", "tenant: other", "tenant"),
    ("  de: \"Wie", "  fr: \"Wie", "fr:"),
    ("notify: []", "greeting: {de: 'Hallo {name}, {notice}'}\nnotify: []", "greeting"),
    ("notify: []", "greeting: {de: 'Hallo bei {business}'}\nnotify: []", "greeting"),
    ("last_review: 2026-11-20\n", "", "tenant: aylem"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place"), META_MISTAKES)
def test_mistakes_in_the_meta_file_are_told_with_their_line(
    root: Path, old: str, new: str, place: str
) -> None:
    edit(root, "_meta.md", old, new)
    line = line_of(root, "_meta.md", place)
    assert any(one.startswith(f"aylem/_meta.md:{line}: ") for one in problems(root)), problems(root)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("no front matter", "no front matter"),
        ("---\ntenant: [aylem\n---\n", "not valid YAML"),
        ("---\nlast_review: 2026-13-45\n---\n", "impossible date"),
        ("---\n---\n", "empty"),
        ("", "no front matter"),
    ],
)
def test_a_broken_file_is_told_and_not_loaded(root: Path, text: str, what: str) -> None:
    (root / "aylem" / "faq.md").write_text(text)
    assert any(one.startswith("aylem/faq.md:") and what in one for one in problems(root)), problems(root)


def test_a_file_that_is_not_utf8_is_told(root: Path) -> None:
    (root / "aylem" / "faq.md").write_bytes("---\nDöner".encode("latin-1"))
    assert any("not UTF-8" in one for one in problems(root))


def test_unknown_files_and_languages_are_told(root: Path) -> None:
    (root / "aylem" / "speisekarte.md").write_text("x")
    shutil.copy(root / "aylem" / "faq.en.md", root / "aylem" / "faq.fr.md")
    shutil.copy(root / "aylem" / "menu.md", root / "aylem" / "menu.en.md")
    found = "\n".join(problems(root))
    assert "speisekarte.md:1: warning: This file is not known" in found
    assert "faq.fr.md:1: The business does not speak 'fr'" in found
    assert "menu.en.md:1: A menu is not translated" in found


def test_hours_know_nights_breaks_ranges_and_special_days(root: Path) -> None:
    edit(root, "hours.md", "monday: closed", 'Montag: ["11:00-14:00", "18:00-02:00"]')
    hours = TenantFiles(root, "aylem", ALLERGENS).current().hours
    assert hours is not None
    assert hours.weekly[0] == (Range(time(11), time(14)), Range(time(18), time(2)))
    assert hours.special[0].first == date(2026, 12, 24)
    assert hours.special[1].ranges == (Range(time(11), time(16)),)


def test_a_night_may_not_run_into_the_next_opening(root: Path) -> None:
    edit(root, "hours.md", "monday: closed", 'monday: ["18:00-05:00"]')
    edit(root, "hours.md", 'tuesday: ["11:00', 'tuesday: ["04:00')
    assert any("runs into the next day" in one for one in problems(root))


def test_comments_are_not_read_aloud_and_do_not_move_line_numbers(root: Path) -> None:
    edit(root, "faq.md", "## Gibt es WLAN?", "<!-- internal\nnote\n-->\n## Gibt es WLAN?")
    sections = TenantFiles(root, "aylem", ALLERGENS).current().sections
    assert not any("internal" in section.text for section in sections)


def test_all_14_allergens_have_names_in_the_languages_of_the_pack() -> None:
    assert list(ALLERGENS.by_code) == list("ABCDEFGHIJKLMN")
    for one in ALLERGENS.by_code.values():
        assert {"de", "en", "tr", "it", "fr", "bg"} <= set(one.names)
    assert [ALLERGENS.code_of(name) for name in ("GLUTEN", "Nüsse", "nuesse", "süt", "peanuts", "Quark")] == [
        "A", "H", "H", "G", "E", None,
    ]  # fmt: skip


def test_an_allergen_table_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "allergens.yaml"
    path.write_text("allergens:\n  - code: A\n    names: {de: Gluten, en: gluten}\n")
    with pytest.raises(KnowledgeError, match="codes A to N"):
        load_allergens(path)


@pytest.fixture
def checkout(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(KNOWLEDGE / "allergens.yaml", root)
    paths = Paths(checkout=root.parent, data=root.parent, cache=root.parent)
    monkeypatch.setattr("appliance.cli.check.load_paths", lambda: paths)
    return root


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(tresen, ["check", *arguments], standalone_mode=False)
    if isinstance(result.exception, KnowledgeError) or result.exception:
        return getattr(result.exception, "exit_code", 1), str(result.exception)
    return result.return_value, result.output


def test_check_is_quiet_about_what_is_good(checkout: Path) -> None:
    assert run() == (0, "aylem: good\n")
    assert run("aylem") == (0, "aylem: good\n")


def test_check_says_what_is_wrong_and_how_to_mend_it(checkout: Path) -> None:
    edit(checkout, "menu.md", "7,50 €", "viel")
    code, output = run("aylem")
    assert code == 1
    assert "has no number. Write e.g. '8,50 €'" in output
    code, output = run("--json")
    assert code == 1
    assert json.loads(output)["aylem"][0]["file"] == "aylem/menu.md"


def test_check_of_an_unknown_tenant_is_wrong_use(checkout: Path) -> None:
    code, output = run("nobody")
    assert code == 2
    assert "Known are: aylem" in output
