"""Spam checks report suspicious posts and comments of new accounts and nothing else."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.infra.ids import first_id_at
from feed import signals
from feed.models import Post
from feed.services.spam_checks import delete_fingerprints, text_fingerprint
from feed.store import text_fingerprints
from tests.actions import add_comment, edit_comment, edit_post
from tests.factories import UserFactory, follow, people, publish

ADVERT = "The very best watches for the very smallest price"


@pytest.fixture
def spam_signals():
    """Collect the reports to moderators as ``(reasons, id of the post or comment)``."""
    reports = []

    def record(reasons, post, comment=None, **_):
        reports.append((reasons, comment or post))

    for signal in (signals.post_suspected, signals.comment_suspected):
        signal.connect(record, weak=False)
    yield reports
    for signal in (signals.post_suspected, signals.comment_suspected):
        signal.disconnect(record)


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def old_account():
    uid = first_id_at(moment=timezone.now() - timedelta(days=8))
    return UserFactory(id=uid, username="old_timer")


CHECKED_TEXTS = (
    ("a.com b.com c.com", ["links"]),
    ("a.com a.com a.com", []),
    ("a.com b.com", []),
    ("@a @b @c @d @e hello", ["mentions"]),
    ("@a @A @b @c @d", []),
    ("@a @b @c @d @e a.com b.com https://c.com/x", ["links", "mentions"]),
    ("Hello everybody, it is nice to be here", []),
)


def test_many_links_or_mentions_are_reported(as_alice, spam_signals):
    for text, reasons in CHECKED_TEXTS:
        spam_signals.clear()
        assert as_alice.post("/posts/", {"text": text}).status_code == 302
        expected = [(reasons, Post.objects.latest("pk").pk)] if reasons else []
        assert spam_signals == expected, text


def test_repeated_texts_are_reported_from_the_third(as_alice, spam_signals):
    for n in range(4):
        text = f"{ADVERT.upper() if n % 2 else ADVERT}{'!' * n} @p{n} example.org/{n}"
        as_alice.post("/posts/", {"text": text})
    newest = list(Post.objects.order_by("pk").values_list("pk", flat=True))[2:]
    assert spam_signals == [(["repeated"], pk) for pk in newest]


def test_copied_texts_of_new_accounts_are_reported(spam_signals):
    publish(old_account(), ADVERT)
    posts = [publish(user, ADVERT) for user in people(4)]
    assert spam_signals == [(["copied"], pk) for pk in posts[2:]]


def test_comments_and_posts_are_checked_together(as_alice, alice, spam_signals):
    post = publish(alice, ADVERT)
    for _ in range(2):
        as_alice.post(f"/posts/{post}/comments/", {"text": ADVERT})
    ((reasons, comment),) = spam_signals
    assert reasons == ["repeated"]
    assert comment != post


@pytest.fixture(params=["post", "comment"])
def editable_text(request, as_alice, alice):
    """Return the id of alice's post or comment, and a function that changes the text."""
    post = publish(alice, "Hello everybody, it is nice to be here")
    comment, path = post, f"/posts/{post}/"
    if request.param == "comment":
        comment = add_comment(post_id=post, actor=alice, text="How are all of you?")
        path += f"comments/{comment}/"

    def edit(text):
        assert as_alice.post(f"{path}edit/", {"text": text}).status_code == 302

    return comment, edit


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("a.com b.com c.com", ["links"]),
        ("@a @b @c @d @e hello", ["mentions"]),
        ("Hello everybody, it is nice to be here!", []),
    ],
)
def test_edits_are_checked_like_new_texts(editable_text, spam_signals, text, reasons):
    content_id, edit = editable_text
    edit(text)
    assert spam_signals == ([(reasons, content_id)] if reasons else [])


def test_only_added_links_are_reported_after_an_edit(editable_text, spam_signals):
    content_id, edit = editable_text
    edit("a.com b.com c.com")
    edit("a.com b.com c.com, all of them good")
    edit("b.com c.com")
    assert spam_signals == [(["links"], content_id)]
    edit("b.com c.com and now d.com")
    assert spam_signals == [(["links"], content_id)] * 2


def test_repeated_texts_in_edits_are_reported(editable_text, alice, spam_signals):
    content_id, edit = editable_text
    for _ in range(2):
        publish(alice, ADVERT)
    edit(ADVERT)
    assert spam_signals == [(["repeated"], content_id)]


def test_small_edits_are_not_repetitions(editable_text, spam_signals):
    _content_id, edit = editable_text
    for n in range(4):
        edit(f"{ADVERT}{'!' * n}")
    assert spam_signals == []


