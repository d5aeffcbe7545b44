"""Publish, edit and delete posts."""

from collections.abc import Mapping
from dataclasses import dataclass

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
from feed.link_cards.cards import new_link_card, sync_picture
from feed.models import Picture, Post
from feed.post_content import WRITTEN_FIELDS, PostContent, written_fields
from feed.selectors.post_view import PostView
from feed.store import answers, conversations, home_states, pending_cleanups, pins, revisions
from feed.store.revisions import Revision
from feed.store.shares import Share
from feed.text.languages import language_in

from .interactions import delete_share_unchecked
from .pictures import Descriptions, change_pictures, shown_pictures
from .publication import KeyedInsert, OnInsert, insert_and_deliver, start_delivery
from .quotes import discount_quote, kept_quote, quote_in_post
from .spam_checks import check_post_for_spam
from .tags import Attributes, update_tag_usage

NO_DESCRIPTIONS: Descriptions = {}

Mentions = Mapping[str, int | None]
"""Uids by mentioned username, None if no user has the name (``feed.attributes``)."""


class CannotPublish(Refused):
    """The post cannot be published. The message is shown to the author."""


def publish_post(
    *,
    author: int,
    content: PostContent,
    quoted: PostView | None = None,
    idempotency_key: str = "",
    on_insert: OnInsert | None = None,
) -> int:
    """Publish a post, deliver it to the author's audience and return its id.

    The author sees the post at once. A small audience receives the post before this function returns.
    Workers deliver the post to a larger audience. If the process dies after the insert, the sweeper
    finishes the delivery.

    Args:
        content: its pictures are unpublished pictures of the author.
        quoted: the post to quote, which the author may read (``quotes.quote_in_post``).
        idempotency_key: a key chosen by the author's form or app. A second call with the same key within
            a day publishes nothing and returns the id of the first post. "" for no key.
        on_insert: function that is called in the transaction of the insert. If it raises Refused, nothing
            is published. Needs an idempotency key.

    Raises:
        CannotPublish: a direct post mentions no user, or mentions a user who cannot receive the post.
        CannotAttach: a picture is not available.
        CannotQuote: the post may not be quoted.
        RateLimited: the author has reached the rate limit.
    """
    audience, details = content.audience, dict(content.details)
    post_attributes = attributes.post_attributes(
        text=content.text, kind=content.kind, details=details, language=content.language
    )
    recipients = direct_recipients(author=author, text=content.text, visibility=audience.visibility)
    post = Post(
        pk=new_id(),
        author_id=author,
        kind=content.kind,
        details=details,
        **written_fields(content),
        visibility=audience.visibility,
        recipients=list(recipients.values()),
        reply_policy=audience.reply_policy,
        quote_policy=audience.quote_policy,
        attributes=post_attributes,
        hidden=initial_hidden_state(author=author, visibility=audience.visibility),
    )
    if quoted is not None:
        quote_in_post(post=post, quoted=quoted)
    post.link_card = new_link_card(post=post, has_pictures=bool(content.picture_ids))
    is_known = KeyedInsert(author, idempotency_key, post.pk).is_repeat
    with rate_limits.limited_action(action="post", subject=author, is_repeat=is_known) as counted:
        published_id = insert_and_deliver(
            post=post,
            idempotency_key=idempotency_key,
            picture_ids=content.picture_ids,
            on_insert=on_insert,
        )
        counted.is_done = published_id == post.pk
    if counted.is_done:
        _fetch_link_card(post)
        check_post_for_spam(post_id=published_id, author=author, text=content.text)
    return published_id


