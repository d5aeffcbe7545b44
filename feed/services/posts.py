"""Publish, edit and delete a post."""

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from accounts.selectors.relationships import recipient_relationships, relationships
from accounts.user_cards import find_card
from feed import attributes, signals
from feed.activities import Details, activity_kind
from feed.models import Picture, Post
from feed.store import pending_cleanups, pins, reading, revisions
from feed.store.shares import Share

from .idempotency import KeyedInsert
from .pictures import Descriptions, update_descriptions
from .publication import insert_and_deliver, start_delivery
from .shares import delete_share_unchecked
from .spam_checks import check_post_for_spam
from .tags import Attributes, update_tag_usage

NO_DESCRIPTIONS: Descriptions = {}


class CannotPublish(Refused):
    """Publishing is refused; the message is for the person."""


def publish_post(
    *,
    author: int,
    text: str,
    visibility: str = Post.Visibility.PUBLIC,
    reply_policy: str = Post.ReplyPolicy.EVERYONE,
    content_warning: str = "",
    picture_ids: Sequence[int] = (),
    kind: str = "note",
    details: Details | None = None,
    idempotency_key: str = "",
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
    entities = attributes.attributes_of(text=text) + activity_kind(kind).attributes(details or {})
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
        warning=content_warning,
        visibility=visibility,
        recipients=list(recipients.values()),
        replies=reply_policy,
        entities=entities,
        hidden=initial_hidden_state(author=author, visibility=visibility),
    )
    is_known = KeyedInsert(author, idempotency_key, post.pk).is_repeat
    with rate_limits.limited_action(action="post", subject=author, is_repeat=is_known) as counted:
        made = insert_and_deliver(
            post=post, idempotency_key=idempotency_key, picture_ids=picture_ids
        )
        counted.is_done = made == post.pk
    if counted.is_done:
        check_post_for_spam(post_id=made, author=author, text=text)
    return made


def edit_post(
    *,
    post_id: int,
    actor: User,
    text: str,
    content_warning: str | None = None,
    reply_policy: str | None = None,
    descriptions: Descriptions = NO_DESCRIPTIONS,
) -> None:
    """Change the text of one's own post, its warning, who may comment on it (None: leave that), or what is
    said of its ``pictures``; every reader sees it at the next look.

    Who may read it stays as it was, except that a direct post also goes to those it mentions now.
    Raises Http404 unless it is the actor's own post, CannotPublish as ``publish_post``.
    """
    _refuse_to_add_blocked(post_id, actor, text)
    changed = _changed(post_id, actor, text, content_warning, reply_policy, descriptions)
    if changed is None:
        return
    post, before, text_before = changed
    if (
        post.visibility == Post.Visibility.DIRECT
        and post.delivery_state == Post.DeliveryState.PENDING
    ):
        start_delivery(post)
    update_tag_usage(
        post_id=post_id, post=post, old_attributes=before, new_attributes=post.entities
    )
    mentioned = [
        one["value"] for one in post.entities if one["kind"] == "mention" and one not in before
    ]
    signals.post_edited.send_robust(sender=None, post=post_id, author=actor.pk, mentioned=mentioned)
    check_post_for_spam(post_id=post_id, author=actor.pk, text=text, previous_text=text_before)


