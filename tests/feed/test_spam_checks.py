"""What new accounts say and looks like spam is told, and nothing else is."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.infra.ids import first_id_at
from feed import signals
from feed.models import Post
from feed.services.posts import edit_post
from feed.services.spam_checks import delete_fingerprints, text_fingerprint
from feed.store import text_fingerprints
from tests.actions import add_comment, edit_comment
from tests.factories import UserFactory, people, publish

ADVERT = "The very best watches for the very smallest price"


@pytest.fixture
def spam_signals():
    """What moderators hear: [(reasons, id of the post or the comment), ...]."""
    heard = []

    def hear(reasons, post, comment=None, **_):
        heard.append((reasons, comment or post))

    for signal in (signals.post_suspected, signals.comment_suspected):
        signal.connect(hear, weak=False)
    yield heard
    for signal in (signals.post_suspected, signals.comment_suspected):
        signal.disconnect(hear)


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def old_account():
    result = first_id_at(moment=timezone.now() - timedelta(days=8))
    return UserFactory(id=result, username="old_timer")


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("a.com b.com c.com", ["links"]),
        ("a.com a.com a.com", []),
        ("a.com b.com", []),
        ("@a @b @c @d @e hello", ["mentions"]),
        ("@a @A @b @c @d", []),
        ("@a @b @c @d @e a.com b.com https://c.com/x", ["links", "mentions"]),
        ("Hello everybody, it is nice to be here", []),
    ],
)
def test_many_links_and_many_mentions_are_told(as_alice, spam_signals, text, reasons):
    assert as_alice.post("/posts/", {"text": text}).status_code == 302
    assert spam_signals == ([(reasons, Post.objects.get().pk)] if reasons else [])


def test_the_same_again_and_again_is_told_from_the_third_on(as_alice, spam_signals):
    for n in range(4):
        text = f"{ADVERT.upper() if n % 2 else ADVERT}{'!' * n} @p{n} example.org/{n}"
        as_alice.post("/posts/", {"text": text})
    newest = list(Post.objects.order_by("pk").values_list("pk", flat=True))[2:]
    assert spam_signals == [(["repeated"], pk) for pk in newest]


def test_the_same_by_several_new_accounts_is_told(spam_signals):
    publish(old_account(), ADVERT)
    posts = [publish(user, ADVERT) for user in people(4)]
    assert spam_signals == [(["copied"], pk) for pk in posts[2:]]


def test_comments_are_looked_at_too_and_with_posts(as_alice, alice, spam_signals):
    post = publish(alice, ADVERT)
    for _ in range(2):
        as_alice.post(f"/posts/{post}/comments/", {"text": ADVERT})
    ((reasons, comment),) = spam_signals
    assert reasons == ["repeated"]
    assert comment != post


@pytest.fixture(params=["post", "comment"])
def said_first(request, as_alice, alice):
    """The id of what alice has said, and ``edit(text)``, which changes it."""
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
def test_what_an_edit_brings_in_is_told_as_of_what_is_new(said_first, spam_signals, text, reasons):
    new_text, edit = said_first
    edit(text)
    assert spam_signals == ([(reasons, new_text)] if reasons else [])


def test_links_that_were_there_before_an_edit_are_told_once(said_first, spam_signals):
    text, edit = said_first
    edit("a.com b.com c.com")
    edit("a.com b.com c.com, all of them good")
    edit("b.com c.com")
    assert spam_signals == [(["links"], text)]
    edit("b.com c.com and now d.com")
    assert spam_signals == [(["links"], text)] * 2


def test_the_same_again_and_again_is_told_of_edits_too(said_first, alice, spam_signals):
    text, edit = said_first
    for _ in range(2):
        publish(alice, ADVERT)
    edit(ADVERT)
    assert spam_signals == [(["repeated"], text)]


def test_who_mends_slips_says_nothing_again(said_first, spam_signals):
    _said, edit = said_first
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


def test_a_double_click_says_it_once(as_alice, spam_signals):
    for _ in range(4):
        as_alice.post("/posts/", {"text": ADVERT, "idempotency_key": "k"})
    assert spam_signals == []


def test_what_everybody_says_is_not_suspicious(spam_signals):
    for user in people(5):
        publish(user, "Good morning!")
        publish(user, "42 " * 20)
    assert spam_signals == []


def test_old_accounts_say_what_they_like_and_cost_nothing(spam_signals, record_commands):
    old = old_account()
    publish(old, ADVERT)
    with record_commands() as commands:
        for _ in range(3):
            publish(old, f"{ADVERT} a.com b.com c.com @a @b @c @d @e")
    assert spam_signals == []
    assert not [command for _, command in commands if "text_fingerprints" in command.values()]


def test_for_a_new_account_it_costs_one_command(alice, record_commands):
    with record_commands() as commands:
        publish(alice, ADVERT)
    assert len([command for _, command in commands if "text_fingerprints" in command.values()]) == 1


def test_that_it_cannot_be_told_keeps_nobody_from_publishing(as_alice, spam_signals, monkeypatch):
    def fail(**_):
        raise ConnectionError

    monkeypatch.setattr(text_fingerprints, "record_fingerprint", fail)
    assert as_alice.post("/posts/", {"text": ADVERT}).status_code == 302
    assert Post.objects.count() == 1


@pytest.mark.parametrize(
    ("row", "other", "is_same"),
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
def test_texts_are_the_same_where_only_what_is_changed_to_hide_it_differs(row, other, is_same):
    assert text_fingerprint(text=row)
    assert (text_fingerprint(text=row) == text_fingerprint(text=other)) == is_same


def test_what_somebody_has_said_can_be_forgotten(alice, bob):
    for user in (alice, bob, alice):
        publish(user, ADVERT)
    delete_fingerprints(uid=alice.pk)
    (remaining,) = text_fingerprints.text_fingerprints().find()
    assert remaining["uids"] == [bob.pk]


def test_what_is_noted_is_bounded_and_ends_by_itself():
    now = timezone.now()
    for uid in range(60):
        by = text_fingerprints.record_fingerprint(fingerprint="x", uid=uid, at=now)
    assert by == list(range(10, 60))
    (index,) = [
        index
        for index in text_fingerprints.text_fingerprints().index_information().values()
        if len(index) > 2
    ]
    assert (index["key"], index["expireAfterSeconds"]) == ([("expires_at", 1)], 0)
