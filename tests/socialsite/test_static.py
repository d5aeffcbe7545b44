"""Static files as the site serves them: named by their content, compressed, cached for ever."""

import gzip
import re
from pathlib import Path

import brotli
import pytest
from django.conf import settings
from django.templatetags.static import static

SOURCES = Path(settings.BASE_DIR) / "socialsite" / "static"
KNOWN_ADDRESSES = {
    "/favicon.ico": "image/x-icon",
    "/apple-touch-icon.png": "image/png",
    "/apple-touch-icon-precomposed.png": "image/png",
}
"""Addresses that browsers ask for, whatever a page says."""

FILES = ["css/site.css", "js/site.js", "js/live.js", "js/htmx.min.js", "favicon.svg"]


@pytest.fixture
def get(client):
    """A page or a file, read to its end and closed."""

    def ask(path, **options):
        response = client.get(path, **options)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        response.close()
        return response, body

    return ask


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_named_by_its_content_and_cached_for_ever(get, name):
    address = static(name)
    assert re.fullmatch(r"/static/.+\.[0-9a-f]{12}\.\w+", address)
    response, _ = get(address)
    assert response.status_code == 200
    assert "immutable" in response["Cache-Control"]
    assert int(re.search(r"max-age=(\d+)", response["Cache-Control"])[1]) >= 31_536_000
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in response


@pytest.mark.parametrize("name", ["css/site.css", "js/site.js", "js/live.js", "js/htmx.min.js"])
def test_a_file_is_served_compressed_to_who_understands(get, name):
    _, plain = get(static(name))
    for coding, expand in (("gzip", gzip.decompress), ("br", brotli.decompress)):
        response, packed = get(static(name), headers={"Accept-Encoding": coding})
        assert response["Content-Encoding"] == coding
        assert "Accept-Encoding" in response["Vary"]
        assert len(packed) < len(plain) / 2
        assert expand(packed) == plain


def test_files_by_their_plain_name_are_not_kept(client):
    assert client.get("/static/css/site.css").status_code == 404


@pytest.mark.parametrize("path", ["/static/", "/static/../manage.py", "/static/%2e%2e/%2e%2e/.env"])
def test_no_other_file_can_be_had(client, path):
    assert client.get(path).status_code == 404


def test_what_a_page_names_is_there_and_is_all_from_here(client, get, alice):
    client.force_login(alice)
    for page in ("/", "/settings/profile/", "/admin/login/"):
        html = client.get(page, follow=True).content.decode()
        named = re.findall(r'<(?:link|script|img|use)\b[^>]*?(?:src|href)="([^"#][^"]*)"', html)
        assert named or page == "/admin/login/"
        for address in named:
            assert address.startswith("/"), "no request to another site"
            assert get(address)[0].status_code == 200


def test_what_the_stylesheet_names_is_there(get):
    css = get(static("css/site.css"))[1].decode()
    for address in re.findall(r"url\(['\"]?([^)'\"]+)", css):
        assert address.startswith(("data:", "/static/", "../")), address


def test_the_stylesheet_is_small():
    assert (SOURCES / "css" / "site.css").stat().st_size < 48 * 1024


@pytest.mark.parametrize(("path", "kind"), KNOWN_ADDRESSES.items())
def test_icons_stand_where_browsers_look_for_them(client, path, kind):
    answer = client.get(path, follow=True)
    assert answer.status_code == 200
    assert answer["Content-Type"] in (kind, "image/vnd.microsoft.icon")
    assert b"".join(answer.streaming_content)
    answer.close()


def test_robots_are_told_what_is_not_for_them(client):
    answer = client.get("/robots.txt")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain; charset=utf-8")
    lines = answer.content.decode().splitlines()
    assert lines[0] == "User-agent: *"
    assert {"Disallow: /accounts/", "Disallow: /search/", "Disallow: /settings/"} < set(lines)
