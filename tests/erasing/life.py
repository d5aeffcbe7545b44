"""Create a user who leaves data in every collection.

The user erika uses every feature, and other users interact with her.
"""

import io
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.utils import timezone
from PIL import Image

from accounts.blocklists.models import BlockedEmail, BlockedName, BlockedNetwork
from accounts.infra.ids import new_id
from accounts.models import User
from accounts.oauth.models import Application, Grant
from accounts.profile_pictures import KINDS, crop_picture, save_picture
from accounts.services.blocks_and_mutes import block_user, mute_user, unmute_user
from accounts.services.follow_settings import (
    feature_user,
    hide_shares,
    set_languages,
    set_subscription,
)
from accounts.services.follows import follow_user
from accounts.services.invitations import create_invitation, sign_up
from accounts.services.profiles import change_picture, set_private
from accounts.services.user_notes import save_note
from feed import picture_files, signals, stats, tasks
from feed.link_cards.cards import picture_entry
from feed.models import Picture, Post
from feed.services.conversations import mark_unread
from feed.services.filters import add_phrase_filter, set_home_kinds
from feed.services.pictures import receive_upload
from feed.services.pictures import save_picture as save_post_picture
from feed.services.tags import feature_tag, follow_tag
from feed.services.user_lists import choose_lists, create_list
from feed.store import link_cards
from feed.timeline.home import advance_home_position
from feed.timeline.strategies import STRATEGIES
from notifications import tasks as notification_tasks
from notifications.services.boxes import dismiss
from notifications.services.preferences import (
    follow_thread,
    save_mail_preferences,
)
from notifications.store import boxes, devices
from notifications.store.preferences import save_kinds
from notifications.store.rows import NotificationRow
from socialsite.archive import services
from socialsite.archive import tasks as archive_tasks
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.services.appeals import create_appeal
from socialsite.moderation.services.cases import add_note, assign_case
from socialsite.moderation.services.reports import create_report
from socialsite.moderation.subjects import comment_subject, post_subject, user_subject
from tests.actions import (
    add_comment,
    bookmark_post,
    edit_post,
    like_comment,
    like_post,
    pin_post,
    publish_post,
    share_post,
    vote,
)
from tests.api.api_client import token_of
from tests.clips import video
from tests.factories import UserFactory, follow
from tests.feed.draft_helpers import draft_of, schedule
from tests.feed.poll_helpers import end, publish_poll
from tests.feed.quote_helpers import quote
from tests.log_ins import turn_on_two_factors
from tests.uploads import picture

SECRET = "a long enough secret"
NAMES = ("erikatrace", "Tracewell", "erikatrace@mail.example")
SETTINGS = {
    "FEED_HOME_KINDS": ["note", "link", "review", "share", "follow", "comment"],
}


@dataclass
class Life:
    """The user erika and two other users.

    Attributes:
        uid: uid of erika.
        post_ids_of_others: posts of other users that erika commented on.
    """

    uid: int
    bob: User
    carol: User
    post_ids_of_others: list[int]

    @property
    def erika(self) -> User:
        return User.objects.get(pk=self.uid)


def live(settings) -> Life:
    for name, value in SETTINGS.items():
        setattr(settings, name, value)
    erika = _sign_up()
    bob, carol = (UserFactory(username=name) for name in ("bob", "carol"))
    life = Life(erika.pk, bob, carol, [])
    _create_relationships(erika, bob, carol)
    _publish_posts(life, erika, bob, carol)
    _publish_unpushed_posts(settings, erika, bob)
    _write_comments(life, erika, bob, carol)
    _vote_in_polls(erika, bob, carol)
    _link_to_pages(erika, bob)
    _save_choices(life, erika, bob)
    _receive_notifications(erika, bob)
    _log_admin_actions(erika, bob)
    _block_and_invite(erika)
    _authorize_app(erika)
    _export_archive(erika)
    _take_moderation_actions(life, erika, bob)
    for strategy in STRATEGIES.values():
        strategy.build_inbox(owner=erika.pk)
        strategy.build_inbox(owner=bob.pk)
    _fill_inbox_buckets(erika)
    _count_views(erika)
    return life


def _authorize_app(erika):
    token_of(erika)
    app, soon = Application.objects.get(), timezone.now() + timedelta(minutes=5)
    Grant.objects.create(user=erika, application=app, code="code", expires=soon)


