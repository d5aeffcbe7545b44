"""Somebody who does all that one can do here, and to whom others do all that they can."""

import io
from dataclasses import dataclass
from datetime import timedelta

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.utils import timezone

from accounts import avatars
from accounts import services as accounts
from accounts.guards.models import BlockedMail, BlockedName, BlockedNetwork
from accounts.ids import new_id
from accounts.models import User
from accounts.oauth.models import Application, Grant
from feed import pictures, services, stats, tasks
from feed.archive import starting
from feed.models import Picture, Post
from feed.strategies import STRATEGIES
from notifications import services as notifications
from notifications import tasks as notification_tasks
from notifications.store import boxes, endpoints
from notifications.store.items import Item
from socialsite.moderation import services as moderation
from socialsite.moderation.subjects import comment_subject, person_subject, post_subject
from tests.api.calling import token_of
from tests.factories import UserFactory, follow
from tests.uploads import picture

SECRET = "a long enough secret"
NAMES = ("erikatrace", "Tracewell", "erikatrace@mail.example")
SETTINGS = {
    "FEED_KINDS": ["note", "link", "review", "share", "follow", "comment"],
}


@dataclass
class Life:
    """``others``: bob, who is close to them, and carol, who is less. ``theirs``: what others own."""

    uid: int
    bob: User
    carol: User
    theirs: list[int]

    @property
    def erika(self) -> User:
        return User.objects.get(pk=self.uid)


def live(settings) -> Life:
    for name, value in SETTINGS.items():
        setattr(settings, name, value)
    erika = _sign_up()
    bob, carol = (UserFactory(username=name) for name in ("bob", "carol"))
    life = Life(erika.pk, bob, carol, [])
    _among_people(erika, bob, carol)
    _write(life, erika, bob, carol)
    _large_author(settings, erika, bob)
    _talk(life, erika, bob, carol)
    _keep(life, erika, bob)
    _hear(erika, bob)
    _moderate(erika, bob)
    _guard(erika)
    _let_apps_in(erika)
    _take_away(erika)
    _be_moderated(life, erika, bob)
    for strategy in STRATEGIES.values():
        strategy.build(reader=erika.pk)
        strategy.build(reader=bob.pk)
    _fill_parts(erika)
    _count(erika)
    return life


def _let_apps_in(erika):
    token_of(erika)
    app, soon = Application.objects.get(), timezone.now() + timedelta(minutes=5)
    Grant.objects.create(user=erika, application=app, code="code", expires=soon)


