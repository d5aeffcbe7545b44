"""The content of a case, without the parts that the moderator may not read.

Moderators may read a direct post, a comment on a direct post or a comment only for mentioned people only if
it was reported or if they have the permission ``moderation.read_direct``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from accounts.infra.ids import time_of
from accounts.infra.plain_text import join_names
from accounts.models import User
from accounts.profile_pictures import AVATAR, HEADER, picture_path
from feed.models import Post
from feed.selectors.stored_content import ReviewedComment, full_text, post_row, reviewed_comment
from feed.store.post_rows import PostRow
from socialsite.moderation.models import Case, SubjectKind
from socialsite.moderation.subjects import Subject, comment_visibility, profile_text

READ_DIRECT = "moderation.read_direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedContent:
    """A user, post or comment as moderators see it. Deleted and restricted content has no text.

    Attributes:
        id: the id of the user, post or comment.
        state_label: a text that names the measures of moderators, such as hiding the content.
        is_deleted: whether the content no longer exists.
        is_restricted: whether this moderator may not read the content.
        is_hidden: whether the site does not show the content.
    """

    id: int = 0
    author_id: int = 0
    display_name: str = ""
    text: str = ""
    content_warning: str = ""
    media: Sequence[dict[str, Any]] = ()
    avatar: str = ""
    header: str = ""
    created_at: datetime | None = None
    edited_at: datetime | None = None
    visibility: str = ""
    state_label: str = ""
    is_deleted: bool = False
    is_restricted: bool = False
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedSubject:
    """The subject of a case with its context.

    Attributes:
        current: the content as it is now.
        original: the content when the case was opened, or None if it equals ``current`` or was not saved.
        post: the post of a comment.
        parent_comment: the comment that a reply answers.
    """

    current: ReportedContent
    original: ReportedContent | None = None
    post: ReportedContent | None = None
    parent_comment: ReportedContent | None = None

    @property
    def author_ids(self) -> set[int]:
        contents = (self.current, self.post, self.parent_comment)
        return {content.author_id for content in contents if content and content.author_id}

    @property
    def picture_kinds(self) -> dict[str, str]:
        """Return the kinds of all pictures and clips that the moderator may see, by name."""
        contents = (self.current, self.original, self.post)
        return {
            str(picture["name"]): picture.get("kind", "image")
            for content in contents
            if content
            for picture in content.media
        }

    def profile_picture_path(self, name: str) -> str | None:
        """Return the storage path of an avatar or header picture, None if it is not in this case."""
        for content in filter(None, (self.current, self.original)):
            for kind, shown_name in ((AVATAR, content.avatar), (HEADER, content.header)):
                if name and name == shown_name:
                    return picture_path(kind=kind, name=name)
        return None


def can_read_content(*, moderator: User, subject: Subject, visibility: str) -> bool:
    """Check whether the moderator may read a post or comment with this visibility."""
    if visibility != Post.Visibility.DIRECT:
        return True
    cases = Case.objects.filter(
        user_id=subject.user_id, subject=subject.id, subject_kind=subject.kind, reports__gt=0
    )
    return moderator.has_perm(READ_DIRECT) or cases.exists()


def reported_subject(
    *, subject: Subject, moderator: User, evidence: dict[str, Any] | None
) -> ReportedSubject:
    """Return a subject with its context.

    ``evidence`` is the result of ``current_evidence`` when the case was opened, or None if there is no
    case.
    """
    if subject.kind == SubjectKind.USER:
        current = _user_content(subject.id)
        return ReportedSubject(current=current, original=_changed_original(current, evidence))
    post = post_row(post_id=subject.post_id or subject.id)
    comment: ReviewedComment | None = None
    if subject.kind == SubjectKind.COMMENT:
        comment = reviewed_comment(post_id=subject.post_id, comment_id=subject.id)
    visibility = (evidence or {}).get("visibility", "")
    if post is not None and comment is not None:
        visibility = comment_visibility(comment=comment, post_visibility=post.visibility)
    elif post is not None and (subject.kind == SubjectKind.POST or not visibility):
        visibility = post.visibility
    if not can_read_content(moderator=moderator, subject=subject, visibility=visibility):
        return ReportedSubject(
            current=ReportedContent(id=subject.id, author_id=subject.user_id, is_restricted=True)
        )
    if subject.kind == SubjectKind.POST:
        current = _post_content(post, subject)
        return ReportedSubject(current=current, original=_changed_original(current, evidence))
    if comment is None:
        current = ReportedContent(id=subject.id, author_id=subject.user_id, is_deleted=True)
        return ReportedSubject(current=current, original=_changed_original(current, evidence))
    return _reported_comment(subject, comment, moderator, post, evidence)


def _reported_comment(
    subject: Subject,
    comment: ReviewedComment,
    moderator: User,
    post: PostRow | None,
    evidence: dict[str, Any] | None,
) -> ReportedSubject:
    current = ReportedContent(
        id=subject.id,
        author_id=comment.uid,
        text=comment.text,
        content_warning=comment.content_warning,
        visibility=str(Post.Visibility(comment.visibility).label) if comment.visibility else "",
        created_at=time_of(id=subject.id),
        state_label=_("removed by moderators") if comment.is_hidden else "",
        is_hidden=comment.is_hidden,
    )
    original = _changed_original(current, evidence)
    post_as_subject = Subject(SubjectKind.POST, subject.post_id, post.author if post else 0)
    if post and not can_read_content(
        moderator=moderator, subject=post_as_subject, visibility=post.visibility
    ):
        restricted_post = ReportedContent(id=subject.post_id, is_restricted=True)
        return ReportedSubject(current=current, original=original, post=restricted_post)
    return ReportedSubject(
        current=current,
        original=original,
        post=_post_content(post, post_as_subject),
        parent_comment=_parent_comment(subject, comment.parent, post, moderator),
    )


def _parent_comment(
    subject: Subject, parent_id: int, post: PostRow | None, moderator: User
) -> ReportedContent | None:
    parent = parent_id and reviewed_comment(post_id=subject.post_id, comment_id=parent_id)
    if not parent:
        return None
    visibility = comment_visibility(comment=parent, post_visibility=post.visibility if post else "")
    parent_subject = Subject(SubjectKind.COMMENT, parent_id, parent.uid, subject.post_id)
    if not can_read_content(moderator=moderator, subject=parent_subject, visibility=visibility):
        return ReportedContent(id=parent_id, author_id=parent.uid, is_restricted=True)
    return ReportedContent(
        id=parent_id,
        author_id=parent.uid,
        text=parent.text,
        content_warning=parent.content_warning,
    )


def _post_content(post: PostRow | None, subject: Subject) -> ReportedContent:
    if post is None:
        return ReportedContent(id=subject.id, author_id=subject.user_id, is_deleted=True)
    state_labels = [str(Post.Hidden(post.hidden).label)] if post.hidden else []
    if post.is_sensitive:
        state_labels.append(_("marked as sensitive"))
    return ReportedContent(
        id=post.id,
        author_id=post.author,
        text=full_text(post=post),
        content_warning=post.content_warning,
        media=post.media,
        created_at=post.created_at,
        edited_at=post.edited_at,
        visibility=str(Post.Visibility(post.visibility).label),
        state_label=join_names(state_labels),
        is_hidden=bool(post.hidden),
    )


def _user_content(uid: int) -> ReportedContent:
    rows = User.objects.filter(pk=uid).values(
        *("display_name", "bio", "avatar", "header", "profile_fields"),
        *("is_limited", "is_active", "date_joined"),
    )
    user = next(iter(rows), None)
    if user is None:
        return ReportedContent(id=uid, author_id=uid, is_deleted=True)
    state_labels = [_("limited to their followers")] if user["is_limited"] else []
    if not user["is_active"]:
        state_labels.append(_("account inactive"))
    return ReportedContent(
        id=uid,
        author_id=uid,
        display_name=user["display_name"],
        text=profile_text(bio=user["bio"], profile_fields=user["profile_fields"]),
        avatar=user["avatar"],
        header=user["header"],
        created_at=user["date_joined"],
        state_label=join_names(state_labels),
        is_hidden=not user["is_active"],
    )


def _changed_original(
    current: ReportedContent, evidence: dict[str, Any] | None
) -> ReportedContent | None:
    """Return the content when the case was opened, which ``evidence`` contains.

    Return None if there is no evidence, or if the content then equals ``current``.
    """
    if not evidence:
        return None
    original = ReportedContent(
        id=current.id,
        author_id=current.author_id,
        display_name=evidence.get("name", ""),
        text=evidence.get("text", ""),
        content_warning=evidence.get("warning", ""),
        media=evidence.get("media", ()),
        avatar=evidence.get("avatar", ""),
        header=evidence.get("header", ""),
    )
    return None if _compared_values(original) == _compared_values(current) else original


def _compared_values(content: ReportedContent) -> tuple[object, ...]:
    pictures = [(picture["name"], picture.get("alt", "")) for picture in content.media]
    texts = content.display_name, content.text, content.content_warning
    return *texts, pictures, content.avatar, content.header