def test_edits_of_old_accounts_cost_nothing(spam_signals, record_commands):
    old = old_account()
    post = publish(old, "Hello")
    comment = add_comment(post_id=post, actor=old, text="Hello again")
    with record_commands() as commands:
        edit_post(post_id=post, actor=old, text=f"{ADVERT} a.com b.com c.com")
        edit_comment(post_id=post, comment_id=comment, actor=old, text=f"{ADVERT} 2")
    assert spam_signals == []
    assert not [command for _, command in commands if "text_fingerprints" in command.values()]


def test_submitting_a_form_twice_is_not_a_repetition(as_alice, spam_signals):
    for _ in range(4):
        as_alice.post("/posts/", {"text": ADVERT, "idempotency_key": "k"})
    assert spam_signals == []


def test_short_common_texts_are_not_suspicious(spam_signals):
    for user in people(5):
        publish(user, "Good morning!")
        publish(user, "42 " * 20)
    assert spam_signals == []


def test_old_accounts_are_not_checked(spam_signals, record_commands):
    old = old_account()
    publish(old, ADVERT)
    with record_commands() as commands:
        for _ in range(3):
            publish(old, f"{ADVERT} a.com b.com c.com @a @b @c @d @e")
    assert spam_signals == []
    assert not [command for _, command in commands if "text_fingerprints" in command.values()]


def test_the_check_of_a_new_account_costs_one_command(alice, record_commands):
    with record_commands() as commands:
        publish(alice, ADVERT)
    assert len([command for _, command in commands if "text_fingerprints" in command.values()]) == 1


def test_a_failing_check_does_not_prevent_publishing(as_alice, spam_signals, monkeypatch):
    def fail(**_):
        raise ConnectionError

    monkeypatch.setattr(text_fingerprints, "record_fingerprint", fail)
    assert as_alice.post("/posts/", {"text": ADVERT}).status_code == 302
    assert Post.objects.count() == 1


def comment(post, actor, text, parent=0):
    return add_comment(post_id=post, actor=actor, text=text, parent_id=parent)


def mentioned_in_the_post(alice, bob, carol):
    return publish(bob, "@alice what?"), 0


def mentioned_in_the_comment(alice, bob, carol):
    post = publish(bob, "Hello")
    return post, comment(post, carol, "@alice what?")


def answered_by_a_comment(alice, bob, carol):
    post = publish(bob, "Hello")
    return post, comment(post, carol, "Why?", comment(post, alice, "Hi"))


def followed_by_the_author_of_the_post(alice, bob, carol):
    follow(bob, alice)
    return publish(bob, "Hello"), 0


def followed_by_the_author_of_the_comment(alice, bob, carol):
    follow(carol, alice)
    post = publish(bob, "Hello")
    return post, comment(post, carol, "Why?")


def answering_comments_on_an_own_post(alice, bob, carol):
    post = publish(alice, "Hello")
    return post, comment(post, bob, "Why?")


def commenting_on_an_own_post_after_others(alice, bob, carol):
    post = publish(alice, "Hello")
    comment(post, bob, "Why?")
    return post, 0


def receiving_a_message(alice, bob, carol):
    return publish(bob, "@alice @carol hello", "direct"), 0


def receiving_answers_to_a_message(alice, bob, carol):
    post = publish(alice, "@bob hello", "direct")
    comment(post, bob, "Yes?")
    return post, 0


CONVERSATIONS = (
    mentioned_in_the_post,
    mentioned_in_the_comment,
    answered_by_a_comment,
    followed_by_the_author_of_the_post,
    followed_by_the_author_of_the_comment,
    answering_comments_on_an_own_post,
    commenting_on_an_own_post_after_others,
    receiving_a_message,
    receiving_answers_to_a_message,
)


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_people_in_a_conversation_may_repeat_themselves(
    alice, bob, carol, spam_signals, conversation
):
    post, parent = conversation(alice, bob, carol)
    for n in range(3):
        comment(post, alice, f"I have read {n} of your letters", parent)
    own = comment(post, alice, "And now for something different", parent)
    edit_comment(post_id=post, comment_id=own, actor=alice, text="I have read 3 of your letters")
    assert spam_signals == []
    comment(post, alice, "a.com b.com c.com", parent)
    assert [reasons for reasons, _ in spam_signals] == [["links"]]


NAMES = " ".join(f"@p{n}" for n in range(6))


def message_for_many(alice, bob, carol):
    return publish(bob, f"@alice {NAMES} hello", "direct"), 0


