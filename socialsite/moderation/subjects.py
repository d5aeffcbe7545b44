"""What reports and actions are about, looked up whether or not anybody may see it."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404

from accounts.models import User
from accounts.user_cards import find_card
from feed.selectors.comments import visible_comment
from feed.selectors.lists import visible_post
from feed.selectors.rows import post_row, reviewed_comment

from .models import SubjectFields, SubjectKind


@dataclass(frozen=True, slots=True)
class Subject:
    """``id``: of a person, a post or a comment; ``post``: that of a comment, else 0. ``person``: who it is,
    or whose it is."""

    kind: str
    id: int
    user_id: int
    post_id: int = 0

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.id}"

    @property
    def record_fields(self) -> dict[str, Any]:
        """As models keep it (``models.About``)."""
        return {
            "subject_kind": self.kind,
            "subject": self.id,
            "post": self.post_id,
            "person": self.user_id,
        }


def subject_from_record(*, record: SubjectFields) -> Subject:
    return Subject(record.subject_kind, record.subject, record.person, record.post)


def user_subject(*, uid: int) -> Subject:
    """Raises Http404 where there is no such person; one whose account is closed is one."""
    if not User.objects.filter(pk=uid).exists():
        raise Http404("No such person.")
    return Subject(SubjectKind.USER, uid, uid)


def post_subject(*, post_id: int) -> Subject:
    """What a share brings is its post. Raises Http404 where there is none."""
    post = post_row(post_id=post_id)
    if post is None:
        raise Http404("No such post.")
    if post.share_of:
        return post_subject(post_id=post.share_of)
    return Subject(SubjectKind.POST, post.id, post.author)


def comment_subject(*, post_id: int, comment_id: int) -> Subject:
    """Raises Http404 where there is none."""
    said = reviewed_comment(post_id=post_id, comment_id=comment_id)
    if said is None:
        raise Http404("No such comment.")
    return Subject(SubjectKind.COMMENT, comment_id, said.uid, post_id)


def visible_subject(*, kind: str, subject_id: int, post_id: int, viewer_id: int) -> Subject:
    """What somebody who is signed in may report: what they see, and not themselves. Raises Http404."""
    found: Subject | None = None
    if kind == SubjectKind.USER:
        found = Subject(kind, subject_id, subject_id) if find_card(uid=subject_id) else None
    elif kind == SubjectKind.POST:
        view = visible_post(post_id=subject_id, viewer=viewer_id)
        found = Subject(kind, view.id, view.author.uid)
    elif kind == SubjectKind.COMMENT:
        view = visible_post(post_id=post_id, viewer=viewer_id)
        said = visible_comment(post=view, comment_id=subject_id, viewer=viewer_id)
        found = Subject(kind, subject_id, said.author.uid, view.id) if said.author else None
    if found is None or found.user_id == viewer_id:
        raise Http404("Nothing to report.")
    return found


def current_evidence(*, subject: Subject) -> dict[str, Any]:
    """What it says now, to be kept: ``{text, warning?, media?, visibility?, name?, avatar?}``; a comment
    has the visibility of its post."""
    if subject.kind == SubjectKind.USER:
        person = User.objects.filter(pk=subject.id).values("display_name", "bio", "avatar").first()
        if person is None:
            return {"text": ""}
        return {
            "text": person["bio"],
            "name": person["display_name"],
            "avatar": person["avatar"],
        }
    post = post_row(post_id=subject.post_id or subject.id)
    visibility = post.visibility if post else ""
    if subject.kind == SubjectKind.COMMENT:
        said = reviewed_comment(post_id=subject.post_id, comment_id=subject.id)
        return {"text": said.text if said else "", "visibility": visibility}
    if post is None:
        return {"text": ""}
    return {
        "text": post.text,
        "warning": post.content_warning,
        "media": post.media,
        "visibility": visibility,
    }
