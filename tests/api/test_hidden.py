"""What moderators hide is gone from every answer of the API at once, and back on each as it was."""

import pytest
from django.contrib.auth.models import Group

from feed.selectors.user_lists import owned_list
from feed.services.comments import like_comment
from feed.services.keeping import bookmark_comment, bookmark_post, pin_post
from feed.services.likes import like_post
from feed.services.shares import share_post
from feed.services.user_lists import add_to_list, create_list
from socialsite.moderation import roles
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import comment_subject, post_subject
from tests.api.calling import Api
from tests.factories import UserFactory, follow, publish
from tests.feed.talking import say

pytestmark = pytest.mark.slow

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
OF_BOTH = (
    "/api/v2/notifications",
    "/api/v2/search?q=needle",
    "bookmarks",
    "favourites",
    "notifications",
    "statuses?id[]={it}&id[]={share}",
    "statuses/{it}",
    "statuses/{it}/context",
    "statuses/{it}/favourited_by",
    "statuses/{it}/history",
    "statuses/{it}/reblogged_by",
    "statuses/{it}/source",
    "statuses/{share}",
    "statuses/{comment}",
    "statuses/{comment}/context",
    "statuses/{post}/context",
)
ACTS = ("bookmark", "favourite", "mute", "pin", "reblog", "unbookmark", "unfavourite", "unreblog")
FOR_VISITORS = ("accounts/", "timelines/public", "timelines/tag", "trends/", "statuses")


class Talk:
    """alice's post, which carol shares and answers and bob keeps, in the middle of others."""

    def __init__(self, alice, bob, carol):
        follow(bob, alice, carol)
        follow(carol, alice)
        publish(alice, "an older one #tea")
        self.post = publish(alice, "a needle in it #tea @bob")
        self.comment = say(self.post, carol, "another needle @bob")
        self.answer = say(self.post, alice, "and the thread", parent=self.comment)
        self.share = share_post(post_id=self.post, actor=carol)
        self.list = create_list(owner=bob, title="Some")
        found = owned_list(owner=bob.pk, list_id=self.list)
        add_to_list(owner=bob, user_list=found, uids=[alice.pk])
        pin_post(post_id=self.post, actor=alice)
        for one in (bob, carol):
            like_post(post_id=self.post, actor=one)
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

    def answers(self, it):
        """{(caller, path): (status, text)}."""
        paths = [one.format(it=it, **self.names) for one in (*LISTS, *OF_BOTH)]
        found = {}
        for name, api in self.callers.items():
            for path in paths:
                if name or path.startswith(FOR_VISITORS):
                    answer = api.get(path)
                    found[name, path] = (answer.status_code, answer.content.decode())
        return found


@pytest.fixture
def moderator(clean_site):
    roles.create_roles()
    made = UserFactory(username="mo", is_staff=True)
    made.groups.add(Group.objects.get(name=roles.MODERATORS))
    return made


@pytest.fixture
def talk(alice, bob, carol):
    return Talk(alice, bob, carol)


def where(answers, *words):
    """Where any of these words stands."""
    return {key for key, (_status, text) in answers.items() if any(one in text for one in words)}


def differences(before, after):
    return {key: (before[key], after[key]) for key in before if before[key] != after[key]}


@pytest.mark.parametrize("kind", ["remove", "hold"])
def test_a_hidden_post_is_in_no_answer_to_others_and_comes_back_to_all(
    alice, moderator, talk, kind
):
    talk.callers["alice"] = Api(alice)
    words = (f'"id":"{talk.post}"', f'"id":"{talk.share}"', "needle", "the thread")
    before = talk.answers(talk.post)
    for path in LISTS:
        assert ("bob", path.format(**talk.names)) in where(before, *words), path
    for path in OF_BOTH:
        assert before["bob", path.format(it=talk.post, **talk.names)][0] == 200, path
    action = take_action(
        moderator=moderator, kind=kind, subject=post_subject(post_id=talk.post), should_notify=False
    )
    during = talk.answers(talk.post)
    seen = where(during, *words)
    # Who waits for the moderators sees what waits, and no one else.
    assert {key for key in seen if key[0] != "alice" or kind == "remove"} == set()
    for act in ACTS:
        for one in (talk.post, talk.comment):
            assert talk.callers["bob"].post(f"statuses/{one}/{act}").status_code == 404, act
    answered = talk.callers["bob"].post("statuses", status="x", in_reply_to_id=talk.post)
    assert answered.status_code == 404
    assert undo_action(action=action, moderator=moderator)
    assert differences(before, talk.answers(talk.post)) == {}


def test_a_removed_comment_is_in_no_answer_and_comes_back_to_all(carol, moderator, talk):
    talk.callers["carol"] = Api(carol)
    words = ("another needle",)
    before = talk.answers(talk.comment)
    assert len(where(before, *words)) > 15
    subject = comment_subject(post_id=talk.post, comment_id=talk.comment)
    action = take_action(moderator=moderator, kind="remove", subject=subject, should_notify=False)
    during = talk.answers(talk.comment)
    assert where(during, *words) == set()
    for name, api in talk.callers.items():
        assert api.get(f"statuses/{talk.comment}").status_code == 404, name
    for act in ACTS:
        assert talk.callers["bob"].post(f"statuses/{talk.comment}/{act}").status_code == 404, act
    answered = talk.callers["bob"].post("statuses", status="x", in_reply_to_id=talk.comment)
    assert answered.status_code == 404
    assert undo_action(action=action, moderator=moderator)
    assert differences(before, talk.answers(talk.comment)) == {}