def answered_message_for_many(alice, bob, carol):
    post = publish(alice, f"@bob {NAMES} hello", "direct")
    comment(post, bob, "Yes?")
    return post, 0


def limited_comment_for_many(alice, bob, carol):
    post = publish(carol, "Hello")
    first = add_comment(post_id=post, actor=bob, text=f"@alice {NAMES} psst", visibility="direct")
    own = comment(post, alice, "Yes?", first)
    return post, comment(post, bob, "So?", own)


@pytest.mark.parametrize(
    "conversation", [message_for_many, answered_message_for_many, limited_comment_for_many]
)
def test_answers_may_mention_everybody_in_the_conversation(
    alice, bob, carol, spam_signals, conversation
):
    people(6)
    post, parent = conversation(alice, bob, carol)
    spam_signals.clear()
    answer = comment(post, alice, f"@bob {NAMES} yes", parent)
    edit_comment(post_id=post, comment_id=answer, actor=alice, text=f"@bob {NAMES} no")
    assert spam_signals == []
    UserFactory(username="stranger")
    for text in (f"@bob @stranger {NAMES} yes", f"{NAMES} a.com b.com c.com"):
        comment(post, alice, text, parent)
    assert [reasons for reasons, _ in spam_signals] == [["mentions"], ["links"]]


def test_strangers_may_not_mention_many_users(alice, bob, spam_signals):
    people(6)
    post = publish(bob, "Hello")
    comment(post, alice, NAMES)
    parent = add_comment(post_id=post, actor=alice, text=f"{NAMES} a", visibility="direct")
    comment(post, alice, f"{NAMES} b", parent)
    own = publish(alice, f"{NAMES} c", "direct")
    comment(own, alice, f"{NAMES} d")
    assert [reasons for reasons, _ in spam_signals] == [["mentions"]] * 5


def strangers_post(alice, bob, carol):
    return publish(bob, "Hello"), 0


def strangers_comment(alice, bob, carol):
    post = publish(bob, "@carol hello")
    return post, comment(post, carol, "Why?")


def own_comment(alice, bob, carol):
    post = publish(bob, "Hello")
    return post, comment(post, alice, "@alice why?")


def unanswered_message(alice, bob, carol):
    return publish(alice, "@bob hello", "direct"), 0


@pytest.mark.parametrize(
    "place", [strangers_post, strangers_comment, own_comment, unanswered_message]
)
def test_repetitions_outside_of_conversations_are_reported(alice, bob, carol, spam_signals, place):
    post, parent = place(alice, bob, carol)
    repetitions = [comment(post, alice, f"{ADVERT} {n}", parent) for n in range(3)]
    assert spam_signals == [(["repeated"], repetitions[2])]


def test_repetitions_for_people_outside_of_the_conversation_are_reported(
    alice, bob, carol, spam_signals
):
    post = publish(bob, "@alice what?")
    comments = [comment(post, alice, f"@bob @carol {ADVERT} {n}") for n in range(3)]
    assert spam_signals == [(["repeated"], comments[2])]


@pytest.mark.parametrize(
    ("text", "other_text", "is_same"),
    [
        ("Cheap watches here, buy now", "CHEAP  watches... here; buy NOW 100%", True),
        ("Cheap watches here @bob", "@carol Cheap watches here", True),
        ("Cheap watches here a.com/1", "Cheap watches here http://www.a.com/2?x=3", True),
        ("Cheap watches here a.com", "Cheap watches here b.com", False),
        ("Cheap watches #here and now", "Cheap watches here and now", True),
        ("\uff23heap watches right here", "Cheap watches right here", True),
        ("Cheap watches right here", "Cheap watches right there", False),
    ],
)
def test_fingerprints_ignore_disguises(text, other_text, is_same):
    assert text_fingerprint(text=text)
    assert (text_fingerprint(text=text) == text_fingerprint(text=other_text)) == is_same


def test_fingerprints_of_a_user_can_be_deleted(alice, bob):
    for user in (alice, bob, alice):
        publish(user, ADVERT)
    delete_fingerprints(uid=alice.pk)
    (remaining,) = text_fingerprints.text_fingerprints().find()
    assert remaining["uids"] == [bob.pk]


def test_fingerprints_are_bounded_and_expire():
    now = timezone.now()
    for uid in range(60):
        uids = text_fingerprints.record_fingerprint(fingerprint="x", uid=uid, at=now)
    assert uids == list(range(10, 60))
    (index,) = [
        index
        for index in text_fingerprints.text_fingerprints().index_information().values()
        if len(index) > 2
    ]
    assert (index["key"], index["expireAfterSeconds"]) == ([("expires_at", 1)], 0)
