"""The pages about, rules, privacy policy and terms of service, and their texts in the admin."""

import re

import pytest
from django.utils import timezone

from accounts.services.account_status import suspend_user
from socialsite.moderation.models import (
    AuditEntry,
    PageVersion,
    Rule,
    StandardPage,
    explained,
)
from socialsite.moderation.selectors.site import default_text
from tests.api.api_client import Api
from tests.factories import publish

ADMIN = "/admin/moderation/pageversion/"
PAGES = ("/about/", "/rules/", "/privacy/", "/terms/")


@pytest.fixture
def ada(client, administrator):
    client.force_login(administrator)
    return client


def save(client, page, text, do="save"):
    return client.post(f"{ADMIN}{page}/", {"text": text, "do": do})


def text_of(client, path):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("path", PAGES)
def test_visitors_and_suspended_users_can_read_every_page(client, alice, path):
    page = text_of(client, path)
    assert page.count("<h1>") == 1
    for other in PAGES:
        assert f'href="{other}"' in page
    assert 'aria-current="page"' in page
    suspend_user(uid=alice.pk)
    client.force_login(alice)
    assert client.get(path).status_code == 200


def test_a_fresh_site_has_useful_texts(client, settings):
    settings.SITE_NAME, settings.ERASE_AFTER_DAYS = "Tea & <b>Cake</b>", 14
    for page in StandardPage:
        assert len(default_text(page=page)) > 200
    privacy = text_of(client, "/privacy/")
    assert "Tea &amp; &lt;b&gt;Cake&lt;/b&gt; stores about you" in privacy
    assert "for 14 days" in privacy
    assert "Last changed:" in privacy
    assert "No rules yet" in text_of(client, "/rules/")


def test_about_shows_contact_and_numbers(client, settings, alice, bob):
    publish(bob, "Hello")
    settings.CONTACT_EMAIL, settings.CONTACT_ACCOUNT = "hello@example.org", "alice"
    page = text_of(client, "/about/")
    assert "mailto:hello@example.org" in page
    assert "@alice" in page
    assert re.search(r"<strong>2</strong>\s+users", page)
    assert re.search(r"<strong>1</strong>\s+post\b", page)


def test_rules_are_numbered_and_escaped(client):
    Rule.objects.create(text="<script>", order=2)
    Rule.objects.create(text="Be kind", details="Always.", order=1)
    page = text_of(client, "/rules/")
    assert "1. Be kind" in page
    assert "2. &lt;script&gt;" in page
    assert "<p>Moderators decide about reports by these rules." in page


def test_a_text_replaces_the_hint_that_there_are_no_rules(ada, client):
    save(ada, "rules", "## Our only rule\n\nBe **kind**.")
    page = text_of(client, "/rules/")
    assert "<h2>Our only rule</h2>" in page
    assert "Be <strong>kind</strong>." in page
    assert "No rules yet" not in page
    Rule.objects.create(text="Be honest")
    page = text_of(client, "/rules/")
    assert page.index("1. Be honest") < page.index("Our only rule")


@pytest.mark.parametrize("page", StandardPage.values)
def test_an_administrator_writes_a_page(ada, page):
    form = text_of(ada, f"{ADMIN}{page}/")
    assert default_text(page=StandardPage(page))[:40].partition("'")[0] in form.replace(
        "&#x27;", "'"
    )
    assert save(ada, page, "# Ours\n\nHello *you*").status_code == 302
    shown = text_of(ada, f"/{page}/")
    assert "<h2>Ours</h2>" in shown
    assert "<em>you</em>" in shown
    today = timezone.now().strftime("%Y-%m-%dT")
    assert f'<time datetime="{today}' in shown
    assert AuditEntry.objects.get(verb="change_page").details == page


def test_every_save_is_a_version_and_versions_can_be_restored(ada):
    for text in ("First", "Second", "Second"):
        save(ada, "terms", text)
    first, second = PageVersion.objects.order_by("pk")
    assert "Second" in text_of(ada, "/terms/")
    form = text_of(ada, f"{ADMIN}terms/")
    assert f"{ADMIN}terms/{first.pk}/" in form
    assert "First" in text_of(ada, f"{ADMIN}terms/{first.pk}/")
    for _click in range(2):
        assert ada.post(f"{ADMIN}terms/{first.pk}/").status_code == 302
    assert "First" in text_of(ada, "/terms/")
    assert PageVersion.objects.count() == 3
    assert ada.post(f"{ADMIN}terms/{second.pk}/", follow=True).status_code == 200
    assert "Second" in text_of(ada, "/terms/")
    assert AuditEntry.objects.filter(verb="change_page").count() == 4


def test_a_rule_and_its_explanation_read_as_two_sentences():
    assert explained("No spam", "Please do not post ads.") == "No spam.\nPlease do not post ads."
    assert explained("Be kind.", "Always.") == "Be kind.\nAlways."
    assert explained("お静かに", "夜は") == explained("お静かに。", "夜は") == "お静かに。\n夜は"
    assert (explained("No spam", ""), explained("", "Because")) == ("No spam", "Because")


