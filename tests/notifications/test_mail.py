"""Mails to those who are away: who gets one, what it says, and what it does not."""

import email
import re
from datetime import timedelta
from email import policy
from html import unescape

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.services.blocks_and_mutes import mute_user
from feed.services.likes import unlike_post
from feed.services.posts import publish_post
from notifications.kinds import kinds
from notifications.services.boxes import mark_read, record_presence
from notifications.services.preferences import save_mail_preferences, save_preferences
from notifications.store.collections import notification_boxes
from tests.actions import add_comment, like_post
from tests.factories import publish

from .mail_helpers import box_of, long_ago, mails, tell

pytestmark = pytest.mark.usefixtures("confirmed")

MODES = ("off", "away", "daily", "weekly")
ALL = [kind.name for kind in kinds()]


def choose(reader, mode="away", mailed=ALL, **more):
    save_mail_preferences(recipient=reader.pk, mode=mode, mailed_kinds=mailed, **more)


def html_of(mail):
    ((html, kind),) = [tuple(alternative) for alternative in mail.alternatives]
    assert kind == "text/html"
    return html


def words_and_addresses(html):
    """As the text version has them: each address after the words that lead there."""
    html = html.partition("<body>")[2]
    html = re.sub(r'<a href="([^"]+/@\w+/)">(.*?)</a>', r"\2", html)  # names are not addressed
    html = re.sub(r'<a[^>]* href="([^"]+)">Open</a>', r"\1", html)
    html = re.sub(r'<a[^>]* href="([^"]+)">(.*?)</a>', r"\2 \1", html)
    return unescape(re.sub(r"<[^>]+>", " ", html)).replace("·", " ").replace("--", " ").split()


def test_who_is_away_gets_a_mail_of_it_once(alice, bob, mailoutbox):
    post = publish(bob, "Have you seen this, @alice?")
    assert mails(mailoutbox) == []  # they may still come
    tell(alice, bob, "comment", post=publish(alice, "My post"))
    notification_boxes().update_one({"_id": alice.pk}, {"$unset": {"mail_due_at": ""}})
    tell(alice, bob, "reply", ago=timedelta(minutes=11), post=post)
    (mail,) = mails(mailoutbox)
    assert mail.to == ["alice@example.org"]
    assert mail.subject == "[Socialsite] 3 new notifications"
    for version in (mail.body, html_of(mail)):
        assert "commented on your post" in version
        assert "Have you seen this, @alice?" in version
        assert f"/@bob/{post}/" in version
    assert mails(mailoutbox, alice) == []
    assert "mail_due_at" not in box_of(alice)


def test_of_one_thing_the_subject_says_what(alice, bob, mailoutbox):
    tell(alice, bob, "request")
    (mail,) = mails(mailoutbox)
    assert mail.subject == "[Socialsite] Bob Brown requested to follow you"


def test_who_has_seen_it_gets_no_mail(alice, bob, mailoutbox):
    tell(alice, bob)
    assert record_presence(recipient=alice.pk) == 1
    assert mails(mailoutbox) == []
    assert "mail_due_at" not in box_of(alice)


def test_who_was_there_before_it_happened_gets_a_mail(alice, bob, mailoutbox):
    tell(alice, bob, "request")
    before = timezone.now() - timedelta(minutes=20)
    notification_boxes().update_one({"_id": alice.pk}, {"$set": {"seen_at": before}})
    assert len(mails(mailoutbox)) == 1


def test_of_what_came_after_the_last_visit_the_mail_waits_its_time(alice, bob, carol, mailoutbox):
    tell(alice, bob)
    record_presence(recipient=alice.pk)
    seen = timezone.now() - timedelta(minutes=5)
    notification_boxes().update_one({"_id": alice.pk}, {"$set": {"seen_at": seen}})
    tell(alice, carol, ago=timedelta(minutes=3))
    assert mails(mailoutbox, alice) == []
    wait = box_of(alice)["mail_due_at"].replace(tzinfo=timezone.now().tzinfo) - timezone.now()
    assert timedelta(minutes=6) < wait < timedelta(minutes=8)


