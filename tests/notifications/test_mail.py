"""Mails to users who are away: recipients and content."""

import email
import re
from datetime import timedelta
from email import policy
from html import unescape

import pytest
from django.utils import timezone
from django.utils.translation import override

from accounts.models import User
from accounts.services.blocks_and_mutes import mute_user
from feed.services.interactions import unlike_post
from notifications.kinds import kinds
from notifications.services.boxes import mark_read, record_presence
from notifications.services.preferences import save_mail_preferences
from notifications.store.collections import notification_boxes
from notifications.store.preferences import save_kinds
from tests.actions import add_comment, like_post, publish_post
from tests.factories import publish
from tests.languages.helpers import translated

from .mail_helpers import backdate_notifications, box_of, deliver_notification, send_due_mails

pytestmark = pytest.mark.usefixtures("confirmed")

MODES = ("off", "away", "daily", "weekly")
ALL_KINDS = [kind.name for kind in kinds()]


def save_choice(recipient, mode="away", mailed=ALL_KINDS, **options):
    save_mail_preferences(recipient=recipient.pk, mode=mode, mailed_kinds=mailed, **options)


def html_of(mail):
    ((html, kind),) = [tuple(alternative) for alternative in mail.alternatives]
    assert kind == "text/html"
    return html


def text_with_urls(html):
    """Return the words of the HTML version, with the URL of each link after the text of the link.

    The text version must contain the same words.
    """
    html = html.partition("<body>")[2]
    html = re.sub(
        r'<a href="([^"]+/@\w+/)">(.*?)</a>', r"\2", html
    )  # names have no URLs in the text version
    html = re.sub(r'<a[^>]* href="([^"]+)">Open</a>', r"\1", html)
    html = re.sub(r'<a[^>]* href="([^"]+)">(.*?)</a>', r"\2 \1", html)
    return unescape(re.sub(r"<[^>]+>", " ", html)).replace("·", " ").replace("--", " ").split()


def test_a_user_who_is_away_gets_a_mail_once(alice, bob, mailoutbox):
    post = publish(bob, "Have you seen this, @alice?")
    assert send_due_mails(mailoutbox) == []  # alice may still visit the site
    deliver_notification(alice, bob, "comment", post=publish(alice, "My post"))
    notification_boxes().update_one({"_id": alice.pk}, {"$unset": {"mail_due_at": ""}})
    deliver_notification(alice, bob, "reply", ago=timedelta(minutes=11), post=post)
    (mail,) = send_due_mails(mailoutbox)
    assert mail.to == ["alice@example.org"]
    assert mail.subject == "[Socialsite] 3 new notifications"
    for version in (mail.body, html_of(mail)):
        assert "commented on your post" in version
        assert "Have you seen this, @alice?" in version
        assert f"/@bob/{post}/" in version
    assert send_due_mails(mailoutbox, alice) == []
    assert "mail_due_at" not in box_of(alice)


def test_the_subject_describes_a_single_notification(alice, bob, mailoutbox):
    deliver_notification(alice, bob, "request")
    (mail,) = send_due_mails(mailoutbox)
    assert mail.subject == "[Socialsite] Bob Brown requested to follow you"


def test_seen_notifications_are_not_mailed(alice, bob, mailoutbox):
    deliver_notification(alice, bob)
    assert record_presence(recipient=alice.pk).notifications == 1
    assert send_due_mails(mailoutbox) == []
    assert "mail_due_at" not in box_of(alice)


def test_an_earlier_visit_prevents_no_mail(alice, bob, mailoutbox):
    deliver_notification(alice, bob, "request")
    before = timezone.now() - timedelta(minutes=20)
    notification_boxes().update_one({"_id": alice.pk}, {"$set": {"seen_at": before}})
    assert len(send_due_mails(mailoutbox)) == 1


def test_the_mail_waits_from_the_first_notification_after_the_last_visit(
    alice, bob, carol, mailoutbox
):
    deliver_notification(alice, bob)
    record_presence(recipient=alice.pk)
    seen = timezone.now() - timedelta(minutes=5)
    notification_boxes().update_one({"_id": alice.pk}, {"$set": {"seen_at": seen}})
    deliver_notification(alice, carol, ago=timedelta(minutes=3))
    assert send_due_mails(mailoutbox, alice) == []
    wait = box_of(alice)["mail_due_at"].replace(tzinfo=timezone.now().tzinfo) - timezone.now()
    assert timedelta(minutes=6) < wait < timedelta(minutes=8)