@transactional()
def _changed(
    post_id: int,
    actor: User,
    text: str,
    warning: str | None,
    replies: str | None,
    pictures: Descriptions,
) -> tuple[Post, Attributes, str] | None:
    """The post as it is now, and its entities and its text before; None if it has these words already."""
    post = _own_post(post_id, actor)
    if not activity_kind(post.kind).is_written:
        raise Http404("What tells of something done has no text.")
    if replies is not None and replies != post.replies:
        post.replies = replies
        post.save(update_fields=["replies"])
    if update_descriptions(post=post, descriptions=pictures):
        post.edited_at = timezone.now()
        post.save(update_fields=["media", "edited_at"])
    warning = post.warning if warning is None else warning
    if (text, warning) == (post.text, post.warning):
        return None
    now = timezone.now()
    revisions.insert_revision(
        id=new_id(),
        post=post.pk,
        text=post.text,
        content_warning=post.warning,
        recipients=post.recipients,
        replaced_at=now,
    )
    before, text_before = post.entities, post.text
    post.text, post.warning, post.edited_at = text, warning, now
    post.entities = attributes.attributes_of(text=text) + activity_kind(post.kind).attributes(
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
            post.delivery_state, post.delivery_attempts = Post.DeliveryState.PENDING, 0
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


def delete_post(*, post_id: int, actor: User, should_keep_pictures: bool = False) -> None:
    """Delete one's own post, or as a moderator anybody's; timelines leave it out at the next read.

    ``keeps_pictures``: the author may publish them again, with another post.

    Raises Http404 when there is no such post, and also when the actor may not delete it.
    """
    post = Post.objects.filter(pk=post_id).first()
    if post is None or not _may_delete(post, actor):
        raise Http404("No such post.")
    delete_post_unchecked(post=post, should_keep_pictures=should_keep_pictures)


def delete_removed_post(*, post_id: int) -> None:
    """Delete what moderators have removed, for good. Nothing happens to other posts."""
    post = Post.objects.filter(pk=post_id, hidden=Post.Hidden.REMOVED).first()
    if post is not None:
        delete_post_unchecked(post=post)


def delete_post_unchecked(*, post: Post, should_keep_pictures: bool = False) -> None:
    """Whoever wants it gone. The instance has no id any more afterwards."""
    post_id = post.pk
    pins.remove_pin(author=post.author_id, post=post_id)
    pending_cleanups.add_cleanup(id=post_id, post=None, noted_at=timezone.now())
    if post.share_of is not None:
        delete_share_unchecked(Share(id=post.pk, author=post.author_id, post=post.share_of))
    elif post.media:
        _delete_with_pictures(post, keeps=should_keep_pictures)
    else:
        post.delete()
    if not post.is_pushed:
        reading.remove_merged_post(author=post.author_id, post=post_id)
    update_tag_usage(post_id=post_id, post=post, old_attributes=post.entities, new_attributes=[])
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
    there.update(post=None, created_at=timezone.now()) if keeps else there.update(
        post=Picture.DELETED_POST
    )
    Post.objects.filter(pk=post.pk).delete()


def _own_post(post_id: int, actor: User) -> Post:
    post = Post.objects.filter(pk=post_id, author_id=actor.pk).first()
    if post is None or post.hidden == Post.Hidden.REMOVED:
        raise Http404("No such post.")
    return post


def initial_hidden_state(*, author: int, visibility: str) -> str:
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
    for name, uid in attributes.mentions_in_text(text=text).items():
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
    if visibility == Post.Visibility.DIRECT or not attributes.usernames_in(text=text):
        return []
    writer = find_card(uid=author)
    is_for_followers = visibility == Post.Visibility.FOLLOWERS
    if not is_for_followers and (writer is None or not writer.is_private):
        return []
    mentioned = {
        name: uid
        for name, uid in attributes.mentions_in_text(text=text).items()
        if uid is not None and uid != author
    }
    followers = recipient_relationships(recipients=mentioned.values(), actor=author).followers
    return [name for name, uid in mentioned.items() if uid not in followers]


def _refuse_blocked(recipients: Mapping[str, int], author: int) -> None:
    """Raises CannotPublish if the author blocks one of these users, or is blocked by one."""
    blocks = relationships(viewer=author, uids=recipients.values()).blocked
    for name, uid in recipients.items():
        if uid in blocks:
            raise CannotPublish(
                _("@%(name)s cannot receive direct posts from you.") % {"name": name}
            )


def _refuse_to_add_blocked(post_id: int, actor: User, text: str) -> None:
    """As ``_refuse_blocked``, for those whom a direct post mentions only now."""
    if not attributes.usernames_in(text=text):
        return
    post = _own_post(post_id, actor)
    if post.visibility == Post.Visibility.DIRECT:
        recipients = _recipients(text, actor.pk)
        added = {name: uid for name, uid in recipients.items() if uid not in post.recipients}
        _refuse_blocked(added, actor.pk)
