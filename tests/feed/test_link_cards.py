"""Cards of linked pages: what is fetched, when, and who sees it. The pages come from a real server."""

import io
import threading
import time
from contextlib import closing
from datetime import timedelta
from html import escape
from pathlib import Path

import dns.resolver
import pytest
from django.conf import settings as django_settings
from django.utils import timezone
from PIL import Image

from accounts.infra import rate_limits
from accounts.infra.web_pages import fetch_threads
from accounts.infra.web_pages.html_tags import tags_in
from feed import picture_files, tasks
from feed.link_cards import cards
from feed.link_cards.page_data import read_page_data
from feed.models import Picture, Post
from feed.picture_files import SIZES
from feed.services.erasure import erase_user_data
from feed.services.moderation import set_post_hidden
from feed.services.posts import delete_post
from feed.store import link_cards as store
from feed.store.collections import link_cards, posts
from tests.actions import edit_post, publish_post
from tests.factories import publish, publish_many
from tests.feed.workers import wait_until
from tests.web_server import NameServer, named_site, other_site

MEDIA = Path(django_settings.DATA_DIR) / "media" / "pictures"


def picture_file(color="red", size=(300, 200), kind="PNG"):
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, kind)
    return out.getvalue()


def html_page(title="A title", *, extra="", **tags):
    metas = "".join(
        f'<meta property="{name.replace("__", ":")}" content="{escape(value)}">'
        for name, value in tags.items()
    )
    return f"<html lang=en-GB><head><title>{escape(title)}</title>{metas}{extra}</head></html>"


@pytest.fixture
def asked(monkeypatch):
    """Collect enqueued cards as ids of posts, instead of running the tasks."""
    ids = []
    monkeypatch.setattr(
        tasks.fetch_link_card,
        "apply_async",
        lambda *, kwargs, retry: ids.append(kwargs["post_id"]),
    )
    return ids


@pytest.fixture
def site(settings, asked, monkeypatch):
    settings.FETCH_LINKS = True
    with named_site(settings, monkeypatch, "www.atlas.example.org") as site:
        yield site


@pytest.fixture
def page(site):
    """Serve a page with everything. Return its URL."""
    site.serve("/picture.png", picture_file(), "image/png")
    content = html_page(
        og__title="Rivers",
        og__description="All of  them,\nby length",
        og__image="/picture.png",
        og__image__alt="A river",
        og__site_name="The Atlas",
        author="Ada Lovelace",
        article__author="https://people.example.org/ada",
        article__published_time="2024-05-01T10:00:00+02:00",
    )
    return site.serve("/rivers", content, "text/html; charset=utf-8")


def run_tasks(asked):
    while asked:
        tasks.fetch_link_card(post_id=asked.pop(0))


def stored_card(post_id):
    return Post.objects.get(pk=post_id).link_card


def test_a_card_arrives_after_the_post(client, page, site, asked, alice):
    post_id = publish(alice, f"Look: {page}#part and http://other.example.org")
    assert site.requests == []
    assert asked == [post_id]
    before = client.get(f"/@alice/{post_id}/").content.decode()
    assert "Rivers" not in before
    assert client.get(f"/api/v1/statuses/{post_id}").json()["card"] is None
    run_tasks(asked)
    for path in (f"/@alice/{post_id}/", "/@alice/", "/public/"):
        html = client.get(path).content.decode()
        assert html.count(f'href="{page}"') == 1, path
        assert ">Rivers<" in html
        assert "All of them, by length" in html
        assert "Ada Lovelace" in html
        assert 'alt="A river"' in html
        assert ">atlas.example.org<" in html
        assert 'src="http' not in html
    card = client.get(f"/api/v1/statuses/{post_id}").json()["card"]
    image = card.pop("image")
    assert card == {
        "url": page,
        "title": "Rivers",
        "description": "All of them, by length",
        "type": "link",
        "author_name": "Ada Lovelace",
        "author_url": "https://people.example.org/ada",
        "provider_name": "The Atlas",
        "provider_url": "",
        "html": "",
        "width": 300,
        "height": 200,
        "embed_url": "",
        "blurhash": None,
        "image_description": "A river",
        "language": "en",
        "published_at": "2024-05-01T08:00:00.000Z",
        "authors": [
            {"name": "Ada Lovelace", "url": "https://people.example.org/ada", "account": None}
        ],
    }
    response = client.get(image.removeprefix(django_settings.SITE_URL))
    assert response["Content-Type"] == "image/webp"
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert Image.open(io.BytesIO(response.getvalue())).size == (300, 200)


