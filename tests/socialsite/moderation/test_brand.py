"""The name and look of the site: the form in the admin, and every place that shows it."""

import io
import re
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.mfa.adapter import get_adapter
from django.core import mail
from django.core.files.storage import default_storage
from django.test import Client
from PIL import Image

from accounts.brand import colors, current, logos
from accounts.brand.current import clear_brand_cache, current_brand
from accounts.brand.models import Brand
from socialsite.moderation.models import AuditEntry
from tests.api.api_client import Api
from tests.uploads import many_scans, photograph, picture, png_header

ADMIN = "/admin/moderation/brand/"
PURPLE = "#6d28d9"
VALUES = {
    "name": "Tea House",
    "description": "Everything about tea",
    "landing_text": "Come in, the **kettle** is on.",
    "accent": PURPLE,
    "language": "en",
}


@pytest.fixture(autouse=True)
def no_logos(clean_site):
    folder = Path(default_storage.path(logos.FOLDER))
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()


@pytest.fixture
def ada(client, administrator):
    client.force_login(administrator)
    return client


def upload(content, name="logo.png"):
    file = io.BytesIO(content)
    file.name = name
    return file


def send(client, do="save", **changes):
    return client.post(ADMIN, {**VALUES, **changes, "do": do})


def text_of(client, path="/"):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def download(client, path):
    response = client.get(path)
    content = b"".join(response.streaming_content)
    response.close()
    assert response["Content-Type"] == "image/webp"
    assert "immutable" in response["Cache-Control"]
    return content


def logo_of(page):
    return re.search(r'src="(/site-logo/\w+\.webp)"', page)[1]


def hidden_values(page):
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


def test_pages_show_the_saved_brand(ada):
    assert send(ada, logo=upload(picture(size=(300, 100)))).status_code == 302
    visitor = Client()
    landing = text_of(visitor)
    assert "<title>" in landing
    assert "· Tea House</title>" in landing
    assert 'content="Everything about tea"' in landing
    assert "the <strong>kettle</strong> is on" in landing
    for page in (landing, text_of(visitor, "/explore/"), text_of(visitor, "/accounts/login/")):
        assert "Socialsite" not in page
        assert "Tea House" in page
        assert logo_of(page)
        assert re.search(r'<link rel="stylesheet" href="/site-theme\.6d28d9\.\w+\.css">', page)
    assert "Tea House: Everything about tea" in text_of(visitor, "/explore/")
    assert Brand.objects.count() == 1
    entry = AuditEntry.objects.get(verb="change_brand")
    assert "name: 'Tea House'" in entry.details


def test_the_admin_shows_the_brand(ada):
    send(ada, logo=upload(picture()))
    page = text_of(ada, "/admin/")
    assert "Tea House administration" in page
    assert logo_of(page)
    url = re.search(r'href="(/site-theme\.6d28d9\.\w+\.css)"', page)[1]
    css = ada.get(url).content.decode()
    assert css.startswith(f"#header{{--header-bg:{PURPLE};")


def test_apps_see_the_brand(ada):
    send(ada, logo=upload(picture()))
    new, old = Api().get("/api/v2/instance").json(), Api().get("instance").json()
    assert new["title"] == old["title"] == "Tea House"
    assert new["description"] == old["short_description"] == "Everything about tea"
    (icon,) = new["icon"]
    assert icon["size"] == "512x512"
    assert download(ada, re.sub(r"^https?://[^/]+", "", icon["src"]))
    assert Api().get("/nodeinfo/2.0").json()["metadata"]["nodeName"] == "Tea House"
    assert "Posts on Tea House" in text_of(Client(), "/tags/tea/feed/")


def test_mails_carry_the_brand(ada, alice):
    send(ada)
    Client().post("/accounts/password/reset/", {"email": alice.email})
    (message,) = mail.outbox
    assert message.subject.startswith("[Tea House] ")
    assert message.from_email == "Tea House <noreply@localhost>"
    assert "Tea House" in message.body
    assert "Socialsite" not in f"{message.subject} {message.body} {message.from_email}"