def _sign_up():
    client = Client(headers={"User-Agent": "Firefox on Linux"})
    data = {"username": NAMES[0], "email": NAMES[2], "password1": SECRET}
    assert client.post("/accounts/signup/", data).status_code == 302
    client.post("/settings/profile/", {"display_name": f"Erika {NAMES[1]}", "bio": NAMES[1]})
    erika = User.objects.get(username=NAMES[0])
    accounts.change_avatar(uid=erika.pk, picture=avatars.reencode(upload=io.BytesIO(picture())))
    # A change of pictures that was interrupted.
    avatars.store(uid=erika.pk, picture=avatars.reencode(upload=io.BytesIO(picture(color="blue"))))
    Client().post("/accounts/login/", {"login": NAMES[0], "password": SECRET})
    Client().post("/accounts/password/reset/", {"email": NAMES[2]})
    TOTP.activate(erika, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(erika)
    erika.is_staff = True
    erika.save()
    erika.user_permissions.add(Permission.objects.first())
    erika.groups.add(Group.objects.create(name="Helpers"))
    return erika


def _among_people(erika, bob, carol):
    follow(erika, bob, carol)
    follow(bob, erika, carol)
    follow(carol, erika, bob)
    accounts.hide_shares(owner=bob.pk, other=erika.pk, hidden=True)
    accounts.mute(owner=erika.pk, other=carol.pk, until=None)
    accounts.unmute(owner=erika.pk, other=carol.pk)
    dora, emil, fritz, gerd = (
        UserFactory(username=name) for name in ("dora", "emil", "fritz", "g")
    )
    accounts.set_private(uid=dora.pk, is_private=True)
    accounts.follow(follower=erika.pk, followee=dora.pk)
    accounts.mute(owner=emil.pk, other=erika.pk, until=None)
    accounts.mute(owner=erika.pk, other=emil.pk, until=None)
    accounts.block(owner=erika.pk, other=fritz.pk)
    follow(gerd, erika)
    accounts.block(owner=gerd.pk, other=erika.pk)
    accounts.set_private(uid=erika.pk, is_private=True)
    accounts.follow(follower=emil.pk, followee=erika.pk)
    accounts.set_private(uid=erika.pk, is_private=False)


def _write(life, erika, bob, carol):
    say = {"author": erika.pk}
    post = services.publish_post(**say, text="Hello @bob #morning https://a.example", key="one")
    services.edit_post(post_id=post, actor=erika, text="Hello @bob and @carol #morning")
    services.publish_post(**say, text="psst @bob", visibility="direct")
    services.publish_post(
        **say, text="Good", kind="review", details={"item": "film", "title": "One", "stars": 4}
    )
    upload = pictures.made(upload=io.BytesIO(picture()))
    services.keep_pictures(owner=erika.pk, described=[], made=[upload])
    services.publish_post(**say, text="Look", media=[Picture.objects.latest("pk").pk])
    services.keep_pictures(owner=erika.pk, described=[], made=[upload])
    services.pin_post(post_id=post, actor=erika)
    for actor in (bob, carol):
        services.like_post(post_id=post, actor=actor)
        services.share_post(post_id=post, actor=actor)
        services.bookmark_post(post_id=post, actor=actor)
    comment = services.comment_on_post(post_id=post, actor=bob, text="Hi @erikatrace")
    services.like_comment(post_id=post, comment_id=comment, actor=carol)
    services.comment_on_post(post_id=post, actor=carol, text="No", parent=comment)
    notifications.follow_thread(reader=carol.pk, post_id=post)


def _large_author(settings, erika, bob):
    most, settings.FEED_PUSH_LIMIT = settings.FEED_PUSH_LIMIT, 0
    services.publish_post(author=erika.pk, text="To all #morning")
    services.publish_post(author=bob.pk, text="bob to all")
    settings.FEED_PUSH_LIMIT = most


def _talk(life, erika, bob, carol):
    """On what is bob's, where nothing but hers may go."""
    for n in range(3):
        post = services.publish_post(author=bob.pk, text=f"bob {n}: @erikatrace #morning")
        life.theirs.append(post)
        first = services.comment_on_post(post_id=post, actor=carol, text="I")
        begun = services.comment_on_post(post_id=post, actor=erika, text=f"{NAMES[1]} says")
        reply = services.comment_on_post(post_id=post, actor=carol, text="re", parent=begun)
        hers = services.comment_on_post(post_id=post, actor=erika, text="re re", parent=reply)
        services.comment_on_post(post_id=post, actor=bob, text="@erikatrace no", parent=hers)
        services.comment_on_post(post_id=post, actor=carol, text="last")
        for comment in (first, reply):
            services.like_comment(post_id=post, comment_id=comment, actor=erika)
            services.like_comment(post_id=post, comment_id=comment, actor=bob)
        services.like_comment(post_id=post, comment_id=hers, actor=bob)
        for actor in (carol, erika, bob):
            services.like_post(post_id=post, actor=actor)
        services.share_post(post_id=post, actor=erika)
        services.share_post(post_id=post, actor=carol)
    direct = services.publish_post(author=bob.pk, text="@erikatrace psst", visibility="direct")
    services.edit_post(post_id=direct, actor=bob, text="@erikatrace @carol psst")
    services.comment_on_post(post_id=direct, actor=erika, text="yes?")
    life.theirs.append(direct)
    services.edit_post(post_id=life.theirs[0], actor=bob, text="bob again: @erikatrace #evening")


def _keep(life, erika, bob):
    services.bookmark_post(post_id=life.theirs[0], actor=erika)
    services.follow_tag(reader=erika.pk, tag="morning")
    services.add_filter(reader=erika.pk, phrase="spoiler", folds=True, hours=None)
    services.choose_kinds(reader=erika.pk, shown={"note"})
    services.remember_position(reader=erika.pk, position=life.theirs[0])
    for owner, other in ((erika, bob), (bob, erika)):
        chosen = {services.create_list(owner=owner, title=title) for title in ("Friends", "More")}
        services.choose_lists(owner=owner, username=other.username, chosen=chosen)


def _hear(erika, bob):
    post = services.publish_post(author=bob.pk, text="Anybody here?")
    notifications.follow_thread(reader=erika.pk, post_id=post)
    notifications.choose(reader=erika.pk, off=["like"], filters=["strangers"])
    notifications.choose_mail(reader=erika.pk, mode="daily", mailed=["mention"])
    for reader, actor in ((bob, erika), (erika, bob)):
        for number in range(170):
            item = Item(new_id(), "mention", actor.pk, post=post + number)
            boxes.deliver(item=item, readers={reader.pk: ()})
    notification_tasks.tidy()
    seen = [one.id for one in boxes.get(reader=bob.pk).items if one.actor == erika.pk]
    assert notifications.dismiss(reader=bob.pk, ids=seen[:5])
    notifications.choose(reader=bob.pk, off=[], filters=["stranger"])
    held = Item(new_id(), "mention", erika.pk, post=post + 1000)
    boxes.deliver(item=held, readers={bob.pk: ("stranger",)})
    assert boxes.get(reader=bob.pk).held


def _moderate(erika, bob):
    log = LogEntry.objects.log_actions
    hers = Post.objects.filter(author=erika)[:1]
    root = UserFactory(username="root_admin", is_staff=True, is_superuser=True)
    for user, done in ((erika, [bob]), (root, [erika]), (root, list(hers))):
        log(user.pk, done, CHANGE, change_message=[{"changed": {}}])
    log(root.pk, [root], ADDITION)


def _take_away(erika):
    """An archive, which has all of it."""
    starting.start_export(owner=erika)


def _guard(erika):
    BlockedMail.objects.create(value="bad.example", made_by=erika)
    BlockedName.objects.create(name="badname", value="badname", made_by=erika)
    BlockedNetwork.objects.create(value="203.0.113.0/24", made_by=erika)
    invitation = accounts.invite(actor=erika, most_uses=2, expires_at=None)
    invited = User(username="hanna", email="hanna@example.org")
    accounts.sign_up(user=invited, key=invitation.key)
    endpoints.put(
        owner=erika.pk,
        endpoint="https://push.example/1",
        p256dh="x",
        auth="y",
        label="Firefox",
        at=timezone.now(),
    )


def _be_moderated(life, erika, bob):
    """By others, and as one who moderates others."""
    root = User.objects.get(username="root_admin")
    hers = Post.objects.filter(author=erika, share_of=None, visibility="public").first()
    said = services.comment_on_post(post_id=life.theirs[1], actor=erika, text="pills of erika")
    services.like_comment(post_id=life.theirs[1], comment_id=said, actor=bob)
    tell = {"reporter": bob, "category": "spam", "text": f"about {NAMES[1]}"}
    case = moderation.report(kind="post", id=hers.pk, **tell)
    moderation.report(kind="person", id=erika.pk, **tell)
    about_bob = moderation.report(reporter=erika, kind="person", id=bob.pk, category="other")
    act = {"moderator": root, "reason": f"No, {NAMES[0]}.", "case": case}
    moderation.take_action(kind="remove", subject=post_subject(post_id=hers.pk), **act)
    comment = comment_subject(post_id=life.theirs[1], comment_id=said)
    moderation.take_action(kind="remove", subject=comment, **act)
    moderation.take_action(kind="avatar", subject=person_subject(uid=erika.pk), **act)
    rename = moderation.take_action(kind="rename", subject=person_subject(uid=erika.pk), **act)
    moderation.undo_action(action=rename, moderator=root)
    warning = moderation.take_action(kind="warn", subject=person_subject(uid=erika.pk), **act)
    moderation.appeal(action_id=warning.pk, person=erika, text="I did nothing.")
    erika = User.objects.get(pk=erika.pk)
    erika.user_permissions.add(Permission.objects.get(codename="moderate"))
    erika = User.objects.get(pk=erika.pk)
    moderation.assign(case=about_bob, moderator=erika, to=erika.pk)
    moderation.add_note(case=about_bob, moderator=erika, text="I know him")
    limited = moderation.take_action(
        kind="limit", subject=person_subject(uid=bob.pk), moderator=erika, case=about_bob
    )
    moderation.undo_action(action=limited, moderator=erika)


def _count(erika):
    """Numbers of today, and of a time that is so long ago that only days are left."""
    old = timezone.now() - timedelta(days=100)
    stats.count(subject=erika.pk, metric=stats.Metric.VIEWS, at=old)
    stats.flush()
    tasks.roll_up_stats()


def _fill_parts(erika):
    """Inboxes long enough to have parts."""
    from django.db import connection

    life = {"owner": erika.pk, "gen": new_id(), "seq": 0, "ids": [1]}
    connection.database["inbox_buckets"].insert_one(dict(life))