def test_a_page_is_fetched_once_for_all_posts(page, site, asked, alice, bob):
    first = publish(alice, page)
    second = publish(bob, page)
    tasks.fetch_link_card(post_id=first)
    # The worker of the first post has also updated the second post, which was waiting.
    assert stored_card(first) == stored_card(second)
    assert stored_card(first)["title"] == "Rivers"
    third = publish(alice, f"Again {page}")
    run_tasks(asked)
    assert stored_card(third) == stored_card(first)
    assert site.paths == ["/rivers", "/picture.png"]


def test_one_worker_at_a_time_fetches_a_page(page, site, asked, alice, bob):
    first, second = publish(alice, page), publish(bob, page)
    other_posts = []

    def respond_slowly(handler):
        tasks.fetch_link_card(post_id=second)
        other_posts.append(stored_card(second))
        slow_page(handler)

    slow_page = site.pages["/rivers"]
    site.pages["/rivers"] = respond_slowly
    tasks.fetch_link_card(post_id=first)
    assert "due_at" in other_posts[0]
    assert stored_card(second)["title"] == "Rivers"
    assert site.paths.count("/rivers") == 1


def test_nothing_is_fetched_if_the_setting_is_off(page, site, asked, settings, alice):
    waiting = publish(alice, page)
    settings.FETCH_LINKS = False
    run_tasks(asked)
    tasks.fetch_missing_link_cards()
    publish(alice, page)
    assert asked == []
    assert site.requests == []
    settings.FETCH_LINKS = True
    tasks.fetch_link_card(post_id=waiting)
    assert stored_card(waiting)["title"] == "Rivers"


@pytest.mark.parametrize(
    "text",
    [
        "No link",
        "http://testserver/@alice/",
        "http://user@example.org/x",
        "http://example.org:8080/",
        "@bob https://example.org/",
    ],
)
def test_these_posts_get_no_card(site, asked, alice, bob, text):
    visibility = "direct" if "@bob" in text else "public"
    post_id = publish(alice, text, visibility)
    assert stored_card(post_id) is None
    assert asked == []


def test_pictures_and_polls_show_no_card(client, page, asked, alice):
    picture = Picture.objects.create(owner=alice.pk, name="a" * 32, width=1, height=1)
    with_picture = publish_post(author=alice.pk, text=page, picture_ids=[picture.pk])
    choices = {"choices": ["a", "b"], "is_multiple": False, "hides_totals": False}
    details = {**choices, "counts": [0, 0], "voters": 0, "ends_at": time.time() + 999}
    poll = publish_post(author=alice.pk, text=page, kind="poll", details=details)
    assert stored_card(with_picture) is stored_card(poll) is None
    assert asked == []
    # Removing the picture lets the card appear.
    edit_post(post_id=with_picture, actor=alice, text=page, picture_ids=[])
    run_tasks(asked)
    assert stored_card(with_picture)["title"] == "Rivers"


def test_an_edit_replaces_keeps_or_removes_the_card(page, site, asked, alice):
    other = site.serve("/other", html_page("Lakes"))
    post_id = publish(alice, page)
    run_tasks(asked)
    edit_post(post_id=post_id, actor=alice, text=f"Now with words {page}")
    assert asked == []
    assert stored_card(post_id)["title"] == "Rivers"
    edit_post(post_id=post_id, actor=alice, text=f"{other} before {page}")
    assert stored_card(post_id).keys() == {"url", "due_at"}
    run_tasks(asked)
    assert stored_card(post_id) == {"url": other, "title": "Lakes", "language": "en"}
    edit_post(post_id=post_id, actor=alice, text="No link")
    assert stored_card(post_id) is None


def test_a_link_that_an_edit_removes_during_the_download_stays_removed(page, site, asked, alice):
    post_id = publish(alice, page)
    whole_page = site.pages["/rivers"]

    def respond(handler):
        edit_post(post_id=post_id, actor=alice, text="No link")
        whole_page(handler)

    site.pages["/rivers"] = respond
    run_tasks(asked)
    assert stored_card(post_id) is None