def test_mails_keep_the_sender_of_the_settings_without_a_name(ada, settings, alice):
    settings.DEFAULT_FROM_EMAIL = "The team <team@example.org>"
    send(ada, name="")
    Client().post("/accounts/password/reset/", {"email": alice.email})
    assert mail.outbox[0].from_email == "The team <team@example.org>"


@pytest.mark.parametrize("name", ["A\r\nBcc: x@y.z", 'A" <x@y.z>', "Café ☕", "a" * 40])
def test_no_name_breaks_the_headers_of_mails(ada, alice, name):
    assert send(ada, name=name).status_code == 302
    Client().post("/accounts/password/reset/", {"email": alice.email})
    message = mail.outbox[0].message()
    assert message.get_all("Bcc") is None
    assert "noreply@localhost" in str(message["From"])
    assert len(message.get_all("From")) == 1
    assert mail.outbox[0].to == [alice.email]


def test_authenticator_apps_show_the_name(ada, alice):
    send(ada)
    assert "issuer=Tea%20House" in get_adapter().build_totp_url(alice, "SECRET")


def test_fields_that_are_empty_keep_their_defaults(ada, settings):
    settings.SITE_NAME, settings.SITE_DESCRIPTION = "From the environment", "As set there"
    assert ada.post(ADMIN, {"language": "en", "do": "save"}).status_code == 302
    page = text_of(Client())
    assert "From the environment" in page
    assert 'content="As set there"' in page
    assert "site-theme" not in page
    assert not AuditEntry.objects.filter(verb="change_brand", details__contains="name").exists()
    send(ada)
    assert "Tea House" in text_of(Client())
    ada.post(ADMIN, {"language": "en", "do": "save"})
    assert "From the environment" in text_of(Client())


def test_a_repeated_save_changes_nothing(ada):
    for _click in range(2):
        assert send(ada).status_code == 302
    assert AuditEntry.objects.filter(verb="change_brand").count() == 1


def test_a_preview_shows_the_brand_and_saves_nothing(ada):
    preview = send(ada, do="preview", logo=upload(picture()))
    assert preview.status_code == 200
    page = preview.content.decode()
    assert "· Tea House</title>" in page
    assert "site-theme.6d28d9" in page
    assert "<strong>kettle</strong>" in page
    assert "<style" not in page
    assert ' style="' not in page
    assert page.count("data-theme=") == 3  # of the page and of two samples
    assert not Brand.objects.exists()
    assert "Tea House" not in text_of(Client())
    # The form of the preview saves the values, with the logo, and leads back to the form.
    values = hidden_values(page)
    assert values["stored_logo"] in logo_of(page)
    form = ada.post(ADMIN, {**values, "do": "edit"})
    assert form.status_code == 200
    assert 'value="Tea House"' in form.content.decode()
    assert values["stored_logo"] in form.content.decode()
    assert not Brand.objects.exists()
    assert ada.post(ADMIN, {**values, "do": "save"}).status_code == 302
    assert logo_of(text_of(Client())) == logo_of(page)


UNREADABLE_COLORS = (
    ("#ffd700", "The nearest readable shade is #"),
    ("#ffffff", "their contrast is 1.0, and at least 4.5 is needed"),
    ("#777777", "hard to read"),
    ("red", "Enter a color"),
    ("#12", "Enter a color"),
    ("#0d6b57;}body{display:none", "at most 20"),
    ("#0d6b5\u0667", "Enter a color"),
    ("url(//x)", "Enter a color"),
)


def test_unreadable_colors_are_refused(ada):
    for accent, message in UNREADABLE_COLORS:
        response = send(ada, accent=accent)
        assert response.status_code == 422, accent
        assert message in response.content.decode(), accent
        assert 'value="Tea House"' in response.content.decode(), accent
    assert not Brand.objects.exists()


def test_an_error_does_not_lose_the_uploaded_logo(ada):
    page = send(ada, accent="red", logo=upload(picture())).content.decode()
    stored = re.search(r'name="stored_logo" value="(\w{32})"', page)[1]
    assert stored in logo_of(page)
    send(ada, stored_logo=stored)
    assert stored in text_of(Client())


