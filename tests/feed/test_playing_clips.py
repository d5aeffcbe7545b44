"""Clips of published posts: parts of files, access, moderation, search, feeds and previews."""

import pytest
from django.test import Client

from feed import tasks
from feed.models import Post
from feed.services.moderation import set_post_hidden
from tests.api.api_client import Api
from tests.clips import audio, published_clip, video
from tests.factories import follow
from tests.feed.picture_uploads import FOLDER

pytestmark = pytest.mark.usefixtures("no_pictures", "needs_ffmpeg", "asked")


def local(url):
    return url.removeprefix("http://testserver")


def clip_of(status):
    return status["media_attachments"][0]


def get(url, **headers):
    """Load a file without a session or a token, as browsers and apps do."""
    response = Client().get(local(url), headers=headers)
    content = b"".join(response) if response.streaming else response.content
    response.close()
    return response, content


def test_parts_of_a_file_are_served(alice):
    url = clip_of(published_clip(alice, video()))["url"]
    response, whole = get(url)
    assert response["Accept-Ranges"] == "bytes"
    assert int(response["Content-Length"]) == len(whole)
    size = len(whole)
    for asked_range, start, end in (
        ("bytes=0-1", 0, 1),
        ("bytes=0-", 0, size - 1),
        ("bytes=100-299", 100, 299),
        ("bytes=-50", size - 50, size - 1),
        (f"bytes=10-{size * 9}", 10, size - 1),
        (f"bytes=-{size * 9}", 0, size - 1),
    ):
        response, part = get(url, Range=asked_range)
        assert response.status_code == 206, asked_range
        assert part == whole[start : end + 1]
        assert response["Content-Range"] == f"bytes {start}-{end}/{size}"
        assert int(response["Content-Length"]) == len(part)
        assert response["Content-Type"] == "video/mp4"
        assert "immutable" in response["Cache-Control"]
    for asked_range in (f"bytes={size}-", "bytes=9-3", "bytes=-0"):
        response, _ = get(url, Range=asked_range)
        assert (response.status_code, response["Content-Range"]) == (416, f"bytes */{size}")
    for asked_range in ("bytes=0-1,5-6", "bytes=-", "lines=0-1", "bytes=x-1", "bytes=٣-٤"):
        response, content = get(url, Range=asked_range)
        assert (response.status_code, content) == (200, whole)


def test_a_clip_for_followers_has_a_signed_url(alice, bob):
    follow(bob, alice)
    status = published_clip(alice, video(), visibility="private")
    shown = clip_of(Api(bob).get(f"statuses/{status['id']}").json())
    assert "?until=" in shown["url"]
    response, _ = get(shown["url"], Range="bytes=0-1")
    assert response.status_code == 206
    assert "private" in response["Cache-Control"]
    assert get(shown["url"].partition("?")[0])[0].status_code == 404
    client = Client()
    client.force_login(bob)
    html = client.get("/@alice/").content.decode()
    assert local(shown["url"]).replace("&", "&amp;") in html


def test_moderators_remove_and_restore_a_clip(alice):
    for content in (video(), audio()):
        status = published_clip(alice, content)
        url = clip_of(status)["url"]
        for _ in range(2):
            set_post_hidden(post_id=int(status["id"]), state=Post.Hidden.REMOVED)
            assert get(url)[0].status_code == 404
        assert not list(FOLDER.glob("*-clip.mp4"))
        for _ in range(2):
            set_post_hidden(post_id=int(status["id"]), state="")
            assert get(url)[0].status_code == 200
        assert Api(alice).delete(f"statuses/{status['id']}?delete_media=true").status_code == 200
        assert get(url)[0].status_code == 404
        tasks.clean_up_pictures()
        assert not list(FOLDER.glob("*"))


def test_a_content_warning_hides_the_clip(alice, client):
    status = published_clip(alice, video(), sensitive=True)
    html = client.get(f"/@alice/{status['id']}/").content.decode()
    details = html.partition('<details class="content-warning">')[2].partition("</details>")[0]
    assert "<video" in details
    assert html.count("<video") == 1


def test_clips_are_found_by_search_and_shown_as_media(alice, bob):
    film = published_clip(alice, video(), status="Bars")["id"]
    song = published_clip(alice, audio(), status="Tone")["id"]
    ids_by_query = {
        word: [status["id"] for status in Api(bob).get("/api/v2/search", q=word).json()["statuses"]]
        for word in ("has:video", "has:audio", "has:media", "has:picture", "card")
    }
    assert ids_by_query == {
        "has:video": [film],
        "has:audio": [song],
        "has:media": [song, film],
        "has:picture": [],
        "card": [song, film],
    }
    shown = Api(bob).get(f"accounts/{alice.pk}/statuses", only_media=True).json()
    assert [status["id"] for status in shown] == [song, film]


def test_feeds_and_previews_link_to_the_clip(alice, client):
    film = published_clip(alice, video(), status="")
    song = published_clip(alice, audio(), status="", description="", alt="")
    feed = client.get("/@alice/feed/").content.decode()
    for status in (film, song):
        assert clip_of(status)["url"] in feed
    assert feed.count("-small.webp") == 1
    assert "<title>A test card</title>" in feed
    assert "<title>Audio</title>" in feed
    html = client.get(f"/@alice/{film['id']}/").content.decode()
    assert f"{clip_of(film)['preview_url'].replace('small', 'large')}" in html
    html = client.get(f"/@alice/{song['id']}/").content.decode()
    assert 'property="og:image"' in html
    assert "-large.webp" not in html