def test_lost_tasks_are_enqueued_again(page, asked, alice):
    post_id = publish(alice, page)
    asked.clear()
    tasks.fetch_missing_link_cards()
    assert asked == []
    posts().update_one({"_id": post_id}, {"$set": {"link_card.due_at": time.time() - 1}})
    tasks.fetch_missing_link_cards()
    tasks.fetch_missing_link_cards()
    assert asked == [post_id]
    run_tasks(asked)
    assert stored_card(post_id)["title"] == "Rivers"
    tasks.fetch_missing_link_cards()
    assert asked == []


STEPS = [
    (cards, "fetch"),
    (cards, "_fetch_picture"),
    (cards.picture_files, "store_upload"),
    (cards, "picture_entry"),
    (cards.link_cards, "save_card"),
    (cards, "_finish"),
    (cards, "sync_picture"),
    (cards.link_cards, "copy_to_posts"),
]


class Killed(BaseException):
    """Stands for a worker that dies."""


@pytest.mark.parametrize(("module", "name"), STEPS)
def test_a_worker_that_dies_anywhere_leads_to_the_same_card(
    page, site, asked, alice, monkeypatch, module, name
):
    post_id = publish(alice, page)

    def die(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, name, die)
        with pytest.raises(Killed):
            tasks.fetch_link_card(post_id=post_id)
    assert "due_at" in stored_card(post_id)
    link_cards().update_one({}, {"$set": {"claimed_until": timezone.now()}})
    tasks.fetch_link_card(post_id=post_id)
    assert stored_card(post_id)["title"] == "Rivers"
    shown = stored_card(post_id)["picture"]["name"]
    Picture.objects.filter(post=None).update(created_at=timezone.now() - timedelta(days=2))
    tasks.clean_up_pictures()
    assert [picture.name for picture in Picture.objects.all()] == [shown]