def _sign_up():
    client = Client(headers={"User-Agent": "Firefox on Linux"})
    data = {"username": NAMES[0], "email": NAMES[2], "password1": SECRET}
    assert client.post("/accounts/signup/", data).status_code == 302
    profile = {"display_name": f"Erika {NAMES[1]}", "bio": NAMES[1]}
    fields = {"field_1_name": "Home", "field_1_value": NAMES[1]}
    client.post("/settings/profile/", profile | fields)
    erika = User.objects.get(username=NAMES[0])
    for kind in KINDS:
        current, unused = (
            crop_picture(kind=kind, upload=io.BytesIO(picture(color=color)))
            for color in ("red", "blue")
        )
        change_picture(kind=kind, uid=erika.pk, picture=current)
        # A change that was interrupted leaves this file, which erasure must also delete.
        save_picture(kind=kind, uid=erika.pk, picture=unused)
    Client().post("/accounts/login/", {"login": NAMES[0], "password": SECRET})
    Client().post("/accounts/password/reset/", {"email": NAMES[2]})
    turn_on_two_factors(erika)
    erika.is_staff = True
    erika.save()
    erika.user_permissions.add(Permission.objects.first())
    erika.groups.add(Group.objects.create(name="Helpers"))
    return erika


def _create_relationships(erika, bob, carol):
    follow(erika, bob, carol)
    follow(bob, erika, carol)
    follow(carol, erika, bob)
    for follower, followee in ((erika, bob), (bob, erika)):
        set_subscription(follower=follower.pk, followee=followee.pk, is_on=True)
        feature_user(owner=follower.pk, other=followee.pk)
        set_languages(follower=follower.pk, followee=followee.pk, languages=["de"])
    hide_shares(owner=bob.pk, other=erika.pk, is_hidden=True)
    mute_user(owner=erika.pk, other=carol.pk, until=None)
    unmute_user(owner=erika.pk, other=carol.pk)
    dora, emil, fritz, gerd = (
        UserFactory(username=name) for name in ("dora", "emil", "fritz", "g")
    )
    set_private(uid=dora.pk, is_private=True)
    follow_user(follower=erika.pk, followee=dora.pk)
    mute_user(owner=emil.pk, other=erika.pk, until=None)
    mute_user(owner=erika.pk, other=emil.pk, until=None)
    block_user(owner=erika.pk, other=fritz.pk)
    follow(gerd, erika)
    block_user(owner=gerd.pk, other=erika.pk)
    set_private(uid=erika.pk, is_private=True)
    follow_user(follower=emil.pk, followee=erika.pk)
    set_private(uid=erika.pk, is_private=False)


def _publish_clips(erika):
    """Publish a video, and leave another one that waits for its conversion."""
    for number in range(2):
        upload = receive_upload(owner=erika.pk, upload=io.BytesIO(video()))
        clip = save_post_picture(owner=erika.pk, decoded=upload)
        if number == 0:
            tasks.process_clip(clip_id=clip.pk)
            publish_post(author=erika.pk, text="Watch", picture_ids=[clip.pk])


def _publish_posts(life, erika, bob, carol):
    common = {"author": erika.pk}
    post = publish_post(
        **common, text="Hello @bob #morning https://a.example", idempotency_key="one"
    )
    edit_post(post_id=post, actor=erika, text="Hello @bob and @carol #morning")
    publish_post(**common, text="psst @bob", visibility="direct")
    publish_post(
        **common, text="Good", kind="review", details={"item": "film", "title": "One", "stars": 4}
    )
    upload = picture_files.decode_upload(upload=io.BytesIO(picture()))
    save_post_picture(owner=erika.pk, decoded=upload)
    shown = Picture.objects.latest("pk").pk
    look = publish_post(**common, text="Look", picture_ids=[shown])
    quote(quote(post, bob, "Erika is right"), erika, "Thanks")
    for alt in ("erikatrace at sea", "At sea"):
        edit_post(post_id=look, actor=erika, text="Look", descriptions={shown: (alt, None)})
    save_post_picture(owner=erika.pk, decoded=upload)
    _publish_clips(erika)
    pin_post(post_id=post, actor=erika)
    for actor in (bob, carol):
        like_post(post_id=post, actor=actor)
        share_post(post_id=post, actor=actor)
        bookmark_post(post_id=post, actor=actor)
    comment = add_comment(post_id=post, actor=bob, text="Hi @erikatrace")
    like_comment(post_id=post, comment_id=comment, actor=carol)
    add_comment(post_id=post, actor=carol, text="No", parent_id=comment)
    follow_thread(uid=carol.pk, post_id=post)


def _publish_unpushed_posts(settings, erika, bob):
    push_limit, settings.FEED_PUSH_LIMIT = settings.FEED_PUSH_LIMIT, 0
    publish_post(author=erika.pk, text="To all #morning")
    publish_post(author=bob.pk, text="bob to all")
    settings.FEED_PUSH_LIMIT = push_limit


