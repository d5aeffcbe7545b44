"""Featured hashtags: chosen in the settings or by apps, shown on the profile with exact numbers."""

import pytest
from django.test import Client

from accounts.infra.cursors import PageBounds
from accounts.infra.refusals import Refused
from accounts.services.blocks_and_mutes import block_user
from accounts.services.profiles import set_private
from feed.models import MAX_TEXT_LENGTH, Post
from feed.selectors.post_pages import profile_page
from feed.services.moderation import set_post_hidden
from feed.services.posts import delete_post
from feed.services.tags import feature_tag
from feed.store.collections import pins
from tests.actions import edit_post, pin_post
from tests.api.api_client import Api
from tests.at_once import at_once
from tests.factories import follow, publish, publish_many

from .query_plans import examined, plan_of
from .reading_html import send, words

PATH = "/settings/profile/hashtags/"


def numbers(user, viewer=None):
    """Return the number of posts by featured hashtag, as apps see it."""
    rows = Api(viewer).get(f"accounts/{user.pk}/featured_tags").json()
    return {row["name"]: int(row["statuses_count"]) for row in rows}


def page_of(client, path):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def as_bob(client, bob):
    client.force_login(bob)
    return client


def test_hashtags_are_added_and_removed_in_the_settings(as_bob, bob):
    publish(bob, "Rye #Bread")
    publish(bob, "More #bread and #salt")
    assert PATH in page_of(as_bob, "/settings/profile/")
    page = page_of(as_bob, PATH)
    assert "You feature no hashtags yet" in page
    assert 'value="bread"' in page
    for name in ("#Bread", "bread", " salt "):
        assert as_bob.post(PATH, {"name": name})["Location"] == PATH
    assert list(numbers(bob).items()) == [("bread", 2), ("salt", 1)]
    page = page_of(as_bob, PATH)
    assert "#bread 2 posts" in words(page)
    assert 'value="bread"' not in page
    (bread, _salt) = Api(bob).get("featured_tags").json()
    for _click in range(2):
        assert send(as_bob, page, f"{PATH}{bread['id']}/remove/").status_code == 302
    assert numbers(bob) == {"salt": 1}


def test_the_profile_links_to_the_posts_with_a_featured_hashtag(as_bob, bob):
    publish(bob, "Rye #bread")
    publish(bob, "No tag")
    feature_tag(author=bob.pk, name="bread")
    page = page_of(Client(), "/@bob/")
    assert 'href="/@bob/tagged/bread/"' in page
    assert "#bread 1 post " in words(page)
    tagged = page_of(Client(), "/@bob/tagged/bread/")
    assert "Rye" in tagged
    assert "No tag" not in tagged
    assert Client().get("/@bob/tagged/BREAD/")["Location"] == "/@bob/tagged/bread/"
    assert "No posts by Bob Brown" in page_of(Client(), "/@bob/tagged/salt/")
    for path in ("/@nobody/tagged/bread/", "/@bob/tagged/1/", "/@bob/tagged/a%20-b/"):
        assert Client().get(path).status_code == 404


def test_the_numbers_are_exact(alice, bob):
    feature_tag(author=bob.pk, name="bread")
    assert numbers(bob) == {"bread": 0}
    posts = publish_many(bob, 3, tag="#bread")
    publish(bob, "unlisted #bread", visibility="unlisted")
    publish(bob, "for followers #bread", visibility="followers")
    publish(bob, "@alice #bread", visibility="direct")
    assert numbers(bob) == {"bread": 4}
    edit_post(post_id=posts[0], actor=bob, text="no more")
    assert numbers(bob) == {"bread": 3}
    set_post_hidden(post_id=posts[1], state="removed")
    assert numbers(bob) == {"bread": 2}
    set_post_hidden(post_id=posts[1], state="")
    delete_post(post_id=posts[2], actor=bob)
    assert numbers(bob) == {"bread": 2}
    (row,) = Api().get(f"accounts/{bob.pk}/featured_tags").json()
    newest = Post.objects.filter(visibility="unlisted").get()
    assert row["last_status_at"] == newest.created_at.date().isoformat()
    assert row["url"] == "http://testserver/@bob/tagged/bread/"