def edit_post(
    *,
    post_id: int,
    actor: User,
    content: PostContent,
    descriptions: Descriptions = NO_DESCRIPTIONS,
) -> None:
    """Replace the content of the actor's own post (``PostView.content`` is the content before).

    An edit cannot change the visibility, the quote and the kind. In some kinds it changes the details,
    which may delete all answers (``Activity.changed_details``). If the new text of a direct post mentions
    more users, the post is delivered to these users, too. The files of removed pictures are deleted soon.

    Args:
        descriptions: new descriptions of the pictures.

    Raises Http404 if the actor did not write the post, CannotPublish like ``publish_post``, and
    CannotAttach if there are too many pictures or a picture is not available.
    """
    _refuse_to_add_blocked(post_id, actor, content.text)
    edit = _apply_edit(post_id, actor, content, descriptions)
    if edit is None:
        return
    _fetch_link_card(edit.post)
    if edit.replaced_card is not None:
        sync_picture(card=edit.replaced_card)
    post, before = edit.post, edit.attributes_before
    if (
        post.visibility == Post.Visibility.DIRECT
        and post.delivery_state == Post.DeliveryState.PENDING
    ):
        start_delivery(post)
    update_tag_usage(
        post_id=post_id, post=post, old_attributes=before, new_attributes=post.attributes
    )
    mentioned = [
        attribute["value"]
        for attribute in post.attributes
        if attribute["kind"] == "mention" and attribute not in before
    ]
    signals.post_edited.send_robust(
        sender=None,
        post=post_id,
        author=actor.pk,
        mentioned=mentioned,
        has_removed_pictures=edit.has_removed_pictures,
    )
    check_post_for_spam(
        post_id=post_id, author=actor.pk, text=content.text, previous_text=edit.text_before
    )


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edited post, and what an edit needs to know of the version before.

    ``replaced_card``: the link card that the post no longer shows, if it had another one.
    """

    post: Post
    attributes_before: Attributes
    text_before: str
    has_removed_pictures: bool
    replaced_card: Details | None


@transactional()
def _apply_edit(
    post_id: int, actor: User, content: PostContent, descriptions: Descriptions
) -> _Edit | None:
    """Save an edit.

    Return None if the text, the content warning, the details and the pictures with their
    descriptions stay the same, because the caller then has nothing to update or announce.
    """
    post = _own_post(post_id, actor)
    if not activity_kind(post.kind).is_written:
        raise Http404("This kind of post has no text.")
    _change_policies_and_language(post, content)
    details_before = activity_kind(post.kind).version_details(post.details or {})
    has_new_details = _change_details(post, content)
    media_before, pictures_before = post.media, shown_pictures(post)
    change_pictures(post=post, picture_ids=content.picture_ids, descriptions=descriptions)
    written = written_fields(content)
    is_same = written == written_fields(post)
    if not has_new_details and is_same and shown_pictures(post) == pictures_before:
        if post.media != media_before:
            post.save(update_fields=["media"])
        return None
    now = timezone.now()
    revision = Revision(
        **written_fields(post),
        id=new_id(),
        media=media_before,
        recipients=post.recipients,
        replaced_at=now,
        details=details_before,
    )
    revisions.insert_revision(post=post.pk, revision=revision)
    attributes_before, text_before = post.attributes, post.text
    for name, value in written.items():
        setattr(post, name, value)
    post.edited_at = now
    mentions_added = attributes.mentions_added(text=post.text, old_text=text_before)
    post.attributes = _attributes_after_edit(post, mentions_added)
    card_before = post.link_card
    post.link_card = new_link_card(post=post, has_pictures=bool(post.media))
    replaced_card = None if post.link_card == card_before else card_before
    changed = [*WRITTEN_FIELDS, "media", "edited_at", "attributes", "link_card"]
    if post.visibility == Post.Visibility.DIRECT:
        added = list(_added_recipients(post, post.text, mentions_added).values())
        if added:
            # One write stores the edit and the pending delivery to the new recipients. If this process
            # dies, the sweeper finishes the delivery.
            post.recipients = [*post.recipients, *added]
            conversations.add_participants(post=post.pk, owners=added)
            post.delivery_audience_size = len(post.recipients)
            post.delivery_state, post.delivery_attempts = Post.DeliveryState.PENDING, 0
            post.delivery_error = ""
            post.delivery_due_at = post.edited_at
            changed += [
                "recipients",
                "delivery_audience_size",
                "delivery_state",
                "delivery_attempts",
                "delivery_error",
                "delivery_due_at",
            ]
    post.save(update_fields=changed)
    shown_ids = {picture["id"] for picture in post.media}
    has_removed = any(picture["id"] not in shown_ids for picture in media_before)
    return _Edit(post, attributes_before, text_before, has_removed, replaced_card)


def _attributes_after_edit(post: Post, mentions_added: Mentions) -> Attributes:
    """Return the attributes of the new text, without users who took a name from the old text."""
    added = mentions_added.values()
    before = {entry["value"] for entry in post.attributes if entry["kind"] == "mention"}
    new_attributes = attributes.post_attributes(
        text=post.text,
        kind=post.kind,
        details=post.details or {},
        language=language_in(post.attributes),
    )
    return kept_quote(attributes=post.attributes) + [
        entry
        for entry in new_attributes
        if entry["kind"] != "mention" or entry["value"] in before or entry["value"] in added
    ]


def _fetch_link_card(post: Post) -> None:
    if "due_at" in (post.link_card or {}) and not post.hidden:
        signals.link_card_due.send_robust(sender=None, post=post.pk)


def _change_policies_and_language(post: Post, content: PostContent) -> None:
    """Save what is no new version of the post."""
    changed = []
    for name in ("reply_policy", "quote_policy"):
        if (policy := getattr(content.audience, name)) != getattr(post, name):
            setattr(post, name, policy)
            changed.append(name)
    if content.language != language_in(post.attributes):
        post.attributes = [
            *(attribute for attribute in post.attributes if attribute["kind"] != "language"),
            *attributes.language_attributes(text=content.text, language=content.language),
        ]
        changed.append("attributes")
    if changed:
        post.save(update_fields=changed)


def _change_details(post: Post, content: PostContent) -> bool:
    """Save the changed details. Return whether they make a new version of the post."""
    kind = activity_kind(content.kind)
    if not kind.is_editable:
        return False
    if post.kind != content.kind:
        raise CannotPublish(str(kind.addition_refusal))
    old, new = post.details or {}, dict(content.details)
    post.details = kind.changed_details(old=old, new=new)
    if loses_answers := post.details is new:
        answers.delete_answers_of(posts=[post.pk])
    if post.details != old:
        post.save(update_fields=["details"])
    return loses_answers or kind.version_details(post.details) != kind.version_details(old)


def delete_post(*, post_id: int, actor: User, should_keep_pictures: bool = False) -> None:
    """Delete the actor's own post, or any post if the actor is a moderator.

    Timelines omit the post as soon as viewers reload. Raises Http404 if the post is missing or the actor
    may not delete the post.

    Args:
        should_keep_pictures: True to keep the pictures for a day as unpublished pictures, so that the
            author can publish the pictures again with another post.
    """
    post = Post.objects.filter(pk=post_id).first()
    if post is None or not _may_delete(post, actor):
        raise Http404("No such post.")
    delete_post_unchecked(post=post, should_keep_pictures=should_keep_pictures)


def delete_removed_post(*, post_id: int) -> None:
    """Delete a post permanently, but only if moderators have hidden the post as removed."""
    post = Post.objects.filter(pk=post_id, hidden=Post.Hidden.REMOVED).first()
    if post is not None:
        delete_post_unchecked(post=post)


def delete_post_unchecked(*, post: Post, should_keep_pictures: bool = False) -> None:
    """Delete a post without checking permissions. ``post.pk`` is None afterwards."""
    post_id = post.pk
    pins.remove_pin(author=post.author_id, post=post_id)
    pending_cleanups.add_cleanup(id=post_id, post=None, noted_at=timezone.now(), deleted_post=post)
    if post.share_of is not None:
        delete_share_unchecked(Share(id=post.pk, author=post.author_id, post=post.share_of))
    elif post.media or kept_quote(attributes=post.attributes):
        _delete_in_transaction(post, keeps=should_keep_pictures)
    else:
        post.delete()
    sync_picture(card=post.link_card or {})
    if not post.is_pushed:
        home_states.remove_merged_post(author=post.author_id, post=post_id)
    update_tag_usage(post_id=post_id, post=post, old_attributes=post.attributes, new_attributes=[])
    signals.post_deleted.send_robust(sender=None, post=post_id, author=post.author_id)
    if post.share_of is not None:
        signals.post_unshared.send_robust(sender=None, post=post.share_of, sharer=post.author_id)


def _may_delete(post: Post, actor: User) -> bool:
    # Authors cannot delete posts that moderators removed, because an appeal may restore the post.
    is_own = post.author_id == actor.pk and post.hidden != Post.Hidden.REMOVED
    return is_own or actor.has_perm("feed.delete_post")


@transactional()
def _delete_in_transaction(post: Post, *, keeps: bool) -> None:
    """Delete a post with its quote and its pictures."""
    discount_quote(post_id=post.pk)
    # ``tasks.clean_up_post`` deletes the files later. Kept pictures get a new ``created_at``, because
    # unpublished pictures expire after a day.
    pictures = Picture.objects.filter(post=post.pk)
    if keeps:
        pictures.update(post=None, created_at=timezone.now())
    else:
        pictures.update(post=Picture.DELETED_POST)
    Post.objects.filter(pk=post.pk).delete()


def _own_post(post_id: int, actor: User) -> Post:
    post = Post.objects.filter(pk=post_id, author_id=actor.pk).first()
    if post is None or post.hidden == Post.Hidden.REMOVED:
        raise Http404("No such post.")
    return post


def initial_hidden_state(*, author: int, visibility: str) -> str:
    """Return the initial value of ``Post.hidden``.

    With ``settings.FEED_REVIEW_FIRST_POSTS``, the first posts of an account are pending review. Direct
    posts are never reviewed, because moderators must not read direct posts.
    """
    number = settings.FEED_REVIEW_FIRST_POSTS
    if not number or visibility == Post.Visibility.DIRECT:
        return ""
    approved_posts = Post.objects.filter(author_id=author, hidden="", share_of=None)
    is_known = len(approved_posts.exclude(visibility="direct").values_list("pk")[:number]) >= number
    return "" if is_known else Post.Hidden.PENDING


def direct_recipients(*, author: int, text: str, visibility: str) -> dict[str, int]:
    """Return the uids of the recipients of a post by username, {} unless the post is direct.

    Raises CannotPublish if a mentioned user cannot receive the post, or if no user is mentioned.
    """
    if visibility != Post.Visibility.DIRECT:
        return {}
    recipients = _known_recipients(attributes.mentions_in_text(text=text), author)
    if not recipients:
        raise _mentions_nobody()
    _refuse_blocked(recipients, author)
    return recipients


def _added_recipients(post: Post, text: str, mentions_added: Mentions) -> dict[str, int]:
    """Return the uids of users whom an edit adds to a direct post, by username.

    Raises CannotPublish if a new mention is of nobody, or if the text mentions nobody.
    """
    recipients = _known_recipients(mentions_added, post.author_id)
    if not recipients and not attributes.usernames_in(text=text):
        raise _mentions_nobody()
    return {name: uid for name, uid in recipients.items() if uid not in post.recipients}


def _known_recipients(mentions: Mentions, author: int) -> dict[str, int]:
    for name, uid in mentions.items():
        if uid is None:
            raise CannotPublish(
                _("There is no user @%(name)s on this site. Check the username.") % {"name": name}
            )
    return {name: uid for name, uid in mentions.items() if uid is not None and uid != author}


def _mentions_nobody() -> CannotPublish:
    return CannotPublish(
        _(
            "Mention at least one person as @username. Only people you mention can see a direct post."
        )
    )


def mentioned_without_access(*, author: int, text: str, visibility: str) -> list[str]:
    """Return the usernames of mentioned users who could not read a post by this author.

    Only followers can read followers-only posts and posts of private accounts. All users mentioned in a
    direct post can read the post. Costs no database command without mentions, one for a public account,
    and otherwise at most three.
    """
    if visibility == Post.Visibility.DIRECT or not attributes.usernames_in(text=text):
        return []
    author_card = find_card(uid=author)
    is_for_followers = visibility == Post.Visibility.FOLLOWERS
    if not is_for_followers and (author_card is None or not author_card.is_private):
        return []
    mentioned = {
        name: uid
        for name, uid in attributes.mentions_in_text(text=text).items()
        if uid is not None and uid != author
    }
    followers = recipient_relationships(recipients=mentioned.values(), actor=author).followers
    return [name for name, uid in mentioned.items() if uid not in followers]


def _refuse_blocked(recipients: Mapping[str, int], author: int) -> None:
    """Raise CannotPublish if there is a block between the author and a recipient."""
    blocks = relationships(viewer=author, uids=recipients.values()).blocked
    for name, uid in recipients.items():
        if uid in blocks:
            raise CannotPublish(
                _("You cannot send direct posts to @%(name)s. Remove this mention.")
                % {"name": name}
            )


def _refuse_to_add_blocked(post_id: int, actor: User, text: str) -> None:
    """Raise CannotPublish if an edit would add a recipient to a direct post despite a block."""
    if not attributes.usernames_in(text=text):
        return
    post = _own_post(post_id, actor)
    if post.visibility == Post.Visibility.DIRECT:
        mentions_added = attributes.mentions_added(text=text, old_text=post.text)
        _refuse_blocked(_added_recipients(post, text, mentions_added), actor.pk)