def _write_comments(life, erika, bob, carol):
    """Add comments of erika and other users to bob's posts.

    Erasure may only delete the comments of erika.
    """
    for n in range(3):
        post = publish_post(author=bob.pk, text=f"bob {n}: @erikatrace #morning")
        life.post_ids_of_others.append(post)
        first = add_comment(post_id=post, actor=carol, text="I")
        thread = add_comment(post_id=post, actor=erika, text=f"{NAMES[1]} says")
        reply = add_comment(post_id=post, actor=carol, text="re", parent_id=thread)
        own_reply = add_comment(post_id=post, actor=erika, text="re re", parent_id=reply)
        add_comment(post_id=post, actor=bob, text="@erikatrace no", parent_id=own_reply)
        add_comment(post_id=post, actor=carol, text="last")
        add_comment(post_id=post, actor=bob, text="@erikatrace @carol psst", visibility="direct")
        for comment in (first, reply):
            like_comment(post_id=post, comment_id=comment, actor=erika)
            like_comment(post_id=post, comment_id=comment, actor=bob)
        like_comment(post_id=post, comment_id=own_reply, actor=bob)
        for actor in (carol, erika, bob):
            like_post(post_id=post, actor=actor)
        share_post(post_id=post, actor=erika)
        share_post(post_id=post, actor=carol)
    direct = publish_post(author=bob.pk, text="@erikatrace psst", visibility="direct")
    edit_post(post_id=direct, actor=bob, text="@erikatrace @carol psst")
    add_comment(post_id=direct, actor=erika, text="yes?")
    life.post_ids_of_others.append(direct)
    mark_unread(post_id=direct, reader=erika.pk, message_id=direct)
    edit_post(post_id=life.post_ids_of_others[0], actor=bob, text="bob again: @erikatrace #evening")


def _link_to_pages(erika, bob):
    shared, own = "https://pages.example.org/", f"https://pages.example.org/{NAMES[1]}"
    picture_upload = picture_files.encode_sizes(picture=Image.new("RGB", (60, 60)))
    stored = picture_files.store_upload(owner=Picture.SITE, upload=picture_upload)
    stored.post = Picture.LINK_CARD
    stored.save()
    own_content = {"title": NAMES[1], "picture": picture_entry(picture=stored, alt=NAMES[1])}
    contents = {own: own_content, shared: {"title": "A page"}}
    now = timezone.now()
    link_cards.insert_cards(contents=contents, fresh_until=now, now=now)
    for author, url in ((erika, own), (erika, shared), (bob, shared)):
        post = publish_post(author=author.pk, text=f"Read {url}")
        Post.objects.filter(pk=post).update(link_card={"url": url, "title": "A page"})


def _vote_in_polls(erika, bob, carol):
    for author in (erika, bob):
        poll = publish_poll(author, "One", "Two", "Three", is_multiple=True)
        vote(poll, carol, 0, 1)
        vote(poll, erika if author == bob else bob, 1, 2)
        end(poll)


def _save_choices(life, erika, bob):
    bookmark_post(post_id=life.post_ids_of_others[0], actor=erika)
    draft_of(erika, f"{NAMES[1]} writes", content_warning=NAMES[1])
    refused = schedule(erika, "@nobodyhere later")
    signals.scheduled_post_refused.send(sender=None, draft=refused, author=erika.pk)
    follow_tag(uid=erika.pk, tag="morning")
    feature_tag(author=erika.pk, name="morning")
    add_phrase_filter(owner=erika.pk, phrase="spoiler", has_warning=True, hours=None)
    set_home_kinds(owner=erika.pk, shown_kinds={"note"})
    advance_home_position(viewer=erika.pk, position=life.post_ids_of_others[0])
    for owner, other in ((erika, bob), (bob, erika)):
        save_note(owner=owner.pk, other=other.pk, text=f"{NAMES[1]} knows the way")
        list_ids = {
            create_list(owner=owner, title=title, is_exclusive=title == "More")
            for title in ("Friends", "More")
        }
        choose_lists(owner=owner, username=other.username, list_ids=list_ids)