def test_a_page_that_kills_workers_is_given_up(page, site, asked, alice, monkeypatch):
    post_id = publish(alice, page)

    def die(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(cards, "fetch", die)
        for _ in range(cards.MAX_ATTEMPTS):
            with pytest.raises(Killed):
                tasks.fetch_link_card(post_id=post_id)
            link_cards().update_one({}, {"$set": {"claimed_until": timezone.now()}})
        tasks.fetch_link_card(post_id=post_id)
    assert stored_card(post_id) == {"url": page}


def expire(url):
    link_cards().update_one({"_id": url}, {"$set": {"fresh_until": timezone.now()}})


def test_failures_are_remembered_for_a_shorter_time(client, site, asked, alice):
    url = site.url + "/missing"
    post_id = publish(alice, url)
    run_tasks(asked)
    assert stored_card(post_id) == {"url": url}
    assert client.get(f"/api/v1/statuses/{post_id}").json()["card"] is None
    publish(alice, f"Again {url}")
    run_tasks(asked)
    assert site.paths == ["/missing"]
    assert cards.FAILURE_DURATION < cards.FRESH_DURATION
    remembered = link_cards().find_one({"_id": url})["fresh_until"]
    assert remembered < (timezone.now() + cards.FAILURE_DURATION).replace(tzinfo=None)
    expire(url)
    site.serve("/missing", html_page("Found"))
    publish(alice, f"Later {url}")
    run_tasks(asked)
    assert stored_card(post_id)["title"] == "Found"


def test_an_old_card_is_refreshed_in_all_posts(page, site, asked, alice, no_pictures):
    old_post = publish(alice, page)
    run_tasks(asked)
    old_name = stored_card(old_post)["picture"]["name"]
    expire(page)
    site.serve("/picture.png", picture_file("blue"), "image/png")
    new_post = publish(alice, f"Again {page}")
    run_tasks(asked)
    assert stored_card(old_post) == stored_card(new_post)
    new_name = stored_card(old_post)["picture"]["name"]
    assert new_name != old_name
    tasks.clean_up_pictures()
    assert {file.name[:32] for file in MEDIA.glob("*")} == {new_name}
    # A page that cannot be fetched any more keeps its card.
    expire(page)
    del site.pages["/rivers"]
    publish(alice, f"And again {page}")
    run_tasks(asked)
    assert stored_card(old_post)["picture"]["name"] == new_name


def grow_old():
    link_cards().update_many({}, {"$set": {"used_at": timezone.now() - timedelta(days=2)}})


def test_unused_cards_and_pictures_are_deleted_at_night(page, site, asked, alice, no_pictures):
    first, second = publish(alice, page), publish(alice, f"Again {page}")
    run_tasks(asked)
    delete_post(post_id=first, actor=alice)
    grow_old()
    tasks.delete_unused_link_cards()
    tasks.clean_up_pictures()
    assert link_cards().count_documents({}) == 1
    assert len(list(MEDIA.glob("*"))) == 2
    delete_post(post_id=second, actor=alice)
    tasks.delete_unused_link_cards()
    assert link_cards().count_documents({}) == 1, "used a moment ago"
    grow_old()
    tasks.delete_unused_link_cards()
    tasks.clean_up_pictures()
    assert link_cards().count_documents({}) == 0
    assert list(MEDIA.glob("*")) == []
    # The same link is fetched again.
    publish(alice, page)
    run_tasks(asked)
    assert site.paths.count("/rivers") == 2


def test_a_card_that_is_used_during_the_cleanup_stays(page, asked, alice):
    post_id = publish(alice, page)
    run_tasks(asked)
    delete_post(post_id=post_id, actor=alice)
    grow_old()
    (card,) = store.cards_used_before(before=timezone.now(), limit=9)
    assert store.use_card(url=page, now=timezone.now()) is not None
    assert not store.delete_card(card=card)


def test_erasure_deletes_the_cards_of_a_user(page, asked, alice, bob, no_pictures):
    publish(alice, page)
    run_tasks(asked)
    erase_user_data(uid=alice.pk)
    assert link_cards().count_documents({}) == 0
    assert list(MEDIA.glob("*")) == []
    # The card of a link that somebody else posted, too, stays.
    publish(alice, page)
    post_id = publish(bob, page)
    run_tasks(asked)
    erase_user_data(uid=alice.pk)
    assert stored_card(post_id)["title"] == "Rivers"
    assert len(list(MEDIA.glob("*"))) == 2


def test_posts_pending_review_wait(client, page, site, asked, settings, alice):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    post_id = publish(alice, page)
    assert asked == []
    tasks.fetch_link_card(post_id=post_id)
    posts().update_one({"_id": post_id}, {"$set": {"link_card.due_at": time.time() - 1}})
    tasks.fetch_missing_link_cards()
    assert (asked, site.requests) == ([], [])
    set_post_hidden(post_id=post_id, state="")
    tasks.fetch_missing_link_cards()
    run_tasks(asked)
    assert stored_card(post_id)["title"] == "Rivers"


def test_removing_a_post_leaves_the_cards_of_others(client, page, asked, alice, bob):
    removed, other = publish(alice, page), publish(bob, page)
    run_tasks(asked)
    set_post_hidden(post_id=removed, state=Post.Hidden.REMOVED)
    assert client.get(f"/@alice/{removed}/").status_code == 404
    assert "Rivers" in client.get(f"/@bob/{other}/").content.decode()
    set_post_hidden(post_id=removed, state="")
    assert "Rivers" in client.get(f"/@alice/{removed}/").content.decode()


def picture_status(client, post_id):
    name = stored_card(post_id)["picture"]["name"]
    statuses = set()
    for size in SIZES:
        with closing(client.get(f"/media/pictures/{name}-{size}.webp")) as response:
            statuses.add(response.status_code)
    (status,) = statuses
    return status


def test_the_picture_of_a_card_is_served_while_any_post_shows_it(
    client, page, asked, alice, bob, no_pictures
):
    first, second = publish(alice, page), publish(bob, page)
    run_tasks(asked)
    for _repeat in range(2):
        set_post_hidden(post_id=first, state=Post.Hidden.REMOVED)
        assert picture_status(client, first) == 200
    set_post_hidden(post_id=second, state=Post.Hidden.REMOVED)
    assert picture_status(client, first) == 404
    set_post_hidden(post_id=first, state="")
    assert picture_status(client, first) == 200


@pytest.mark.parametrize("change", ["delete", "edit", "add a picture"])
def test_the_picture_of_a_removed_post_is_not_served_once_no_other_post_shows_it(
    client, page, asked, alice, bob, no_pictures, change
):
    removed, other = publish(alice, page), publish(bob, page)
    run_tasks(asked)
    set_post_hidden(post_id=removed, state=Post.Hidden.REMOVED)
    assert picture_status(client, removed) == 200
    if change == "delete":
        delete_post(post_id=other, actor=bob)
    elif change == "edit":
        edit_post(post_id=other, actor=bob, text="No link")
    else:
        picture = Picture.objects.create(owner=bob.pk, name="a" * 32, width=1, height=1)
        edit_post(post_id=other, actor=bob, text=page, picture_ids=[picture.pk])
    assert picture_status(client, removed) == 404
    set_post_hidden(post_id=removed, state="")
    assert picture_status(client, removed) == 200


def test_the_nightly_job_hides_the_picture_of_a_removed_post(
    client, page, asked, alice, bob, no_pictures
):
    removed, other = publish(alice, page), publish(bob, page)
    run_tasks(asked)
    set_post_hidden(post_id=removed, state=Post.Hidden.REMOVED)
    # The process died after the deletion.
    posts().delete_one({"_id": other})
    grow_old()
    tasks.delete_unused_link_cards()
    assert picture_status(client, removed) == 404


def test_a_new_post_restores_the_picture_of_its_card(client, page, asked, alice, bob, no_pictures):
    removed = publish(alice, page)
    run_tasks(asked)
    set_post_hidden(post_id=removed, state=Post.Hidden.REMOVED)
    assert picture_status(client, removed) == 404
    new = publish(bob, page)
    run_tasks(asked)
    assert picture_status(client, new) == 200


def test_a_post_that_is_restored_while_its_picture_is_hidden_keeps_it(
    client, page, asked, alice, bob, no_pictures, monkeypatch
):
    first, second = publish(alice, page), publish(bob, page)
    run_tasks(asked)
    set_post_hidden(post_id=first, state=Post.Hidden.REMOVED)
    hide_pictures = picture_files.hide_pictures

    def restore_first_and_hide(*, media):
        if media:
            monkeypatch.setattr(picture_files, "hide_pictures", hide_pictures)
            set_post_hidden(post_id=first, state="")
        hide_pictures(media=media)

    monkeypatch.setattr(picture_files, "hide_pictures", restore_first_and_hide)
    set_post_hidden(post_id=second, state=Post.Hidden.REMOVED)
    assert picture_status(client, first) == 200


def test_the_picture_of_a_removed_card_is_deleted_with_it(client, page, asked, alice, no_pictures):
    post_id = publish(alice, page)
    run_tasks(asked)
    name = stored_card(post_id)["picture"]["name"]
    set_post_hidden(post_id=post_id, state=Post.Hidden.REMOVED)
    assert list(MEDIA.parent.rglob(f"{name}*"))
    posts().update_one({"_id": post_id}, {"$unset": {"link_card": ""}})
    cards.delete_unused(now=timezone.now() + timedelta(days=2))
    tasks.clean_up_pictures()
    assert not list(MEDIA.parent.rglob(f"{name}*"))


def test_a_card_is_behind_the_content_warning(client, page, asked, alice):
    post_id = publish_post(author=alice.pk, text=page, content_warning="Water")
    run_tasks(asked)
    html = client.get(f"/@alice/{post_id}/").content.decode().partition("<main")[2]
    assert html.index("<details") < html.index(">Rivers<") < html.index("</details>")


def test_a_link_post_shows_its_card_instead_of_its_address(client, page, asked, alice):
    details = {"url": page, "host": "atlas.example.org"}
    post_id = publish_post(author=alice.pk, text="", kind="link", details=details)
    assert client.get(f"/api/v1/statuses/{post_id}").json()["card"]["title"] == page
    assert client.get(f"/@alice/{post_id}/").content.decode().count(f'href="{page}"') == 1
    run_tasks(asked)
    assert client.get(f"/api/v1/statuses/{post_id}").json()["card"]["title"] == "Rivers"
    assert client.get(f"/@alice/{post_id}/").content.decode().count(f'href="{page}"') == 1


def test_authors_and_hosts_have_limits(page, site, asked, settings, alice, bob, carol):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"link": "1/h", "link_host": "2/h"}
    urls = [site.serve(f"/{number}", html_page(str(number))) for number in range(4)]
    mine = [publish(alice, url) for url in urls[:2]]
    theirs = publish(bob, urls[2])
    last = publish(carol, urls[3])
    run_tasks(asked)
    assert site.paths == ["/0", "/2"]
    assert stored_card(theirs)["title"] == "2"
    for post_id in (mine[1], last):
        assert stored_card(post_id)["due_at"] > time.time() + 1000
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"link": "", "link_host": ""}
    posts().update_many(
        {"link_card.due_at": {"$gt": 0}}, {"$set": {"link_card.due_at": time.time() - 1}}
    )
    tasks.fetch_missing_link_cards()
    run_tasks(asked)
    assert [stored_card(post_id)["title"] for post_id in (mine[1], last)] == ["1", "3"]


