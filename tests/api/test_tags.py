"""Hashtags and trends through the API."""

import pytest

from accounts.services.blocks_and_mutes import block_user, mute_user
from feed.services.tags import follow_tag
from tests.actions import like_post, share_post
from tests.api.api_client import Api, link
from tests.factories import people, publish, publish_many


def test_a_tag_is_followed_and_unfollowed(alice):
    api = Api(alice)
    assert Api().get("tags/Cats").json() == {
        "id": "cats",
        "name": "cats",
        "url": "http://testserver/tags/cats/",
        "history": [],
        "following": False,
        "featuring": False,
    }
    for _ in range(2):
        assert api.post("tags/Cats/follow").json()["following"] is True
    assert [hashtag["name"] for hashtag in api.get("followed_tags").json()] == ["cats"]
    for _ in range(2):
        assert api.post("tags/cats/unfollow").json()["following"] is False
    assert api.get("followed_tags").json() == []
    for name in ("no tag!", "1", "a/b"):
        assert api.post(f"tags/{name}/follow").status_code == 404


def test_followed_tags_are_paged(alice, record_commands):
    api, names = Api(alice), [f"tag{number}" for number in range(7)]
    for name in names:
        follow_tag(uid=alice.pk, tag=name)
    responses = [api.get("followed_tags", limit=3)]
    while next_path := link(responses[-1], "next"):
        responses.append(api.get(next_path))
    seen = [hashtag["name"] for response in responses for hashtag in response.json()]
    assert seen == names[::-1]
    assert api.get(link(responses[-1], "prev")).json() == responses[-2].json()
    costs = []
    for limit in (1, 7):
        with record_commands() as commands:
            api.get("followed_tags", limit=limit)
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_tags_used_by_several_users_trend(alice, bob):
    for user in (alice, bob):
        publish(user, "#cats and #dogs")
    publish(bob, "#alone")
    (cats, dogs) = Api(alice).get("trends/tags").json()
    assert (cats["name"], dogs["name"]) == ("cats", "dogs")
    assert cats["history"][0]["accounts"] == "2"
    assert [hashtag["name"] for hashtag in Api().get("trends", offset=1).json()] == ["dogs"]


def test_posts_liked_by_several_users_trend(alice, bob, carol, record_commands):
    posts = publish_many(alice, 4)
    secret = publish(alice, "mine", "unlisted")
    for user in people(3):
        like_post(post_id=posts[1], actor=user)
        like_post(post_id=secret, actor=user)
    for post in posts[1:3]:
        like_post(post_id=post, actor=bob)
        share_post(post_id=post, actor=carol)
    like_post(post_id=posts[3], actor=bob)
    statuses = Api().get("trends/statuses").json()
    assert [status["id"] for status in statuses] == [str(posts[1]), str(posts[2])]
    first = Api(bob).get("trends/statuses", limit=1)
    second = Api(bob).get(link(first, "next"))
    assert [status["id"] for status in first.json() + second.json()] == [
        str(posts[1]),
        str(posts[2]),
    ]
    assert link(second, "next") is None
    mute_user(owner=bob.pk, other=alice.pk, until=None)
    assert Api(bob).get("trends/statuses").json() == []


def test_hosts_that_several_users_link_to_trend(alice, bob, carol):
    for author in (alice, bob):
        publish(author, "Read https://example.org/story")
    publish(carol, "https://example.net/")
    (card,) = Api().get("trends/links").json()
    assert (card["url"], card["provider_name"]) == ("https://example.org/story", "example.org")
    assert card["history"][0]["accounts"] == "2"
    block_user(owner=carol.pk, other=bob.pk)
    assert Api(carol).get("trends/links").json() == []
    assert Api().get("trends/links", offset=1).json() == []


@pytest.mark.parametrize(
    "path",
    [
        "custom_emojis",
    ],
)
def test_unsupported_lists_are_empty(alice, path):
    assert Api(alice).get(path).json() == []


def test_a_tag_timeline_can_require_and_exclude_tags(alice, bob):
    posts = {
        words: publish(alice, words)
        for words in ("#cats", "#cats #dogs", "#cats #dogs #mice", "#cats #mice")
    }

    def texts_with(**query):
        response = Api(bob).get("timelines/tag/cats", **query)
        return [words for words in posts if str(posts[words]) in {s["id"] for s in response.json()}]

    assert texts_with(**{"all[]": ["dogs"]}) == ["#cats #dogs", "#cats #dogs #mice"]
    assert texts_with(**{"all[]": ["Dogs", "mice"]}) == ["#cats #dogs #mice"]
    assert texts_with(**{"none[]": ["mice"]}) == ["#cats", "#cats #dogs"]
    assert texts_with(**{"all[]": ["dogs"], "none[]": ["mice"]}) == ["#cats #dogs"]
    assert texts_with(**{"all[]": ["dogs"], "limit": 1}) == ["#cats #dogs #mice"]
    assert texts_with(remote=True) == []