def test_the_audit_log_keeps_old_texts_of_rules(ada):
    rules = "/admin/moderation/rule/"
    form = {"text": "Be kind", "details": "", "order": "1"}
    assert ada.post(f"{rules}add/", form).status_code == 302
    rule = Rule.objects.get()
    ada.post(f"{rules}{rule.pk}/change/", {**form, "text": "Be very kind", "details": "To all"})
    other = Rule.objects.create(text="No spam", order=2)
    ada.post(f"{rules}{rule.pk}/delete/", {"post": "yes"})
    chosen = {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"}
    ada.post(rules, chosen)
    assert not Rule.objects.exists()
    entries = AuditEntry.objects.order_by("pk").values_list("verb", "details")
    assert list(entries) == [
        ("add_rule", "1. Be kind"),
        ("change_rule", "1. Be kind → 1. Be very kind.\nTo all"),
        ("delete_rule", "1. Be very kind.\nTo all"),
        ("delete_rule", "2. No spam"),
    ]


def test_the_default_text_can_be_restored(ada, settings):
    save(ada, "privacy", "Ours")
    save(ada, "privacy", "")
    settings.SITE_NAME = "Renamed"
    assert "Renamed stores about you" in text_of(ada, "/privacy/").replace("\n", " ")
    newest = PageVersion.objects.latest("pk")
    assert "Renamed" in text_of(ada, f"{ADMIN}privacy/{newest.pk}/")
    # Saving the default text without a change keeps the default.
    save(ada, "privacy", default_text(page=StandardPage.PRIVACY).replace("\n", "\r\n"))
    assert PageVersion.objects.count() == 2


def test_a_preview_changes_nothing(ada):
    page = save(ada, "about", "# Only a try\n\n<script>alert(1)</script>", do="preview")
    assert page.status_code == 200
    text = page.content.decode()
    assert "<h2>Only a try</h2>" in text
    assert "<script>alert" not in text
    assert not PageVersion.objects.exists()
    assert "Only a try" not in text_of(ada, "/about/")


def test_hostile_texts_are_refused_or_harmless(ada):
    refused = save(ada, "about", "x" * 50_001)
    assert refused.status_code == 422
    assert "50000" in refused.content.decode().replace(",", "")
    assert not PageVersion.objects.exists()
    assert (
        save(ada, "about", "[x](javascript:alert(1))\x00 <img src=x onerror=y>").status_code == 302
    )
    page = text_of(ada, "/about/")
    assert 'href="javascript' not in page
    assert "<img src=x" not in page


def test_unknown_pages_and_versions_do_not_exist(ada):
    save(ada, "terms", "Ours")
    version = PageVersion.objects.get().pk
    for path in ("cookies/", "x/", "terms/1/", f"privacy/{version}/", "terms/9999999999999999999/"):
        assert ada.get(f"{ADMIN}{path}").status_code == 404, path
        assert ada.post(f"{ADMIN}{path}", {"text": "x"}).status_code == 404, path
    assert PageVersion.objects.count() == 1


def test_moderators_cannot_read_or_write_in_the_admin(client, moderator):
    version = PageVersion.objects.create(page="terms", text="Ours")
    client.force_login(moderator)
    assert "pageversion" not in text_of(client, "/admin/")
    for path in ("", "terms/", f"terms/{version.pk}/"):
        assert client.get(f"{ADMIN}{path}").status_code == 403
        assert client.post(f"{ADMIN}{path}", {"text": "Mine"}).status_code == 403
    assert PageVersion.objects.count() == 1


def test_the_index_of_the_admin_links_to_the_pages(ada):
    index = text_of(ada, "/admin/")
    assert f'href="{ADMIN}"' in index
    assert 'href="/admin/moderation/brand/"' in index
    pages = text_of(ada, ADMIN)
    assert all(f"{ADMIN}{page}/" in pages for page in StandardPage.values)


def test_the_sign_up_page_and_the_footer_link_to_the_pages(client):
    sign_up = text_of(client, "/accounts/signup/")
    for path in PAGES[1:]:
        assert sign_up.count(f'href="{path}"') == 2
    for page in ("/explore/", "/accounts/login/"):
        assert all(f'href="{path}"' in text_of(client, page) for path in PAGES)


@pytest.mark.parametrize(
    ("path", "target"),
    [("/privacy-policy", "/privacy/"), ("/terms-of-service", "/terms/"), ("/terms", "/terms/")],
)
def test_addresses_of_mastodon_lead_to_the_pages(client, path, target):
    response = client.get(path, follow=True)
    assert response.redirect_chain[-1][0] == target
    assert response.status_code == 200


def test_apps_get_the_texts(ada, settings):
    settings.SITE_URL = "https://site.example"
    api = Api()
    default = api.get("instance/privacy_policy").json()
    assert default["updated_at"].startswith("2026-")
    assert 'href="https://site.example/about/"' in default["content"]
    save(ada, "privacy", "See the [rules](/rules/)")
    save(ada, "about", "Who **we** are")
    save(ada, "terms", "Be fair")
    policy = api.get("instance/privacy_policy").json()
    assert policy["content"] == ('<p>See the <a href="https://site.example/rules/">rules</a></p>\n')
    assert policy["updated_at"] > default["updated_at"]
    description = api.get("instance/extended_description").json()
    assert description["content"] == "<p>Who <strong>we</strong> are</p>\n"
    terms = api.get("instance/terms_of_service").json()
    assert terms["content"] == "<p>Be fair</p>\n"
    assert (terms["effective"], terms["succeeded_by"]) == (True, None)
    assert terms["effective_date"] == timezone.now().date().isoformat()
    urls = api.get("/api/v2/instance").json()["configuration"]["urls"]
    assert urls["privacy_policy"] == "https://site.example/privacy/"
    assert urls["terms_of_service"] == "https://site.example/terms/"
    assert urls["about"] == "https://site.example/about/"


@pytest.mark.parametrize(("path", "limit"), [("/privacy/", 1), ("/terms/", 1), ("/rules/", 2)])
def test_a_page_costs_few_commands_for_visitors(client, record_commands, path, limit):
    client.get(path)
    with record_commands() as commands:
        client.get(path)
    assert len(commands) == limit