def test_slow_hosts_delay_no_other_card(settings, asked, monkeypatch, alice, bob):
    settings.FETCH_LINKS = True
    names, may_end = NameServer(), threading.Event()
    for name in ("slow.example.org", "quick.example.org"):
        names.answers[name] = [["127.0.0.1"]]
    monkeypatch.setattr(dns.resolver, "default_resolver", names.resolver)
    with other_site(settings) as site:
        for number in range(5):
            site.serve(f"/slow/{number}", html_page("Slow"))
            site.pages[f"/slow/{number}"] = wait_first(may_end, site.pages[f"/slow/{number}"])
        site.serve("/quick", html_page("Quick"))
        slow_ids = [
            publish(alice, f"http://slow.example.org:{site.port}/slow/{number}")
            for number in range(5)
        ]
        quick_id = publish(bob, f"http://quick.example.org:{site.port}/quick")
        started = time.time()
        for post_id in asked:
            tasks.fetch_link_card.apply(kwargs={"post_id": post_id}, throw=True)
        try:
            wait_until(lambda: stored_card(quick_id).get("title") == "Quick")
            wait_until(lambda: len(site.paths) == 4)
            waiting = [card for card in map(stored_card, slow_ids) if "due_at" in card]
            assert len(waiting) == 5
        finally:
            may_end.set()
            wait_until(lambda: not fetch_threads.job_count())
        slow_cards = list(map(stored_card, slow_ids))
        assert [card.get("title") for card in slow_cards].count("Slow") == 3
        assert all(card.get("due_at", 0) < started + 120 for card in slow_cards)
    names.stop()