def test_the_suggested_shade_is_accepted(ada):
    page = send(ada, accent="#FFD700").content.decode()
    shade = re.search(r"shade is (#\w{6})", page)[1]
    assert send(ada, accent=shade.upper().removeprefix("#")).status_code == 302
    assert current_brand().accent == shade


def test_the_style_sheet_replaces_the_accent_in_both_themes(client):
    url = f"/site-theme.6d28d9.{colors.css_digest(colors.site_css(PURPLE))}.css"
    response = client.get(url)
    assert response["Content-Type"] == "text/css; charset=utf-8"
    assert "immutable" in response["Cache-Control"]
    css = response.content.decode()
    dark = colors.palette(PURPLE).dark.accent
    assert f"--accent:light-dark({PURPLE},{dark})" in css


@pytest.mark.parametrize(
    "path",
    [
        "/site-theme.6d28d9.0123456789ab.css",
        "/site-theme.ffd700.{digest}.css",
        "/site-theme.6D28D9.{digest}.css",
        "/site-theme.zzzzzz.{digest}.css",
        "/site-theme.6d28d.{digest}.css",
        "/site-logo/0123456789abcdef0123456789abcdef.webp",
        "/site-logo/..%2F..%2Fx.webp",
        "/site-logo/x.webp",
    ],
)
def test_unknown_style_sheets_and_logos_do_not_exist(client, path):
    digest = colors.css_digest(colors.site_css(PURPLE))
    assert client.get(path.format(digest=digest)).status_code == 404


def test_a_logo_is_encoded_again_and_cached_by_browsers(ada):
    send(ada, logo=upload(photograph(), "logo.jpg"))
    content = download(ada, logo_of(text_of(Client())))
    assert b"Secret" not in content
    image = Image.open(io.BytesIO(content))
    assert (image.size, len(image.getexif())) == ((512, 512), 0)
    assert image.convert("RGBA").getpixel((2, 256))[3] == 0  # a transparent border, not a crop


SVG = b"""<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"""


BAD_LOGOS = {
    "SVG": lambda: SVG,
    "empty": lambda: b"",
    "only a header": lambda: b"GIF89a",
    "HTML": lambda: b"<html><script>alert(1)</script>",
    "huge": lambda: png_header(30_000, 30_000),
    "many scans": many_scans,
    "cut off": lambda: picture()[:60],
    "large": lambda: b"x" * (10 * 1024 * 1024 + 1),
}


def test_files_that_are_not_pictures_are_refused(ada):
    for name, content in BAD_LOGOS.items():
        response = send(ada, logo=upload(content()))
        assert response.status_code == 422, name
        assert 'class="errorlist"' in response.content.decode(), name
    assert not Brand.objects.exists()
    assert not default_storage.listdir(logos.FOLDER)[1]


def test_logos_are_limited_like_other_uploads(ada, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "upload": "1/h"}
    assert send(ada, do="preview", logo=upload(picture())).status_code == 200
    refused = send(ada, do="preview", logo=upload(picture()))
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert "Tea House" in refused.content.decode()


def test_a_logo_that_is_not_stored_is_ignored_or_refused(ada):
    for name in ("../../avatars/1", "x", "0" * 32, "<script>", "a" * 500):
        assert send(ada, stored_logo=name).status_code in (302, 422), name
        assert "site-logo" not in text_of(Client()), name


def test_a_logo_stays_until_it_is_removed(ada):
    send(ada, logo=upload(picture()))
    stored = Brand.objects.get().logo
    form = text_of(ada, ADMIN)
    assert f'value="{stored}"' in form
    send(ada, stored_logo=stored, name="Renamed")
    assert stored in text_of(Client())
    send(ada, stored_logo=stored, remove_logo="on")
    assert "site-logo" not in text_of(Client())