def test_who_stays_away_gets_a_mail_an_hour_at_most(alice, bob, carol, mailoutbox):
    tell(alice, bob)
    assert len(mails(mailoutbox)) == 1
    tell(alice, carol)
    assert mails(mailoutbox) == []
    assert mails(mailoutbox, alice) == []
    an_hour_ago = timezone.now() - timedelta(hours=1)
    notification_boxes().update_one({"_id": alice.pk}, {"$set": {"mailed_at": an_hour_ago}})
    (mail,) = mails(mailoutbox, alice)
    assert "Carol" in mail.body
    assert "Bob" not in mail.body


def test_what_is_read_or_withdrawn_meanwhile_is_not_mailed(alice, bob, carol, mailoutbox):
    read = tell(alice, bob)
    mark_read(recipient=alice.pk, ids=[read])
    post = publish(alice)
    like_post(post_id=post, actor=carol)
    choose(alice)
    unlike_post(post_id=post, actor=carol)
    assert mails(mailoutbox, alice) == []
    assert "mail_due_at" not in box_of(alice)


def test_what_cannot_be_shown_is_not_mailed(alice, bob, carol, mailoutbox):
    tell(alice, bob, post=publish(bob, "Now you do not see me", visibility="followers"))
    tell(alice, carol)
    notification_boxes().update_one({"_id": alice.pk}, {"$set": {"recent.1.actor": 1}})
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert mails(mailoutbox) == []


def test_kinds_are_mailed_as_they_are_meant_or_chosen(alice, bob, mailoutbox):
    tell(alice, bob, "like", post=publish(alice))
    assert "mail_due_at" not in box_of(alice)
    choose(alice, mailed=["like"])
    tell(alice, bob)
    assert "mail_due_at" not in box_of(alice)
    tell(alice, bob, "like", post=publish(alice))
    (mail,) = mails(mailoutbox)
    assert "liked your post" in mail.body
    assert "mention" not in mail.body


def test_what_is_held_is_not_mailed(alice, bob):
    save_preferences(recipient=alice.pk, disabled_kinds=[], filters=["strangers"])
    tell(alice, bob, classes=["strangers"])
    assert box_of(alice)["filtered"]
    assert "mail_due_at" not in box_of(alice)


@pytest.mark.parametrize("mode", MODES)
def test_who_wants_no_mails_any_more_gets_none_and_later_only_new_ones(
    alice, bob, carol, mailoutbox, mode
):
    tell(alice, bob)
    choose(alice, mode="off")
    assert "mail_due_at" not in box_of(alice)
    tell(alice, carol)
    choose(alice, mode=mode)
    assert mails(mailoutbox) == []
    assert mails(mailoutbox, alice) == []


def test_who_is_gone_or_has_no_address_gets_none(alice, bob, carol, mailoutbox):
    tell(alice, carol)
    tell(bob, carol)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    bob.emailaddress_set.update(verified=False)
    assert mails(mailoutbox) == []
    assert "mail_due_at" not in box_of(alice) | box_of(bob)


def test_nobody_gets_mails_at_an_address_that_they_have_not_confirmed(alice, bob, mailoutbox):
    alice.emailaddress_set.all().delete()
    for address, confirmed, main in (("a@b.org", True, False), ("c@d.org", False, True)):
        alice.emailaddress_set.create(email=address, verified=confirmed, primary=main)
    tell(alice, bob)
    (mail,) = mails(mailoutbox)
    assert mail.to == ["a@b.org"]