def test_a_user_gets_one_mail_an_hour_at_most(alice, bob, carol, mailoutbox):
    deliver_notification(alice, bob)
    assert len(send_due_mails(mailoutbox)) == 1
    deliver_notification(alice, carol)
    assert send_due_mails(mailoutbox) == []
    assert send_due_mails(mailoutbox, alice) == []
    an_hour_ago = timezone.now() - timedelta(hours=1)
    notification_boxes().update_one({"_id": alice.pk}, {"$set": {"mailed_at": an_hour_ago}})
    (mail,) = send_due_mails(mailoutbox, alice)
    assert "Carol" in mail.body
    assert "Bob" not in mail.body


def test_read_and_withdrawn_notifications_are_not_mailed(alice, bob, carol, mailoutbox):
    read = deliver_notification(alice, bob)
    mark_read(recipient=alice.pk, ids=[read])
    post = publish(alice)
    like_post(post_id=post, actor=carol)
    save_choice(alice)
    unlike_post(post_id=post, actor=carol)
    assert send_due_mails(mailoutbox, alice) == []
    assert "mail_due_at" not in box_of(alice)


def test_hidden_notifications_are_not_mailed(alice, bob, carol, mailoutbox):
    deliver_notification(
        alice, bob, post=publish(bob, "Now you do not see me", visibility="followers")
    )
    deliver_notification(alice, carol)
    notification_boxes().update_one({"_id": alice.pk}, {"$set": {"recent.1.actor": 1}})
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert send_due_mails(mailoutbox) == []


def test_kinds_are_mailed_by_default_or_choice(alice, bob, mailoutbox):
    deliver_notification(alice, bob, "like", post=publish(alice))
    assert "mail_due_at" not in box_of(alice)
    save_choice(alice, mailed=["like"])
    deliver_notification(alice, bob)
    assert "mail_due_at" not in box_of(alice)
    deliver_notification(alice, bob, "like", post=publish(alice))
    (mail,) = send_due_mails(mailoutbox)
    assert "liked your post" in mail.body
    assert "mention" not in mail.body


def test_filtered_notifications_are_not_mailed(alice, bob):
    save_kinds(recipient=alice.pk, disabled_kinds=[], filters=["strangers"])
    deliver_notification(alice, bob, classes=["strangers"])
    assert box_of(alice)["filtered"]
    assert "mail_due_at" not in box_of(alice)


@pytest.mark.parametrize("mode", MODES)
def test_after_mails_were_off_only_new_notifications_are_mailed(
    alice, bob, carol, mailoutbox, mode
):
    deliver_notification(alice, bob)
    save_choice(alice, mode="off")
    assert "mail_due_at" not in box_of(alice)
    deliver_notification(alice, carol)
    save_choice(alice, mode=mode)
    assert send_due_mails(mailoutbox) == []
    assert send_due_mails(mailoutbox, alice) == []


def test_inactive_users_and_users_without_address_get_no_mail(alice, bob, carol, mailoutbox):
    deliver_notification(alice, carol)
    deliver_notification(bob, carol)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    bob.emailaddress_set.update(verified=False)
    assert send_due_mails(mailoutbox) == []
    assert "mail_due_at" not in box_of(alice) | box_of(bob)


def test_mails_are_sent_to_confirmed_addresses_only(alice, bob, mailoutbox):
    alice.emailaddress_set.all().delete()
    for address, confirmed, main in (("a@b.org", True, False), ("c@d.org", False, True)):
        alice.emailaddress_set.create(email=address, verified=confirmed, primary=main)
    deliver_notification(alice, bob)
    (mail,) = send_due_mails(mailoutbox)
    assert mail.to == ["a@b.org"]


def test_mails_have_headers_for_mail_programs(alice, bob, mailoutbox, settings):
    settings.SITE_URL = "https://example.org"
    newest = deliver_notification(alice, bob)
    (mail,) = send_due_mails(mailoutbox)
    sent = mail.message()
    assert sent["Message-ID"] == f"<notifications.{alice.pk}.{newest}@example.org>"
    assert sent["Auto-Submitted"] == "auto-generated"
    assert sent["Precedence"] is None
    assert sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = re.fullmatch(r"<(https://example\.org/\S+)>", sent["List-Unsubscribe"])[1]
    assert link in mail.body
    save_choice(alice, mode="daily")
    deliver_notification(alice, bob, "request", ago=timedelta(days=2))
    notification_boxes().update_one({"_id": alice.pk}, {"$unset": {"mailed_upto": ""}})
    (digest,) = send_due_mails(mailoutbox, alice)
    assert digest.message()["Precedence"] == "bulk"
    assert digest.subject.startswith("[Socialsite] Your daily summary: ")