def _receive_notifications(erika, bob):
    post = publish_post(author=bob.pk, text="Anybody here?")
    follow_thread(uid=erika.pk, post_id=post)
    save_kinds(recipient=erika.pk, disabled_kinds=["like"], filters=["strangers"])
    save_mail_preferences(recipient=erika.pk, mode="daily", mailed_kinds=["mention"])
    for recipient, actor in ((bob, erika), (erika, bob)):
        for number in range(170):
            row = NotificationRow(new_id(), "mention", actor.pk, post_id=post + number)
            boxes.deliver(row=row, classes_by_recipient={recipient.pk: ()})
    notification_tasks.clean_up()
    seen = [row.id for row in boxes.get(recipient=bob.pk).recent if row.actor == erika.pk]
    assert dismiss(recipient=bob.pk, ids=seen[:5])
    save_kinds(recipient=bob.pk, disabled_kinds=[], filters=["stranger"])
    filtered = NotificationRow(new_id(), "mention", erika.pk, post_id=post + 1000)
    boxes.deliver(row=filtered, classes_by_recipient={bob.pk: ("stranger",)})
    assert boxes.get(recipient=bob.pk).filtered


def _log_admin_actions(erika, bob):
    log = LogEntry.objects.log_actions
    erikas_posts = Post.objects.filter(author=erika)[:1]
    root = UserFactory(username="root_admin", is_staff=True, is_superuser=True)
    for user, changed in ((erika, [bob]), (root, [erika]), (root, list(erikas_posts))):
        log(user.pk, changed, CHANGE, change_message=[{"changed": {}}])
    log(root.pk, [root], ADDITION)


def _export_archive(erika):
    """Export an archive, which contains all data of the user."""
    archive_tasks.export_archive(archive_id=services.start_export(owner=erika).pk)


def _block_and_invite(erika):
    BlockedEmail.objects.create(value="bad.example", created_by=erika)
    BlockedName.objects.create(name="badname", value="badname", created_by=erika)
    BlockedNetwork.objects.create(value="203.0.113.0/24", created_by=erika)
    invitation = create_invitation(actor=erika, max_uses=2, expires_at=None)
    invited = User(username="hanna", email="hanna@example.org")
    sign_up(user=invited, invitation_key=invitation.key)
    devices.save_device(
        owner=erika.pk,
        endpoint="https://push.example/1",
        p256dh="x",
        auth="y",
        label="Firefox",
        now=timezone.now(),
    )


def _take_moderation_actions(life, erika, bob):
    """Let others moderate erika, and erika moderate others."""
    root = User.objects.get(username="root_admin")
    erikas_post = Post.objects.filter(author=erika, share_of=None, visibility="public").first()
    comment_id = add_comment(post_id=life.post_ids_of_others[1], actor=erika, text="pills of erika")
    like_comment(post_id=life.post_ids_of_others[1], comment_id=comment_id, actor=bob)
    report = {"reporter": bob, "category": "spam", "text": f"about {NAMES[1]}"}
    case = create_report(kind="post", subject_id=erikas_post.pk, **report)
    create_report(kind="person", subject_id=erika.pk, **report)
    about_bob = create_report(reporter=erika, kind="person", subject_id=bob.pk, category="other")
    action = {"moderator": root, "reason": f"No, {NAMES[0]}.", "case": case}
    take_action(kind="remove", subject=post_subject(post_id=erikas_post.pk), **action)
    comment = comment_subject(post_id=life.post_ids_of_others[1], comment_id=comment_id)
    take_action(kind="remove", subject=comment, **action)
    take_action(kind="avatar", subject=user_subject(uid=erika.pk), **action)
    rename = take_action(kind="rename", subject=user_subject(uid=erika.pk), **action)
    undo_action(action=rename, moderator=root)
    warning = take_action(kind="warn", subject=user_subject(uid=erika.pk), **action)
    create_appeal(action_id=warning.pk, user=erika, text="I did nothing.")
    erika = User.objects.get(pk=erika.pk)
    erika.user_permissions.add(Permission.objects.get(codename="moderate"))
    erika = User.objects.get(pk=erika.pk)
    assign_case(case=about_bob, moderator=erika, assignee=erika.pk)
    add_note(case=about_bob, moderator=erika, text="I know him")
    limited = take_action(
        kind="limit", subject=user_subject(uid=bob.pk), moderator=erika, case=about_bob
    )
    undo_action(action=limited, moderator=erika)


def _count_views(erika):
    """Count a view that is so old that its counters are merged into a daily counter."""
    old = timezone.now() - timedelta(days=100)
    stats.count(subject=erika.pk, metric=stats.Metric.VIEWS, at=old)
    stats.flush()
    tasks.roll_up_stats()


def _fill_inbox_buckets(erika):
    """Insert an inbox bucket of erika, because her inbox has too few entries to create a bucket."""
    from django.db import connection

    bucket = {"owner": erika.pk, "gen": new_id(), "seq": 0, "ids": [1]}
    connection.database["inbox_buckets"].insert_one(dict(bucket))
