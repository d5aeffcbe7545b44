"""Subjects of reports and actions: users, posts and comments, even if hidden or inactive."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from accounts.models import User
from accounts.user_cards import find_card
from feed.models import Post
from feed.selectors.comments import visible_comment
from feed.selectors.stored_content import ReviewedComment, full_text, post_row, reviewed_comment
from feed.selectors.visible_posts import visible_post

from .models import SubjectFields, SubjectKind


@dataclass(frozen=True, slots=True)
class Subject:
    """A user, post or comment.

    Attributes:
        id: the id of the user, post or comment.
        user_id: the uid of the user, or of the author of the content.
        post_id: the post of a comment, or 0.
    """

    kind: str
    id: int
    user_id: int
    post_id: int = 0

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.id}"

    @property
    def record_fields(self) -> dict[str, Any]:
        """Return the values of ``models.SubjectFields``."""
        return {
            "subject_kind": self.kind,
            "subject": self.id,
            "post": self.post_id,
            "user_id": self.user_id,
        }


def subject_from_record(*, record: SubjectFields) -> Subject:
    return Subject(record.subject_kind, record.subject, record.user_id, record.post)


def user_subject(*, uid: int) -> Subject:
    """Return the user as a subject, even if the account is inactive. Raises Http404."""
    if not User.objects.filter(pk=uid).exists():
        raise Http404("User not found.")
    return Subject(SubjectKind.USER, uid, uid)


def post_subject(*, post_id: int) -> Subject:
    """Return the post as a subject. For a share, return the shared post. Raises Http404."""
    post = post_row(post_id=post_id)
    if post is None:
        raise Http404("Post not found.")
    if post.share_of:
        return post_subject(post_id=post.share_of)
    return Subject(SubjectKind.POST, post.id, post.author)


def comment_subject(*, post_id: int, comment_id: int) -> Subject:
    """Return the comment as a subject. Raises Http404."""
    comment = reviewed_comment(post_id=post_id, comment_id=comment_id)
    if comment is None:
        raise Http404("Comment not found.")
    return Subject(SubjectKind.COMMENT, comment_id, comment.uid, post_id)


def visible_subject(*, kind: str, subject_id: int, post_id: int, viewer_id: int) -> Subject:
    """Return a subject that the viewer may report. Raises Http404.

    The subject must be visible to the viewer and must not belong to the viewer.
    """
    subject: Subject | None = None
    if kind == SubjectKind.USER:
        subject = Subject(kind, subject_id, subject_id) if find_card(uid=subject_id) else None
    elif kind == SubjectKind.POST:
        post = visible_post(post_id=subject_id, viewer=viewer_id)
        subject = Subject(kind, post.id, post.author.uid)
    elif kind == SubjectKind.COMMENT:
        post = visible_post(post_id=post_id, viewer=viewer_id)
        comment = visible_comment(post=post, comment_id=subject_id, viewer=viewer_id)
        if comment.author:
            subject = Subject(kind, subject_id, comment.author.uid, post.id)
    if subject is None or subject.user_id == viewer_id:
        raise Http404("Nothing to report.")
    return subject


def profile_text(*, bio: str, profile_fields: Sequence[dict[str, str]]) -> str:
    """Return the bio, followed by a line for each profile field."""
    lines = [f"{field['name']}: {field['value']}" for field in profile_fields]
    return "\n".join([*([bio] if bio else ()), *lines])


def comment_visibility(*, comment: ReviewedComment, post_visibility: str) -> str:
    """Return the visibility of a comment: that of a direct post, or its own, or that of the post."""
    if post_visibility == Post.Visibility.DIRECT:
        return post_visibility
    return comment.visibility or post_visibility


def current_evidence(*, subject: Subject) -> dict[str, Any]:
    """Return the current content: ``{text, warning?, media?, visibility?, name?, avatar?, header?}``.

    A limited comment has a visibility of its own, other comments have that of their post.
    """
    if subject.kind == SubjectKind.USER:
        names = ("display_name", "bio", "avatar", "header", "profile_fields")
        user = User.objects.filter(pk=subject.id).values(*names).first()
        if user is None:
            return {"text": ""}
        return {
            "text": profile_text(bio=user["bio"], profile_fields=user["profile_fields"]),
            "name": user["display_name"],
            "avatar": user["avatar"],
            "header": user["header"],
        }
    post = post_row(post_id=subject.post_id or subject.id)
    visibility = post.visibility if post else ""
    if subject.kind == SubjectKind.COMMENT:
        comment = reviewed_comment(post_id=subject.post_id, comment_id=subject.id)
        if comment is None:
            return {"text": "", "visibility": visibility}
        return {
            "text": comment.text,
            "warning": comment.content_warning,
            "visibility": comment_visibility(comment=comment, post_visibility=visibility),
        }
    if post is None:
        return {"text": ""}
    return {
        "text": full_text(post=post),
        "warning": post.content_warning,
        "media": post.media,
        "visibility": visibility,
    }