def wait_first(event, respond):
    def wait_and_respond(handler):
        event.wait(20)
        respond(handler)

    return wait_and_respond


def test_users_and_hosts_with_slow_pages_have_smaller_limits(
    page, site, asked, settings, alice, bob, carol, monkeypatch
):
    limits = {"slow_link": "1/h", "slow_link_host": "2/h"}
    settings.RATE_LIMITS = settings.RATE_LIMITS | limits
    urls = [site.serve(f"/{number}", html_page(str(number))) for number in range(6)]
    for url in urls[:2]:
        publish(alice, url)
    run_tasks(asked)
    assert site.paths == ["/0", "/1"]  # quick pages do not count
    monkeypatch.setattr(rate_limits, "SLOW_FETCH_SECONDS", 0)
    posts_by_author = [publish(alice, urls[2]), publish(alice, urls[3]), publish(bob, urls[4])]
    posts_by_author.append(publish(carol, urls[5]))
    run_tasks(asked)
    assert site.paths[2:] == ["/2", "/4"]
    for post_id in (posts_by_author[1], posts_by_author[3]):
        assert time.time() < stored_card(post_id)["due_at"] < time.time() + 61


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (b"not a picture", "image/png"),
        (picture_file(size=(20, 20)), "image/png"),
        (picture_file()[:100], "image/png"),
        (b"<svg/>", "image/svg+xml"),
        (b"\0" * 6_000_000, "image/png"),
        (b"", "image/jpeg"),
    ],
)
def test_unusable_pictures_are_left_out(page, site, asked, alice, content, content_type):
    site.serve("/picture.png", content, content_type)
    post_id = publish(alice, page)
    run_tasks(asked)
    assert stored_card(post_id)["title"] == "Rivers"
    assert "picture" not in stored_card(post_id)
    assert not Picture.objects.exists()


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1/x.png", "http://localhost/x.png", "file:///etc/passwd", "data:,"]
)
def test_pictures_in_inner_networks_are_not_fetched(site, asked, alice, address):
    url = site.serve("/", html_page(og__image=address))
    post_id = publish(alice, url)
    run_tasks(asked)
    assert "picture" not in stored_card(post_id)
    assert site.paths == ["/"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "<title></title>",
        "<title>\u202e \u200b</title>",
        "<title>unfinished",
        b"\x00\xff" * 5000,
        b"<title>\xff\xfe",
        '<meta property="og:title" content="' + "x" * 100_000,
        "<" * 100_000,
    ],
)
def test_pages_without_a_title_have_no_card(site, asked, alice, content):
    url = site.serve("/", content)
    post_id = publish(alice, url)
    run_tasks(asked)
    assert stored_card(post_id) == {"url": url}


