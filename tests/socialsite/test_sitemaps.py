"""robots.txt, and the profiles that the sitemap lists for search engines."""

import re
from xml.etree import ElementTree

import pytest

from accounts.models import User
from accounts.services.account_status import suspend_user
from accounts.services.profiles import change_settings, set_private
from socialsite import sitemaps
from tests.factories import people


def locations(response):
    assert response["Content-Type"] == "application/xml; charset=utf-8"
    root = ElementTree.fromstring(response.content)  # noqa: S314 - our own response
    return [location.text for location in root.iter(f"{{{sitemaps.NAMESPACE}}}loc")]


@pytest.fixture
def listed(client):
    """A function that reads the whole sitemap and returns the paths of all listed profiles."""

    def read():
        paths = []
        for part in locations(client.get("/sitemap.xml")):
            paths += locations(client.get(part.removeprefix("http://testserver")))
        return [path.removeprefix("http://testserver") for path in paths]

    return read


def test_robots_txt_names_the_sitemap_and_disallowed_paths(client):
    response = client.get("/robots.txt")
    assert (response.status_code, response["Content-Type"]) == (200, "text/plain; charset=utf-8")
    lines = response.content.decode().splitlines()
    assert lines[0] == "User-agent: *"
    assert {"Disallow: /accounts/", "Disallow: /search/", "Disallow: /settings/"} < set(lines)
    assert lines[-1] == "Sitemap: http://testserver/sitemap.xml"


def test_the_sitemap_lists_public_profiles_that_allow_it(listed):
    users = people(6)
    set_private(uid=users[1].pk, is_private=True)
    change_settings(uid=users[2].pk, is_indexable=False)
    suspend_user(uid=users[3].pk)
    User.objects.filter(pk=users[4].pk).update(is_limited=True)
    assert listed() == ["/@p0/", "/@p5/"]


def test_the_parts_list_every_profile_once(listed, monkeypatch):
    monkeypatch.setattr(sitemaps, "PART_SIZE", 3)
    people(8)
    assert sorted(listed()) == [f"/@p{n}/" for n in range(8)]


def test_the_sitemap_has_a_limited_cost(client, monkeypatch, record_commands):
    monkeypatch.setattr(sitemaps, "PART_SIZE", 2)
    monkeypatch.setattr(sitemaps, "MAX_PARTS", 2)
    people(6)
    with record_commands() as commands:
        parts = locations(client.get("/sitemap.xml"))
    assert len(parts) == 2
    assert len([name for name, asked in commands if asked.get("aggregate") == "accounts_user"]) <= 3
    with record_commands() as commands:
        assert locations(client.get("/sitemap.xml")) == parts
    assert not [name for name, asked in commands if asked.get("aggregate") == "accounts_user"]


def test_other_parts_do_not_exist(client, alice):
    assert client.get(f"/sitemap/{alice.pk + 1}.xml").status_code == 404
    assert client.get("/sitemap/0.xml").status_code == 404
    assert client.get(f"/sitemap/{'9' * 19}.xml").status_code == 404
    assert re.search(rb"<urlset [^>]+>\n<url>", client.get(f"/sitemap/{alice.pk}.xml").content)