def test_programs_learn_what_it_is_and_how_to_stop_it(alice, bob, mailoutbox, settings):
    settings.SITE_URL = "https://example.org"
    newest = tell(alice, bob)
    (mail,) = mails(mailoutbox)
    sent = mail.message()
    assert sent["Message-ID"] == f"<notifications.{alice.pk}.{newest}@example.org>"
    assert sent["Auto-Submitted"] == "auto-generated"
    assert sent["Precedence"] is None
    assert sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = re.fullmatch(r"<(https://example\.org/\S+)>", sent["List-Unsubscribe"])[1]
    assert link in mail.body
    choose(alice, mode="daily")
    tell(alice, bob, "request", ago=timedelta(days=2))
    notification_boxes().update_one({"_id": alice.pk}, {"$unset": {"mailed_upto": ""}})
    (digest,) = mails(mailoutbox, alice)
    assert digest.message()["Precedence"] == "bulk"
    assert digest.subject.startswith("[Socialsite] Your daily summary: ")


def test_text_and_html_say_the_same(alice, bob, carol, mailoutbox):
    post = publish(alice, "Tom & Jerry <3 you")
    for actor in (bob, carol):
        tell(alice, actor, "comment", post=post)
    tell(alice, bob, post=publish(bob, "See   you\n\n@alice"))
    (mail,) = mails(mailoutbox)
    text = words_and_addresses(html_of(mail))
    assert text == mail.body.replace("--", " ").split()
    assert "Tom & Jerry <3 you" in mail.body
    for name in ("Bob", "Carol", "@alice"):
        assert name in text


def test_whatever_people_call_themselves_is_words(alice, bob, mailoutbox):
    User.objects.filter(pk=bob.pk).update(display_name='<b onclick="x">\u202e"B&amp;\r\nBcc:x@y.z')
    publish(bob, '<script>alert("1")</script> {{ one }} @alice')
    long_ago(alice)
    (mail,) = mails(mailoutbox)
    sent = email.message_from_bytes(mail.message().as_bytes(), policy=policy.default)
    assert sent["Bcc"] is None
    assert sent["Subject"] == '[Socialsite] <b onclick="x">"B&amp; Bcc:x@y.z mentioned you'
    html = html_of(mail)
    assert "<script" not in html
    assert "<b" not in re.sub(r"<(bdi|body|br|blockquote)\b", "", html)
    assert "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; {{ one }}" in html
    assert '<script>alert("1")</script> {{ one }}' in mail.body


def test_an_address_that_would_add_a_header_gets_no_mail_and_holds_up_nobody(
    alice, bob, carol, mailoutbox
):
    alice.emailaddress_set.update(email="a@b.org\nBcc: x@y.z")
    tell(alice, carol)
    tell(bob, carol)
    (mail,) = mails(mailoutbox)
    assert mail.to == ["bob@example.org"]
    assert box_of(alice)["mail_attempts"] == 1


def test_a_subject_tells_nobody_who_wrote_in_private(alice, bob, mailoutbox):
    publish(bob, "Psst @alice", visibility="direct")
    long_ago(alice)
    (mail,) = mails(mailoutbox)
    assert mail.subject == "[Socialsite] Mentions: 1 new notification"
    assert "Bob Brown" in mail.body


def test_what_is_behind_a_warning_stays_there(alice, bob, mailoutbox):
    post = publish_post(author=bob.pk, text="The butler did it, @alice", content_warning="Spoilers")
    comment = add_comment(post_id=post, actor=bob, text="Yes, the butler, @alice")
    tell(alice, bob, "reply", post=post, comment_id=comment)
    long_ago(alice)
    (mail,) = mails(mailoutbox)
    for version in (mail.body, html_of(mail)):
        assert "butler" not in version
        assert "Spoilers" in version


def test_every_kind_has_a_mail(alice, bob, mailoutbox):
    choose(alice)
    post = publish(alice)
    for kind in kinds():
        tell(alice, bob, kind.name, post=post, text="Be kind." if kind.name == "notice" else "")
    (mail,) = mails(mailoutbox, alice)
    assert mail.subject == f"[Socialsite] {len(kinds())} new notifications"
    assert "Be kind." in mail.body
