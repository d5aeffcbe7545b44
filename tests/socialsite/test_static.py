"""Static files: hashed names, compression, permanent caching, and well-known URLs."""

import gzip
import re
from pathlib import Path

import brotli
import pytest
from django.conf import settings
from django.templatetags.static import static

APP = Path(settings.BASE_DIR) / "socialsite"
WELL_KNOWN_URLS = {
    "/favicon.ico": "image/x-icon",
    "/apple-touch-icon.png": "image/png",
    "/apple-touch-icon-precomposed.png": "image/png",
}
"""URLs that browsers request regardless of the page."""

FILES = [
    "css/site.css",
    *(f"js/{name}.js" for name in ("site", "live", "back", "complete", "search", "htmx.min")),
    "favicon.svg",
]


@pytest.fixture
def get(client):
    """A function that requests a page or file and reads it completely."""

    def request(path, **options):
        response = client.get(path, **options)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        response.close()
        return response, body

    return request


@pytest.mark.parametrize("name", FILES)
def test_files_have_hashed_names_and_are_cached_permanently(get, name):
    url = static(name)
    assert re.fullmatch(r"/static/.+\.[0-9a-f]{12}\.\w+", url)
    response, _ = get(url)
    assert response.status_code == 200
    assert "immutable" in response["Cache-Control"]
    assert int(re.search(r"max-age=(\d+)", response["Cache-Control"])[1]) >= 31_536_000
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in response


def test_scripts_set_classes_that_the_style_sheets_know():
    """The counter did not turn red, because the script and the style sheet had different names."""
    scripts = "".join(
        path.read_text() for path in APP.glob("static*/js/*.js") if "min" not in path.name
    )
    styles = "".join(path.read_text() for path in APP.glob("static*/css/*.css"))
    states = set(re.findall(r"\b(is-[a-z-]+)\b", scripts))
    assert "is-over" in states
    assert {state for state in states if f".{state}" not in styles} == set()


@pytest.mark.parametrize("name", ["css/site.css", "js/site.js", "js/live.js", "js/htmx.min.js"])
def test_files_are_served_compressed(get, name):
    _, plain = get(static(name))
    for encoding, decompress in (("gzip", gzip.decompress), ("br", brotli.decompress)):
        response, compressed = get(static(name), headers={"Accept-Encoding": encoding})
        assert response["Content-Encoding"] == encoding
        assert "Accept-Encoding" in response["Vary"]
        assert len(compressed) < len(plain) / 2
        assert decompress(compressed) == plain


def test_files_without_a_hash_are_not_served(client):
    assert client.get("/static/css/site.css").status_code == 404


@pytest.mark.parametrize("path", ["/static/", "/static/../manage.py", "/static/%2e%2e/%2e%2e/.env"])
def test_no_other_file_is_served(client, path):
    assert client.get(path).status_code == 404


def test_pages_load_existing_files_from_this_site_only(client, get, alice):
    client.force_login(alice)
    for page in ("/", "/settings/profile/", "/admin/login/"):
        html = client.get(page, follow=True).content.decode()
        urls = re.findall(r'<(?:link|script|img|use)\b[^>]*?(?:src|href)="([^"#][^"]*)"', html)
        assert urls or page == "/admin/login/"
        for url in urls:
            assert url.startswith("/"), "no request to another site"
            assert get(url)[0].status_code == 200


def test_the_stylesheet_loads_files_of_this_site_only(get):
    css = get(static("css/site.css"))[1].decode()
    for url in re.findall(r"url\(['\"]?([^)'\"]+)", css):
        assert url.startswith(("data:", "/static/", "../")), url


def test_the_stylesheet_is_small(get):
    assert len(get(static("css/site.css"))[1]) < 48 * 1024


@pytest.mark.parametrize(("path", "kind"), WELL_KNOWN_URLS.items())
def test_icons_are_at_their_well_known_urls(client, path, kind):
    response = client.get(path, follow=True)
    assert response.status_code == 200
    assert response["Content-Type"] in (kind, "image/vnd.microsoft.icon")
    assert b"".join(response.streaming_content)
    response.close()
