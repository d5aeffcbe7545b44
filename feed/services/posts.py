"""Publish, edit and delete a post."""

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import limits
from accounts import selectors as people
from accounts.ids import new_id
from accounts.models import User
from accounts.refusals import Refused
from accounts.transactions import transactional
from accounts.user_cards import card
from feed import attributes, signals
from feed.activities import Details, activity
from feed.models import Picture, Post
from feed.store import forgetting, pins, reading, revisions
from feed.store.shares import Share

from .once import Once
from .pictures import Descriptions, described_anew
from .publishing import bring_out, deliver
from .shares import delete_share
from .suspecting import suspect_post
from .tags import Entities, count_tags

NO_PICTURES: Descriptions = {}


class CannotPublish(Refused):
    """Publishing is refused; the message is for the person."""


def publish_post(
    *,
    author: int,
    text: str,
    visibility: str = Post.Visibility.PUBLIC,
    replies: str = Post.Replies.EVERYONE,
    warning: str = "",
    media: Sequence[int] = (),
    kind: str = "note",
    details: Details | None = None,
    key: str = "",
) -> int:
    """Publish a text and bring it to the author's audience; returns the post's id.

    The author sees it at once. Small audiences are delivered before this returns, larger ones by
    workers. Should the process die anywhere after the insert, the sweeper finishes the delivery.
    A direct post goes to those it mentions; raises CannotPublish if it mentions nobody. Raises TooMany
    for who posts very much in a short time.

    ``key``: anything of the author's own choice; what is published again with it within a day is the
    same post. ``kind`` and ``details``: as in ``activities``. ``replies``: who may comment. ``warning``:
    what readers see until they want to see the rest. ``media``: pictures of the author's that were not
    published yet, in their order; raises CannotAttach.
    """
    entities = attributes.entities_of(text=text) + activity(kind).entities(details or {})
    recipients: dict[str, int] = {}
    if visibility == Post.Visibility.DIRECT:
        recipients = _recipients(text, author)
        _refuse_blocked(recipients, author)
    post = Post(
        pk=new_id(),
        author_id=author,
        kind=kind,
        details=details or {},
        text=text,
        warning=warning,
        visibility=visibility,
        recipients=list(recipients.values()),
        replies=replies,
        entities=entities,
        hidden=hidden_at_first(author=author, visibility=visibility),
    )
    is_known = Once(author, key, post.pk).is_known
    with limits.counted(action="post", who=author, is_repeat=is_known) as counted:
        made = bring_out(post=post, key=key, media=media)
        counted.stands = made == post.pk
    if counted.stands:
        suspect_post(post=made, author=author, text=text)
    return made


def edit_post(
    *,
    post_id: int,
    actor: User,
    text: str,
    warning: str | None = None,
    replies: str | None = None,
    pictures: Descriptions = NO_PICTURES,
) -> None:
    """Change the text of one's own post, its warning, who may comment on it (None: leave that), or what is
    said of its ``pictures``; every reader sees it at the next look.

    Who may read it stays as it was, except that a direct post also goes to those it mentions now.
    Raises Http404 unless it is the actor's own post, CannotPublish as ``publish_post``.
    """
    _refuse_to_add_blocked(post_id, actor, text)
    changed = _changed(post_id, actor, text, warning, replies, pictures)
    if changed is None:
        return
    post, before, text_before = changed
    if post.visibility == Post.Visibility.DIRECT and post.delivery_state == Post.Delivery.PENDING:
        deliver(post)
    count_tags(post_id=post_id, post=post, before=before, after=post.entities)
    mentioned = [
        one["value"] for one in post.entities if one["kind"] == "mention" and one not in before
    ]
    signals.post_edited.send_robust(sender=None, post=post_id, author=actor.pk, mentioned=mentioned)
    suspect_post(post=post_id, author=actor.pk, text=text, before=text_before)


@transactional()
def _changed(
    post_id: int,
    actor: User,
    text: str,
    warning: str | None,
    replies: str | None,
    pictures: Descriptions,
) -> tuple[Post, Entities, str] | None:
    """The post as it is now, and its entities and its text before; None if it has these words already."""
    post = _own_post(post_id, actor)
    if not activity(post.kind).is_written:
        raise Http404("What tells of something done has no text.")
    if replies is not None and replies != post.replies:
        post.replies = replies
        post.save(update_fields=["replies"])
    if described_anew(post=post, described=pictures):
        post.edited_at = timezone.now()
        post.save(update_fields=["media", "edited_at"])
    warning = post.warning if warning is None else warning
    if (text, warning) == (post.text, post.warning):
        return None
    now = timezone.now()
    revisions.insert(
        id=new_id(),
        post=post.pk,
        text=post.text,
        warning=post.warning,
        recipients=post.recipients,
        until=now,
    )
    before, text_before = post.entities, post.text
    post.text, post.warning, post.edited_at = text, warning, now
    post.entities = attributes.entities_of(text=text) + activity(post.kind).entities(
        post.details or {}
    )
    changed = ["text", "warning", "edited_at", "entities"]
    if post.visibility == Post.Visibility.DIRECT:
        mentioned = _recipients(text, actor.pk).values()
        added = [uid for uid in mentioned if uid not in post.recipients]
        if added:
            # Under way again, in the same write: should this process die, the sweeper brings it.
            post.recipients = [*post.recipients, *added]
            post.delivery_people = len(post.recipients)
            post.delivery_state, post.delivery_attempts = Post.Delivery.PENDING, 0
            post.delivery_error = ""
            post.delivery_at = post.edited_at
            changed += [
                "recipients",
                "delivery_people",
                "delivery_state",
                "delivery_attempts",
                "delivery_error",
                "delivery_at",
            ]
    post.save(update_fields=changed)
    return post, before, text_before


