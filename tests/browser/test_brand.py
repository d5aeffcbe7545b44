"""Branding in the admin, on a phone without JavaScript: preview, error, save."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import connection
from playwright.sync_api import expect

from accounts.brand import colors
from accounts.models import User
from socialsite.moderation.roles import ADMINISTRATORS, create_roles
from tests.uploads import picture

from .accessibility import Examined, problems_of_open_page, touch_problems_of_open_page
from .conftest import PHONE, NewContext
from .site import served_site

PURPLE = "#6d28d9"
LINK_COLOR = "getComputedStyle(document.querySelector('main p a')).color"
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


def rgb(color: str) -> str:
    return f"rgb{colors._channels(color)}"


@pytest.fixture
def own_site(base_url: str) -> Iterator[str]:
    """Start a site for one test and return its URL.

    The shared site would show a saved brand in later tests, because its process caches the brand for
    seconds.
    """
    database = connection.settings_dict["NAME"]
    with served_site(database=database, data_dir=settings.DATA_DIR) as address:
        yield address


def test_an_administrator_previews_and_saves_the_brand_without_scripts(
    new_context: NewContext, own_site: str, alice: User, log_in
) -> None:
    create_roles()
    alice.is_staff = True
    alice.save()
    alice.groups.add(Group.objects.get(name=ADMINISTRATORS))
    page = new_context(**PHONE, site=own_site, java_script_enabled=False).new_page()
    log_in(page, alice)
    page.goto(f"{own_site}/admin/moderation/brand/")
    page.get_by_label("Name:").fill("Tea House")
    page.get_by_label("Accent color:").fill("#ffd700")
    page.get_by_label("Logo:", exact=True).set_input_files(
        {"name": "logo.png", "mimeType": "image/png", "buffer": picture()}
    )
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".errorlist")).to_contain_text("The nearest readable shade is")
    page.get_by_label("Accent color:").fill(PURPLE)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="This is a preview. It is not saved.")).to_be_visible()
    expect(page.locator(".brand img")).to_be_visible()
    light, dark = (page.locator(f'[data-theme="{name}"] a').first for name in ("light", "dark"))
    expect(light).to_have_css("color", rgb(PURPLE))
    expect(dark).to_have_css("color", rgb(colors.palette(PURPLE).dark.accent))
    page.get_by_role("button", name="Continue editing").click()
    expect(page.get_by_label("Name:")).to_have_value("Tea House")
    page.get_by_role("button", name="Save branding").click()
    expect(page.locator(".messagelist")).to_contain_text("Branding saved")
    for scheme, color in (("light", PURPLE), ("dark", colors.palette(PURPLE).dark.accent)):
        visitor = new_context(**PHONE, site=own_site, color_scheme=scheme).new_page()
        visitor.goto(f"{own_site}/about/")
        assert visitor.evaluate(LINK_COLOR) == rgb(color)
        assert visitor.evaluate(OVERFLOW) <= 0
        expect(visitor.locator(".site-header .brand")).to_have_text("Tea House")
        visitor.context.close()


def test_the_admin_pages_fit_a_phone(new_context: NewContext, alice: User, log_in) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    page = new_context(**PHONE).new_page()
    log_in(page, alice)
    for path in ("brand/", "pageversion/", "pageversion/privacy/"):
        page.goto(f"/admin/moderation/{path}")
        assert page.evaluate(OVERFLOW) <= 0, path
    page.get_by_label("Text:").fill("x" * 400 + "\n\n# Ours")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Ours")).to_be_visible()
    page.wait_for_load_state()
    assert page.evaluate(OVERFLOW) <= 0


def test_the_preview_is_accessible_in_both_themes(
    new_context: NewContext, alice: User, log_in
) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    page = new_context(**PHONE).new_page()
    log_in(page, alice)
    page.goto("/admin/moderation/brand/")
    page.get_by_label("Accent color:").fill("#c2410c")
    page.get_by_label("Landing text:").fill("# Welcome\n\nRead the [rules](/rules/).")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Welcome").first).to_be_visible()
    assert touch_problems_of_open_page(page) == []
    assert problems_of_open_page(page, Examined()) == []
