"""What makes the site installable: the manifest, the service worker and the offline page."""

import json
import re
from io import BytesIO

import pytest
from django.templatetags.static import static
from PIL import Image


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def read(response):
    content = b"".join(response.streaming_content) if response.streaming else response.content
    response.close()
    return content


def test_the_manifest_fulfils_what_browsers_require(client, settings):
    settings.SITE_NAME = "Our “Place” </script>"
    response = client.get("/manifest.webmanifest")
    assert response["Content-Type"] == "application/manifest+json"
    assert "public" in response["Cache-Control"]
    data = json.loads(response.content)
    assert data["name"] == data["short_name"] == settings.SITE_NAME
    assert (data["id"], data["start_url"], data["scope"]) == ("/", "/", "/")
    assert data["display"] == "standalone"
    assert [icon["purpose"] for icon in data["icons"]] == ["any", "any", "maskable"]
    for icon in data["icons"]:
        picture = Image.open(BytesIO(read(client.get(icon["src"]))))
        assert f"{picture.width}x{picture.height}" == icon["sizes"]
        assert picture.format == "PNG"
        if icon["purpose"] == "maskable":
            assert picture.convert("RGBA").getpixel((0, 0))[3] == 255, "the system cuts the corners"
    for shortcut in data["shortcuts"]:
        assert client.get(shortcut["url"]).status_code in (200, 302)


def test_every_page_links_to_the_manifest(client, as_alice):
    for page in ("/", "/public/", "/settings/profile/"):
        assert (
            '<link rel="manifest" href="/manifest.webmanifest">'
            in as_alice.get(page).content.decode()
        )


def test_the_worker_may_control_the_whole_site(client, record_commands):
    with record_commands() as commands:
        response = client.get("/worker.js")
    assert commands == []
    assert response["Content-Type"] == "text/javascript; charset=utf-8"
    assert "'self'" in response["Content-Security-Policy"]
    assert "max-age" in response["Cache-Control"]
    script = response.content.decode()
    assert "http" not in re.sub(r"^//.*$", "", script, flags=re.MULTILINE)
    assert client.get("/worker.js", headers={"If-None-Match": response["ETag"]}).status_code == 304
    assert client.post("/worker.js").status_code == 405


def test_the_worker_names_existing_files(client):
    script = client.get("/worker.js").content.decode()
    files = json.loads(re.search(r"const FILES = (.*);", script)[1])
    assert files == ["/offline/", static("css/site.css"), static("css/icons.css")]
    for file in files:
        response = client.get(file)
        assert response.status_code == 200
        read(response)


def test_browsers_get_a_new_worker_if_the_offline_page_changes(client, settings):
    before = client.get("/worker.js").content
    assert client.get("/worker.js").content == before
    settings.SITE_NAME = "Renamed"
    assert client.get("/worker.js").content != before


def test_the_offline_page_depends_on_no_user(as_alice, alice, record_commands):
    as_alice.cookies["theme"] = "dark"
    with record_commands() as commands:
        html = as_alice.get("/offline/").content.decode()
    assert len(commands) <= 2, "the session and the user, for the time zone"
    assert 'data-theme="dark"' in html
    assert alice.username not in html
    assert "csrf" not in html
    as_alice.cookies["theme"] = '"><script>'
    assert 'data-theme="auto"' in as_alice.get("/offline/").content.decode()


@pytest.mark.parametrize("page", ["/", "/?max_id=5", "/public/"])
def test_only_pages_of_users_are_private_so_that_the_worker_saves_no_other(client, alice, page):
    assert "private" not in client.get(page).headers.get("Cache-Control", "")
    client.force_login(alice)
    assert "private" in client.get(page)["Cache-Control"]


def test_only_home_has_the_line_for_the_saved_page(as_alice):
    line = '<p class="message" role="status" data-saved-page hidden>'
    html = as_alice.get("/").content.decode()
    assert html.count(line) == html.count("<time data-saved-at></time>") == 1
    assert line not in as_alice.get("/public/").content.decode()


def test_after_log_out_the_browser_deletes_pages(as_alice):
    assert "Clear-Site-Data" not in as_alice.get("/accounts/logout/")
    response = as_alice.post("/accounts/logout/")
    assert (response.status_code, response["Clear-Site-Data"]) == (302, '"cache"')