def test_old_logos_are_deleted_when_the_brand_is_saved(ada, monkeypatch):
    send(ada, logo=upload(picture(color="red")))
    old = Brand.objects.get().logo
    send(ada, logo=upload(picture(color="blue")))
    assert logos.is_stored(name=old)  # a page or preview may still show it
    monkeypatch.setattr(logos, "PREVIEW_TIME", timedelta(0))
    send(ada, stored_logo=Brand.objects.get().logo, name="Again")
    assert not logos.is_stored(name=old)
    assert logos.is_stored(name=Brand.objects.get().logo)


def test_long_and_unknown_values_are_refused(ada):
    for changes in (
        {"name": "x" * 41},
        {"description": "x" * 201},
        {"landing_text": "x" * 2001},
        {"language": "xx"},
        {"language": ""},
    ):
        assert send(ada, **changes).status_code == 422, changes
    assert not Brand.objects.exists()


def test_scripts_in_the_brand_are_harmless(ada):
    hostile = "<script>alert(1)</script>"
    send(ada, name=hostile, description=hostile, landing_text=f"{hostile} [x](javascript:y)")
    for client, path in ((Client(), "/"), (Client(), "/explore/"), (ada, "/admin/"), (ada, ADMIN)):
        page = text_of(client, path)
        assert "<script>alert" not in page
        assert 'href="javascript' not in page
    preview = send(ada, do="preview", name=hostile).content.decode()
    assert "<script>alert" not in preview


def test_moderators_cannot_change_the_brand(client, moderator):
    client.force_login(moderator)
    assert ADMIN not in text_of(client, "/admin/")
    assert client.get(ADMIN).status_code == 403
    for do in ("preview", "save", "edit"):
        assert send(client, do=do, logo=upload(picture())).status_code == 403
    assert not Brand.objects.exists()


def test_the_default_language_applies_to_visitors_without_a_preference(ada, settings):
    settings.LANGUAGES = [("en", "English"), ("de", "German")]
    send(ada, language="de")
    visitor = Client()

    def language_of(header):
        page = visitor.get("/explore/", headers={"accept-language": header}).content.decode()
        return re.search(r'<html lang="(\w+)"', page)[1]

    assert language_of("") == "de"
    assert language_of("fr") == "de"
    assert language_of("*") == "de"
    assert language_of("en") == "en"
    assert language_of("fr, en;q=0.5, *;q=0.1") == "en"
    assert Api().get("/api/v2/instance").json()["languages"][0] == "de"


def test_the_brand_costs_no_command_per_request(client, alice, record_commands, monkeypatch):
    client.force_login(alice)
    client.get("/")
    with record_commands() as commands:
        for _visit in range(3):
            assert client.get("/").status_code == 200
    assert "moderation_brand" not in {asked.get(name) for name, asked in commands}
    # Without the cache, the pages would read the brand.
    monkeypatch.setattr(current, "CACHE_SECONDS", 0.0)
    clear_brand_cache()
    with record_commands() as commands:
        clear_brand_cache()
        assert client.get("/").status_code == 200
    reads = [asked for name, asked in commands if asked.get(name) == "moderation_brand"]
    assert len(reads) == 2  # for the language and for the template


def test_other_processes_show_a_change_when_their_cache_expires(client):
    assert "Socialsite" in text_of(client)
    Brand.objects.create(pk=Brand.ONLY_ID, name="Changed elsewhere")
    assert "Socialsite" in text_of(client)
    assert 0 < current.CACHE_SECONDS <= 20
    clear_brand_cache()  # as if the time were over
    assert "Changed elsewhere" in text_of(client)


def test_cached_fragments_follow_the_brand(ada):
    visitor = Client()
    before = text_of(visitor, "/explore/")
    send(ada)
    after = text_of(visitor, "/explore/")
    send(ada, name="Coffee House", logo=upload(picture()))
    last = text_of(visitor, "/explore/")
    names = [re.findall(r'class="brand-name">([^<]+)<', page) for page in (before, after, last)]
    assert names == [["Socialsite"], ["Tea House"], ["Coffee House"]]
    assert logo_of(last)


def test_health_checks_do_not_read_the_brand(client, record_commands, settings):
    settings.LANGUAGES = [("en", "English"), ("de", "German")]
    with record_commands() as commands:
        clear_brand_cache()
        assert client.get("/health").status_code == 200
    assert not commands
