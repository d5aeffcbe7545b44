"""Save, schedule, publish and delete drafts. A scheduled post is a draft with a due time.

``feed.tasks`` publishes scheduled posts at their due time.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.forms import ValidationError
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.rate_limits import RateLimited
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from accounts.selectors.profiles import recipient_language
from accounts.services.user_locks import lock_user
from feed import signals
from feed.activities import Details, activity_kind
from feed.post_content import PostContent
from feed.selectors.post_view import PostView
from feed.store import drafts, idempotency_keys
from feed.store.drafts import Draft

from .pictures import hold_pictures
from .posts import CannotPublish, direct_recipients, publish_post
from .publication import KeyedInsert, claim_key
from .quotes import quotable_post
from .reply_drafts import check_reply, publish_reply

MAX_DRAFTS = 300
MAX_DUE_PER_DAY = 25
"""The limits of Mastodon: drafts and scheduled posts of a user, and posts due on one day in UTC."""

MIN_AHEAD = timedelta(minutes=5)
MAX_AHEAD = timedelta(days=5 * 365)
MAX_ATTEMPTS = 5


class CannotSchedule(Refused):
    """The post cannot be published at this time. The message is shown to the author."""


class DraftChanged(Refused):
    """The draft was changed, published or deleted after the caller read it."""


def save_draft(
    *,
    author: int,
    content: PostContent,
    reply_to_id: int = 0,
    keeps_audience: bool = False,
    due_at: datetime | None = None,
    idempotency_key: str = "",
    application: int = 0,
    origin: str = "",
) -> int:
    """Save a draft and return its id.

    Args:
        content: its pictures are unpublished pictures of the author, its details values of fields.
        reply_to_id: id of the post or comment that the draft answers, 0 for the draft of a post.
        keeps_audience: True to answer with the same readers.
        due_at: when to publish the post. None for a draft without a due time.
        idempotency_key: as in ``publish_post``: a second call with the same key saves nothing.
        application: id of the app that sent the post, 0 for pages.
        origin: identifies an imported draft.

    Raises:
        Refused: the author has too many drafts.
        CannotSchedule: ``due_at`` is too early or too late, or too many posts are due on that day.
        CannotPublish: a scheduled post is incomplete, or a recipient cannot receive it.
        CannotQuote: a scheduled post quotes a post that may not be quoted.
        CannotComment: a scheduled comment is not allowed.
        CannotAttach: a picture is not available.
    """
    draft = Draft(
        id=new_id(),
        owner=author,
        content=_with_distinct_pictures(content),
        reply_to_id=reply_to_id,
        keeps_audience=keeps_audience,
        due_at=due_at,
        application=application,
        origin=origin,
    )
    insert = KeyedInsert(author, idempotency_key and f"draft-{idempotency_key}", draft.id)
    if insert.key:
        # An earlier request saved the draft, so its limits and pictures are not checked again.
        earlier_id = idempotency_keys.get_created_id(author=author, key=insert.key)
        if earlier_id is not None and drafts.exists(id=earlier_id, owner=author):
            return earlier_id
    if due_at is not None:
        _check_due_time(due_at)
        draft = _with_recipients(draft)
    return _insert(draft, insert)


@transactional(retry_duplicate_keys=True)
def _insert(draft: Draft, insert: KeyedInsert) -> int:
    lock_user(uid=draft.owner)
    inserted = claim_key(insert=insert, exists=lambda id_: drafts.exists(id=id_, owner=draft.owner))
    if inserted.is_new:
        _check_number(draft)
        if draft.due_at is not None:
            _check_day(draft, draft.due_at)
        hold_pictures(owner=draft.owner, draft_id=draft.id, picture_ids=draft.content.picture_ids)
        drafts.insert_draft(draft=draft)
    return inserted.id


def change_draft(
    *,
    draft: Draft,
    due_at: datetime | None,
    content: PostContent | None = None,
) -> Draft:
    """Change, schedule, reschedule or unschedule a draft, and return its new version.

    ``None`` leaves ``content`` unchanged. A due time that stays the same may be less than ``MIN_AHEAD``
    away. Raises the exceptions of ``save_draft``, and DraftChanged.
    """
    changed = replace(
        draft,
        content=draft.content if content is None else _with_distinct_pictures(content),
        due_at=due_at,
        recipients=None,
        problem="",
    )
    if due_at is not None:
        if due_at != draft.due_at:
            _check_due_time(due_at)
        changed = _with_recipients(changed)
    _replace(changed, is_rescheduled=due_at != draft.due_at)
    return replace(changed, version=draft.version + 1)


@transactional(retry_duplicate_keys=True)
def _replace(draft: Draft, *, is_rescheduled: bool) -> None:
    if is_rescheduled and draft.due_at is not None:
        lock_user(uid=draft.owner)
        _check_day(draft, draft.due_at)
    if not drafts.replace_draft(draft=draft):
        raise DraftChanged(_changed_message())
    hold_pictures(owner=draft.owner, draft_id=draft.id, picture_ids=draft.content.picture_ids)


@transactional()
def delete_draft(*, draft: Draft) -> None:
    """Delete a draft. Its pictures are deleted within a day. Raises DraftChanged."""
    if not drafts.delete_draft(draft=draft):
        raise DraftChanged(_changed_message())
    hold_pictures(owner=draft.owner, draft_id=draft.id, picture_ids=())


def publish_draft(*, draft: Draft) -> int:
    """Publish a draft or scheduled post now, and return the id of the post.

    One transaction inserts the post and deletes the draft, so the post is published exactly once, however
    many processes try and wherever they stop. The same is true of the draft of a comment.

    Raises DraftChanged, CannotPublish if the draft is incomplete, and the exceptions of ``publish_post``
    and ``add_comment``.
    """

    def delete() -> None:
        if not drafts.delete_draft(draft=draft):
            raise DraftChanged(_changed_message())

    key = _publication_key(draft.id)
    if draft.reply_to_id:
        return publish_reply(draft=draft, idempotency_key=key, on_insert=delete)
    details, _recipients_now = _check(draft)
    return publish_post(
        author=draft.owner,
        content=replace(draft.content, details=details),
        quoted=_quoted_post(draft),
        idempotency_key=key,
        on_insert=delete,
    )


def published_id(*, author: int, draft_id: int) -> int | None:
    """Return the id of the post that this draft became in the last day, else None."""
    return idempotency_keys.get_created_id(author=author, key=_publication_key(draft_id))


def publish_due_post(*, draft_id: int) -> None:
    """Publish a scheduled post if its time has come.

    If the post cannot be published, it becomes a draft with the reason in the language of its owner, who is
    notified. After an unexpected error, the post stays scheduled, and is a draft after ``MAX_ATTEMPTS``.
    """
    draft = drafts.get_due(id=draft_id, now=timezone.now())
    if draft is None:
        return
    with translation.override(recipient_language(uid=draft.owner)):
        _publish_or_return(draft)


def _publish_or_return(draft: Draft) -> None:
    try:
        if not User.objects.filter(pk=draft.owner, is_active=True).exists():
            raise CannotPublish(_("Your account was not active at the time."))
        _refuse_other_recipients(draft)
        publish_draft(draft=draft)
    except DraftChanged:
        return
    except (Refused, RateLimited) as error:
        _return_to_drafts(draft, str(error))
    except Exception:
        if draft.attempts >= MAX_ATTEMPTS:
            _return_to_drafts(draft, _("An error occurred on this site. Try to publish it again."))
        raise


def _return_to_drafts(draft: Draft, problem: str) -> None:
    if drafts.replace_draft(draft=replace(draft, due_at=None, recipients=None, problem=problem)):
        signals.scheduled_post_refused.send_robust(sender=None, draft=draft.id, author=draft.owner)


def _with_recipients(draft: Draft) -> Draft:
    """Return the draft with those who would get it now. Raises like ``_check``."""
    _details, recipients = _check(draft)
    return replace(draft, recipients=tuple(recipients))


def _refuse_other_recipients(draft: Draft) -> None:
    """Raise CannotPublish if a mentioned name belongs to another user than when the post was scheduled."""
    if draft.recipients is not None and not set(_recipients(draft)) <= set(draft.recipients):
        raise CannotPublish(
            _("A username in your text belongs to somebody else now. Check who would get this.")
        )


def _recipients(draft: Draft) -> Collection[int]:
    """Return the uids of those who would get a direct post or a limited comment, else ()."""
    if draft.reply_to_id:
        return check_reply(draft=draft)
    content = draft.content
    return direct_recipients(
        author=draft.owner, text=content.text, visibility=content.audience.visibility
    ).values()


def _check(draft: Draft) -> tuple[Details, Collection[int]]:
    """Return the details of the post that the draft becomes, {} for a comment, and who would get it.

    Raises CannotPublish, CannotQuote and CannotComment.
    """
    if draft.reply_to_id:
        return {}, _recipients(draft)
    content, kind = draft.content, activity_kind(draft.content.kind)
    is_empty = kind.requires_text and not (content.picture_ids or content.text)
    if is_empty or (kind.is_question and not content.text):
        raise CannotPublish(_("Enter some text."))
    recipients = _recipients(draft)
    _quoted_post(draft)
    try:
        return kind.build_details(dict(content.details)), recipients
    except ValidationError:
        raise CannotPublish(
            _("Some fields are missing or invalid. Edit the draft first.")
        ) from None


def _quoted_post(draft: Draft) -> PostView | None:
    post_id = draft.content.quoted_id
    return quotable_post(post_id=post_id, author=draft.owner) if post_id else None


def _check_number(draft: Draft) -> None:
    """Raise Refused if the owner has ``MAX_DRAFTS``. The owner is locked (``lock_user``)."""
    if drafts.count_drafts(owner=draft.owner) >= MAX_DRAFTS:
        raise Refused(
            _(
                "You have %(limit)d drafts and scheduled posts. Publish or delete some of them first."
            )
            % {"limit": MAX_DRAFTS}
        )


def _check_due_time(due_at: datetime) -> None:
    now = timezone.now()
    if due_at < now + MIN_AHEAD:
        raise CannotSchedule(_("Choose a time at least five minutes from now."))
    if due_at > now + MAX_AHEAD:
        raise CannotSchedule(_("Choose a time within the next five years."))


def _check_day(draft: Draft, due_at: datetime) -> None:
    """Raise CannotSchedule if too many posts are due on the day. The owner is locked (``lock_user``)."""
    day = due_at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    due_count = drafts.count_due_between(
        owner=draft.owner, start=day, end=day + timedelta(days=1), except_id=draft.id
    )
    if due_count >= MAX_DUE_PER_DAY:
        raise CannotSchedule(
            _("%(limit)d posts are already scheduled for this day. Choose another day.")
            % {"limit": MAX_DUE_PER_DAY}
        )


def _with_distinct_pictures(content: PostContent) -> PostContent:
    return replace(content, picture_ids=tuple(dict.fromkeys(content.picture_ids)))


def _publication_key(draft_id: int) -> str:
    return f"published-draft-{draft_id}"


def _changed_message() -> str:
    return _("This draft was changed or published meanwhile. Open it again.")