def delete_post(*, post_id: int, actor: User, keeps_pictures: bool = False) -> None:
    """Delete one's own post, or as a moderator anybody's; timelines leave it out at the next read.

    ``keeps_pictures``: the author may publish them again, with another post.

    Raises Http404 when there is no such post, and also when the actor may not delete it.
    """
    post = Post.objects.filter(pk=post_id).first()
    if post is None or not _may_delete(post, actor):
        raise Http404("No such post.")
    take_away_post(post=post, keeps_pictures=keeps_pictures)


def delete_removed_post(*, post_id: int) -> None:
    """Delete what moderators have removed, for good. Nothing happens to other posts."""
    post = Post.objects.filter(pk=post_id, hidden=Post.Hidden.REMOVED).first()
    if post is not None:
        take_away_post(post=post)


def take_away_post(*, post: Post, keeps_pictures: bool = False) -> None:
    """Whoever wants it gone. The instance has no id any more afterwards."""
    post_id = post.pk
    pins.remove(author=post.author_id, post=post_id)
    forgetting.note(id=post_id, post=None, at=timezone.now())
    if post.share_of is not None:
        delete_share(Share(id=post.pk, author=post.author_id, post=post.share_of))
    elif post.media:
        _delete_with_pictures(post, keeps=keeps_pictures)
    else:
        post.delete()
    if not post.is_pushed:
        reading.forget_merged(author=post.author_id, post=post_id)
    count_tags(post_id=post_id, post=post, before=post.entities, after=[])
    signals.post_deleted.send_robust(sender=None, post=post_id, author=post.author_id)
    if post.share_of is not None:
        signals.post_unshared.send_robust(sender=None, post=post.share_of, sharer=post.author_id)


def _may_delete(post: Post, actor: User) -> bool:
    # What moderators have removed is theirs to keep, until it is decided for good.
    is_own = post.author_id == actor.pk and post.hidden != Post.Hidden.REMOVED
    return is_own or actor.has_perm("feed.delete_post")


@transactional()
def _delete_with_pictures(post: Post, *, keeps: bool) -> None:
    # Their files go later (``tasks.forget_post``), but from now on nothing else can be meant for them.
    # Those that are kept wait for a day, as if they had just been uploaded.
    there = Picture.objects.filter(post=post.pk)
    there.update(post=None, created_at=timezone.now()) if keeps else there.update(post=Picture.GONE)
    Post.objects.filter(pk=post.pk).delete()


def _own_post(post_id: int, actor: User) -> Post:
    post = Post.objects.filter(pk=post_id, author_id=actor.pk).first()
    if post is None or post.hidden == Post.Hidden.REMOVED:
        raise Http404("No such post.")
    return post


def hidden_at_first(*, author: int, visibility: str) -> str:
    """As ``Post.hidden``: the first posts of a new account may have to wait until moderators have seen
    them. Those to single people are not for moderators to read."""
    number = settings.FEED_HOLD_FIRST
    if not number or visibility == Post.Visibility.DIRECT:
        return ""
    let_through = Post.objects.filter(author_id=author, hidden="", share_of=None)
    is_known = len(let_through.exclude(visibility="direct").values_list("pk")[:number]) >= number
    return "" if is_known else Post.Hidden.HELD


def _recipients(text: str, author: int) -> dict[str, int]:
    """The uids that a direct post mentions, by their names. Raises CannotPublish."""
    recipients: dict[str, int] = {}
    for name, uid in attributes.mentioned_in(text=text).items():
        if uid is None:
            raise CannotPublish(_("There is nobody called @%(name)s here.") % {"name": name})
        if uid != author:
            recipients[name] = uid
    if not recipients:
        raise CannotPublish(_("Mention somebody, like @name: only those you mention will read it."))
    return recipients


def mentioned_without_access(*, author: int, text: str, visibility: str) -> list[str]:
    """The user names that a post by this author would mention although they cannot read it.

    Followers read posts for followers, and all posts of private accounts; direct posts go to whom they
    mention. At most three commands, and none without mentions.
    """
    if visibility == Post.Visibility.DIRECT or not attributes.names_in(text=text):
        return []
    writer = card(uid=author)
    is_for_followers = visibility == Post.Visibility.FOLLOWERS
    if not is_for_followers and (writer is None or not writer.is_private):
        return []
    mentioned = {
        name: uid
        for name, uid in attributes.mentioned_in(text=text).items()
        if uid is not None and uid != author
    }
    followers = people.listeners(uids=mentioned.values(), towards=author).following
    return [name for name, uid in mentioned.items() if uid not in followers]


def _refuse_blocked(recipients: Mapping[str, int], author: int) -> None:
    """Raises CannotPublish if the author blocks one of these users, or is blocked by one."""
    blocks = people.relations(viewer=author, uids=recipients.values()).blocks
    for name, uid in recipients.items():
        if uid in blocks:
            raise CannotPublish(
                _("@%(name)s cannot receive direct posts from you.") % {"name": name}
            )


def _refuse_to_add_blocked(post_id: int, actor: User, text: str) -> None:
    """As ``_refuse_blocked``, for those whom a direct post mentions only now."""
    if not attributes.names_in(text=text):
        return
    post = _own_post(post_id, actor)
    if post.visibility == Post.Visibility.DIRECT:
        recipients = _recipients(text, actor.pk)
        added = {name: uid for name, uid in recipients.items() if uid not in post.recipients}
        _refuse_blocked(added, actor.pk)
