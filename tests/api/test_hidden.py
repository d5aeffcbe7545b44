"""Posts hidden by moderators disappear from every API response until the action is undone."""

import pytest
from django.contrib.auth.models import Group

from feed.selectors.user_counts import clear_cached_counts
from feed.selectors.user_lists import owned_list
from feed.services.user_lists import add_to_list, create_list
from socialsite.moderation import roles
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import comment_subject, post_subject
from tests.actions import (
    bookmark_comment,
    bookmark_post,
    like_comment,
    like_post,
    pin_post,
    share_post,
)
from tests.api.api_client import Api
from tests.factories import UserFactory, follow, publish
from tests.feed.comment_helpers import say

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("every_cache")]

LISTS = (
    "accounts/{author}/statuses",
    "accounts/{author}/statuses?pinned=true",
    "accounts/{author}/statuses?tagged=tea",
    "accounts/{sharer}/statuses",
    "socialsite/timelines/home",
    "socialsite/timelines/quiet",
    "timelines/home",
    "timelines/list/{list}",
    "timelines/public",
    "timelines/tag/tea",
    "trends/statuses",
)
SINGLE_AND_MIXED = (
    "/api/v2/notifications",
    "/api/v2/search?q=needle",
    "bookmarks",
    "favourites",
    "notifications",
    "statuses?id[]={status_id}&id[]={share}",
    "statuses/{status_id}",
    "statuses/{status_id}/context",
    "statuses/{status_id}/favourited_by",
    "statuses/{status_id}/history",
    "statuses/{status_id}/reblogged_by",
    "statuses/{status_id}/source",
    "statuses/{share}",
    "statuses/{comment}",
    "statuses/{comment}/context",
    "statuses/{post}/context",
)
ACTIONS = (
    "bookmark",
    "favourite",
    "mute",
    "pin",
    "reblog",
    "unbookmark",
    "unfavourite",
    "unreblog",
)
ANONYMOUS_PREFIXES = ("accounts/", "timelines/public", "timelines/tag", "trends/", "statuses")


class Talk:
    """A post by alice that carol and bob interact with, and the API clients that request the post.

    carol shares the post and comments on it. bob likes and bookmarks the post and the comment. bob also
    has alice on a list.
    """

    def __init__(self, alice, bob, carol):
        follow(bob, alice, carol)
        follow(carol, alice)
        publish(alice, "an older one #tea")
        self.post = publish(alice, "a needle in it #tea @bob")
        self.comment = say(self.post, carol, "another needle @bob")
        self.reply = say(self.post, alice, "and the thread", parent=self.comment)
        self.share = share_post(post_id=self.post, actor=carol)
        self.list = create_list(owner=bob, title="Some")
        user_list = owned_list(owner=bob.pk, list_id=self.list)
        add_to_list(owner=bob, user_list=user_list, uids=[alice.pk])
        pin_post(post_id=self.post, actor=alice)
        for user in (bob, carol):
            like_post(post_id=self.post, actor=user)
        like_comment(post_id=self.post, comment_id=self.comment, actor=bob)
        bookmark_post(post_id=self.post, actor=bob)
        bookmark_comment(post_id=self.post, comment_id=self.comment, actor=bob)
        self.names = {
            "author": alice.pk,
            "sharer": carol.pk,
            "list": self.list,
            "post": self.post,
            "comment": self.comment,
            "share": self.share,
        }
        self.callers = {"bob": Api(bob), "": Api()}

    def responses(self, status_id):
        """Return (status code, text) of the response to every caller, by (caller, path)."""
        paths = [
            path.format(status_id=status_id, **self.names) for path in (*LISTS, *SINGLE_AND_MIXED)
        ]
        responses = {}
        for name, api in self.callers.items():
            for path in paths:
                if name or path.startswith(ANONYMOUS_PREFIXES):
                    response = api.get(path)
                    responses[name, path] = (response.status_code, response.content.decode())
        return responses


@pytest.fixture
def moderator(clean_site):
    roles.create_roles()
    user = UserFactory(username="mo", is_staff=True)
    user.groups.add(Group.objects.get(name=roles.MODERATORS))
    return user


@pytest.fixture
def talk(alice, bob, carol):
    return Talk(alice, bob, carol)


def where(responses, *words):
    """Return the (caller, path) pairs whose response contains any of these words."""
    return {
        key for key, (_status, text) in responses.items() if any(word in text for word in words)
    }


def differences(before, after):
    return {key: (before[key], after[key]) for key in before if before[key] != after[key]}


@pytest.mark.parametrize(
    ("every_cache", "kind"), [("collection", "remove"), ("redis", "hold")], indirect=["every_cache"]
)
def test_a_hidden_post_disappears_from_every_response_and_returns(alice, moderator, talk, kind):
    talk.callers["alice"] = Api(alice)
    words = (f'"id":"{talk.post}"', f'"id":"{talk.share}"', "needle", "the thread")
    before = talk.responses(talk.post)
    for path in LISTS:
        assert ("bob", path.format(**talk.names)) in where(before, *words), path
    for path in SINGLE_AND_MIXED:
        assert before["bob", path.format(status_id=talk.post, **talk.names)][0] == 200, path
    action = take_action(
        moderator=moderator, kind=kind, subject=post_subject(post_id=talk.post), should_notify=False
    )
    during = talk.responses(talk.post)
    seen = where(during, *words)
    # A post that is pending review is visible to its author. A removed post is visible to nobody.
    assert {key for key in seen if key[0] != "alice" or kind == "remove"} == set()
    for name in ACTIONS:
        for status_id in (talk.post, talk.comment):
            assert talk.callers["bob"].post(f"statuses/{status_id}/{name}").status_code == 404, name
    comment_response = talk.callers["bob"].post("statuses", status="x", in_reply_to_id=talk.post)
    assert comment_response.status_code == 404
    assert undo_action(action=action, moderator=moderator)
    clear_cached_counts(uid=alice.pk)  # the number of posts may be a minute old
    assert differences(before, talk.responses(talk.post)) == {}


@pytest.mark.parametrize("every_cache", ["redis"], indirect=True)  # shares the names of users
def test_a_removed_comment_disappears_from_every_response_and_returns(carol, moderator, talk):
    talk.callers["carol"] = Api(carol)
    words = ("another needle",)
    before = talk.responses(talk.comment)
    assert len(where(before, *words)) > 15
    subject = comment_subject(post_id=talk.post, comment_id=talk.comment)
    action = take_action(moderator=moderator, kind="remove", subject=subject, should_notify=False)
    during = talk.responses(talk.comment)
    assert where(during, *words) == set()
    for name, api in talk.callers.items():
        assert api.get(f"statuses/{talk.comment}").status_code == 404, name
    for name in ACTIONS:
        assert talk.callers["bob"].post(f"statuses/{talk.comment}/{name}").status_code == 404, name
    comment_response = talk.callers["bob"].post("statuses", status="x", in_reply_to_id=talk.comment)
    assert comment_response.status_code == 404
    assert undo_action(action=action, moderator=moderator)
    assert differences(before, talk.responses(talk.comment)) == {}