def test_only_viewers_who_may_see_the_posts_see_the_hashtags(alice, bob, carol):
    publish(bob, "Rye #bread", visibility="followers")
    publish(bob, "Wheat #bread")
    feature_tag(author=bob.pk, name="bread")
    follow(carol, bob)
    assert "Rye" in tagged_page(carol)
    assert "Rye" not in tagged_page(alice)
    set_private(uid=bob.pk, is_private=True)
    assert (numbers(bob), numbers(bob, alice), numbers(bob, carol)) == ({}, {}, {"bread": 1})
    assert "Wheat" not in tagged_page(alice)
    assert "tagged/bread" not in page_of(client_of(alice), "/@bob/")
    set_private(uid=bob.pk, is_private=False)
    block_user(owner=bob.pk, other=alice.pk)
    assert numbers(bob, alice) == {}
    assert client_of(alice).get("/@bob/tagged/bread/").status_code == 404


def client_of(user):
    client = Client()
    client.force_login(user)
    return client


def tagged_page(viewer):
    return page_of(client_of(viewer), "/@bob/tagged/bread/")


def test_up_to_ten_hashtags_are_featured(as_bob, bob):
    for number in range(10):
        feature_tag(author=bob.pk, name=f"tag{number}")
    feature_tag(author=bob.pk, name="tag3")
    response = as_bob.post(PATH, {"name": "another"})
    assert response.status_code == 422
    assert "You can feature up to 10 hashtags." in response.content.decode()
    assert Api(bob).post("featured_tags", name="another").status_code == 422
    assert len(numbers(bob)) == 10


def test_concurrent_requests_keep_the_limit_and_the_pins(bob):
    post = publish(bob)
    tasks = [lambda n=n: _try_to_feature(bob, f"tag{n}") for n in range(12)]
    at_once(*tasks, lambda: pin_post(post_id=post, actor=bob))
    document = pins().find_one({"_id": bob.pk})
    assert len(document["tags"]) == 10
    assert document["posts"] == [post]


def _try_to_feature(user, name):
    try:
        feature_tag(author=user.pk, name=name)
    except Refused:
        return


def test_bad_hashtags_are_refused(as_bob, bob):
    for name in ("", "#", "12", "two words!", "a-b", "\u202e", "x" * 501):
        assert as_bob.post(PATH, {"name": name}).status_code == 422, name
        assert Api(bob).post("featured_tags", name=name).status_code == 422, name
    with pytest.raises(Refused):
        feature_tag(author=bob.pk, name="x" * (MAX_TEXT_LENGTH + 1))
    assert numbers(bob) == {}
    feature_tag(author=bob.pk, name="x" * MAX_TEXT_LENGTH)


def test_apps_feature_hashtags(bob, alice):
    publish_many(bob, 2, tag="#bread")
    publish(bob, "#salt")
    api = Api(bob)
    suggested = api.get("featured_tags/suggestions").json()
    assert [row["name"] for row in suggested] == ["bread", "salt"]
    bread = api.post("featured_tags", name="Bread").json()
    assert (bread["name"], bread["statuses_count"]) == ("bread", "2")
    assert api.post("featured_tags", name="bread").json() == bread
    assert api.get("featured_tags").json() == [bread]
    assert [row["name"] for row in api.get("featured_tags/suggestions").json()] == ["salt"]
    assert api.post("tags/salt/feature").json()["featuring"]
    assert api.get("tags/salt").json()["featuring"]
    assert not Api(alice).get("tags/salt").json()["featuring"]
    assert not api.post("tags/salt/unfeature").json()["featuring"]
    assert Api(alice).delete(f"featured_tags/{bread['id']}").status_code == 404
    assert api.delete(f"featured_tags/{bread['id']}").json() == {}
    assert api.delete(f"featured_tags/{bread['id']}").status_code == 404
    assert api.get("featured_tags").json() == []


def test_numbers_and_pages_read_only_posts_with_the_hashtag(alice, bob, record_commands):
    publish_many(alice, 4, tag="#bread")
    publish_many(bob, 20, tag="#other")
    tagged = publish_many(bob, 3, tag="#bread")
    feature_tag(author=bob.pk, name="bread")
    with record_commands() as commands:
        assert numbers(bob) == {"bread": 3}
    count = [command for _, command in commands if command.get("aggregate") == "feed_post"][-1]
    assert examined(plan_of(count)) == 3
    with record_commands() as commands:
        page = profile_page(author=bob.pk, viewer=None, bounds=PageBounds(limit=2), tag="bread")
    assert [post.id for post in page.posts] == tagged[:0:-1]
    (read,) = [command for _, command in commands if "hint" in command]
    assert examined(plan_of(read)) == 3
    older = PageBounds(limit=2, max_id=int(page.older_cursor))
    page = profile_page(author=bob.pk, viewer=None, bounds=older, tag="bread")
    assert ([post.id for post in page.posts], page.older_cursor) == ([tagged[0]], None)