def test_text_and_html_have_the_same_content(alice, bob, carol, mailoutbox):
    post = publish(alice, "Tom & Jerry <3 you")
    for actor in (bob, carol):
        deliver_notification(alice, actor, "comment", post=post)
    deliver_notification(alice, bob, post=publish(bob, "See   you\n\n@alice"))
    (mail,) = send_due_mails(mailoutbox)
    text = text_with_urls(html_of(mail))
    assert text == mail.body.replace("--", " ").split()
    assert "Tom & Jerry <3 you" in mail.body
    for name in ("Bob", "Carol", "@alice"):
        assert name in text


def test_names_and_posts_are_escaped(alice, bob, mailoutbox):
    User.objects.filter(pk=bob.pk).update(display_name='<b onclick="x">\u202e"B&amp;\r\nBcc:x@y.z')
    publish(bob, '<script>alert("1")</script> {{ one }} @alice')
    backdate_notifications(alice)
    (mail,) = send_due_mails(mailoutbox)
    sent = email.message_from_bytes(mail.message().as_bytes(), policy=policy.default)
    assert sent["Bcc"] is None
    assert sent["Subject"] == '[Socialsite] <b onclick="x">"B&amp; Bcc:x@y.z mentioned you'
    html = html_of(mail)
    assert "<script" not in html
    assert "<b" not in re.sub(r"<(bdi|body|br|blockquote)\b", "", html)
    assert "&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt; {{ one }}" in html
    assert '<script>alert("1")</script> {{ one }}' in mail.body


def test_an_address_with_a_line_break_gets_no_mail_and_delays_no_other(
    alice, bob, carol, mailoutbox
):
    alice.emailaddress_set.update(email="a@b.org\nBcc: x@y.z")
    deliver_notification(alice, carol)
    deliver_notification(bob, carol)
    (mail,) = send_due_mails(mailoutbox)
    assert mail.to == ["bob@example.org"]
    assert box_of(alice)["mail_attempts"] == 1


def test_the_subject_does_not_name_the_author_of_a_direct_post(alice, bob, mailoutbox):
    publish(bob, "Psst @alice", visibility="direct")
    backdate_notifications(alice)
    (mail,) = send_due_mails(mailoutbox)
    assert mail.subject == "[Socialsite] Mentions: 1 new notification"
    assert "Bob Brown" in mail.body


def test_text_behind_a_content_warning_is_not_mailed(alice, bob, mailoutbox):
    post = publish_post(author=bob.pk, text="The butler did it, @alice", content_warning="Spoilers")
    comment = add_comment(post_id=post, actor=bob, text="Yes, the butler, @alice")
    deliver_notification(alice, bob, "reply", post=post, comment_id=comment)
    backdate_notifications(alice)
    (mail,) = send_due_mails(mailoutbox)
    for version in (mail.body, html_of(mail)):
        assert "butler" not in version
        assert "Spoilers" in version


def test_every_kind_has_a_mail(alice, bob, mailoutbox):
    save_choice(alice)
    post = publish(alice)
    for kind in kinds():
        deliver_notification(
            alice, bob, kind.name, post=post, text="Be kind." if kind.name == "notice" else ""
        )
    (mail,) = send_due_mails(mailoutbox, alice)
    assert mail.subject == f"[Socialsite] {len(kinds())} new notifications"
    assert "Be kind." in mail.body


def test_notification_mails_have_the_language_of_the_recipient(alice, bob, mailoutbox):
    User.objects.filter(pk=alice.pk).update(language="de")
    User.objects.filter(pk=bob.pk).update(language="ja")
    with override("fr"):
        publish(bob, "Hello @alice")
        backdate_notifications(alice)
        (mail,) = send_due_mails(mailoutbox)
    for version in (mail.body, html_of(mail)):
        assert translated("Manage email notifications", "de") in version
    assert 'lang="de"' in html_of(mail)
    assert "mentioned" not in mail.subject