def test_texts_of_pages_are_cleaned_and_escaped(client, site, asked, alice):
    url = site.serve(
        "/",
        html_page(
            og__title="<script>alert(1)</script>\u202egnp.exe\u2066 \x07" + "t" * 500,
            og__description="d" * 50_000,
            author="javascript://x",
            article__author="javascript://alert(1)",
            og__site_name="\n\tSite\u0000 ",
            og__image__alt='"><img src=x>',
        ),
    )
    post_id = publish(alice, url)
    run_tasks(asked)
    card = stored_card(post_id)
    assert card["title"].startswith("<script>alert(1)</script>gnp.exe t")
    assert len(card["title"]) == 200
    assert len(card["description"]) == 400
    assert card["site"] == "Site"
    assert card.keys() == {"url", "title", "description", "site", "language"}
    html = client.get(f"/@alice/{post_id}/").content.decode()
    assert "&lt;script&gt;alert(1)" in html
    assert "<script>alert(1)" not in html


def test_tags_of_twitter_and_html_are_used_if_open_graph_is_missing():
    html = """<title> Only
      a title </title><meta name=description content=Short><meta name="twitter:image" content=/a.png>
      <meta name="twitter:image:alt" content=Alt><meta name=AUTHOR content="https://x.example">
      <meta name="twitter:creator" content="@ada"><meta property="article:published_time" content="soon">"""
    data = read_page_data(tags=tags_in(html), url="https://example.org/x/")
    assert data.card_content() == {
        "title": "Only a title",
        "description": "Short",
        "author": "@ada",
    }
    assert (data.picture_url, data.picture_text) == ("https://example.org/a.png", "Alt")


def test_posts_with_a_link_are_a_timeline(client, site, alice, bob, carol):
    url = "https://www.example.org/page?a=1"
    mine = publish(alice, f"First {url}#part")
    details = {"url": url, "host": "example.org"}
    theirs = publish_post(author=bob.pk, text="", kind="link", details=details)
    publish(alice, "https://www.example.org/other")
    publish(alice, url, "unlisted")
    publish(carol, f"@bob {url}", "direct")

    def ids(**query):
        response = client.get("/api/v1/timelines/link", query)
        assert response.status_code == 200
        return [int(status["id"]) for status in response.json()]

    assert ids(url=url) == [theirs, mine]
    assert ids(url=url, limit=1) == [theirs]
    assert ids(url=url, max_id=theirs) == [mine]
    for other in ("https://example.org/page?a=1", "ftp://x", "x", "http://[", "https://xn--.org"):
        assert ids(url=other) == []
    assert client.get("/api/v1/timelines/link").status_code == 422
    idn = publish(alice, "https://bücher.org/")
    assert ids(url="https://xn--bcher-kva.org/") == ids(url="https://bücher.org/") == [idn]


def test_cards_cost_a_list_no_database_command(client, alice, bob, record_commands):
    ids = publish_many(bob, 5)
    client.force_login(alice)
    counts = []
    for title in ("", "A title"):
        for post_id in ids:
            card = {"url": f"https://example.org/{post_id}", "title": title}
            posts().update_one({"_id": post_id}, {"$set": {"link_card": card}})
        client.get("/public/")
        with record_commands() as commands:
            html = client.get("/public/").content.decode()
        assert html.count("A title") == (5 if title else 0)
        counts.append(len(commands))
    assert counts[0] == counts[1]
