"""What a case is about, as moderators may read it.

A post to single people is not for them, nor what is said to it, unless somebody has reported just that or
they have the permission for it (``moderation.read_direct``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from accounts.infra.ids import time_of
from accounts.models import User
from feed.models import Post
from feed.selectors.rows import post_row, reviewed_comment
from feed.store.post_rows import PostRow
from socialsite.moderation.models import Case, SubjectKind
from socialsite.moderation.subjects import Subject

READ_DIRECT = "moderation.read_direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedContent:
    """``by``: a uid. ``id``: of the post or comment. ``state``: where moderators have put it, in words.
    ``is_hidden``: nobody sees it on the site; ``is_gone``: it is deleted; ``is_closed``: not for this
    moderator. It is empty in the last two."""

    id: int = 0
    author_id: int = 0
    display_name: str = ""
    text: str = ""
    content_warning: str = ""
    media: Sequence[dict[str, Any]] = ()
    avatar: str = ""
    created_at: datetime | None = None
    edited_at: datetime | None = None
    visibility: str = ""
    state_label: str = ""
    is_deleted: bool = False
    is_restricted: bool = False
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedSubject:
    """``before``: as it was when the case was opened, where that is something else than now. ``post`` and
    ``answered``: what a comment is said to."""

    current: ReportedContent
    original: ReportedContent | None = None
    post: ReportedContent | None = None
    parent_comment: ReportedContent | None = None

    @property
    def author_ids(self) -> set[int]:
        every = (self.current, self.post, self.parent_comment)
        return {one.author_id for one in every if one is not None and one.author_id}

    @property
    def picture_names(self) -> set[str]:
        """The names of all that may be seen."""
        every = (self.current, self.original, self.post)
        return {str(one["name"]) for content in every if content for one in content.media}

    @property
    def avatar_names(self) -> set[str]:
        return {
            one.avatar for one in (self.current, self.original) if one is not None and one.avatar
        }


def can_read_content(*, moderator: User, subject: Subject, visibility: str) -> bool:
    """``visibility``: of the post that it is, or is said to."""
    if visibility != Post.Visibility.DIRECT:
        return True
    return moderator.has_perm(READ_DIRECT) or _is_reported(subject)


def reported_subject(
    *, subject: Subject, moderator: User, evidence: dict[str, Any] | None
) -> ReportedSubject:
    """A bounded number of commands. ``evidence``: as ``subjects.evidence_of``."""
    if subject.kind == SubjectKind.USER:
        now = _person(subject.id)
        return ReportedSubject(current=now, original=_before(now, evidence))
    post = post_row(post_id=subject.post_id or subject.id)
    visibility = post.visibility if post else (evidence or {}).get("visibility", "")
    if not can_read_content(moderator=moderator, subject=subject, visibility=visibility):
        return ReportedSubject(
            current=ReportedContent(id=subject.id, author_id=subject.user_id, is_restricted=True)
        )
    if subject.kind == SubjectKind.POST:
        now = _post(post, subject)
        return ReportedSubject(current=now, original=_before(now, evidence))
    return _comment(subject, moderator, post, evidence)


def _comment(
    subject: Subject, moderator: User, post: PostRow | None, evidence: dict[str, Any] | None
) -> ReportedSubject:
    said = reviewed_comment(post_id=subject.post_id, comment_id=subject.id)
    if said is None:
        now = ReportedContent(id=subject.id, author_id=subject.user_id, is_deleted=True)
        return ReportedSubject(current=now, original=_before(now, evidence))
    now = ReportedContent(
        id=subject.id,
        author_id=said.uid,
        text=said.text,
        created_at=time_of(id=subject.id),
        state_label=_("removed by moderators") if said.is_hidden else "",
        is_hidden=said.is_hidden,
    )
    around = Subject(SubjectKind.POST, subject.post_id, post.author if post else 0)
    if post and not can_read_content(
        moderator=moderator, subject=around, visibility=post.visibility
    ):
        closed = ReportedContent(id=subject.post_id, is_restricted=True)
        return ReportedSubject(current=now, original=_before(now, evidence), post=closed)
    parent = said.parent and reviewed_comment(post_id=subject.post_id, comment_id=said.parent)
    answered = (
        ReportedContent(id=said.parent, author_id=parent.uid, text=parent.text) if parent else None
    )
    return ReportedSubject(
        current=now,
        original=_before(now, evidence),
        post=_post(post, around),
        parent_comment=answered,
    )


def _post(post: PostRow | None, subject: Subject) -> ReportedContent:
    if post is None:
        return ReportedContent(id=subject.id, author_id=subject.user_id, is_deleted=True)
    states = [str(Post.Hidden(post.hidden).label)] if post.hidden else []
    if post.is_sensitive:
        states.append(_("marked as sensitive"))
    return ReportedContent(
        id=post.id,
        author_id=post.author,
        text=post.text,
        content_warning=post.content_warning,
        media=post.media,
        created_at=post.created_at,
        edited_at=post.edited_at,
        visibility=str(Post.Visibility(post.visibility).label),
        state_label=", ".join(states),
        is_hidden=bool(post.hidden),
    )


def _person(uid: int) -> ReportedContent:
    found = User.objects.filter(pk=uid).values(
        "display_name", "bio", "avatar", "is_limited", "is_active", "date_joined"
    )
    one = next(iter(found), None)
    if one is None:
        return ReportedContent(id=uid, author_id=uid, is_deleted=True)
    states = [_("limited to their followers")] if one["is_limited"] else []
    if not one["is_active"]:
        states.append(_("account closed"))
    return ReportedContent(
        id=uid,
        author_id=uid,
        display_name=one["display_name"],
        text=one["bio"],
        avatar=one["avatar"],
        created_at=one["date_joined"],
        state_label=", ".join(states),
        is_hidden=not one["is_active"],
    )


def _before(now: ReportedContent, evidence: dict[str, Any] | None) -> ReportedContent | None:
    if not evidence:
        return None
    was = ReportedContent(
        id=now.id,
        author_id=now.author_id,
        display_name=evidence.get("name", ""),
        text=evidence.get("text", ""),
        content_warning=evidence.get("warning", ""),
        media=evidence.get("media", ()),
        avatar=evidence.get("avatar", ""),
    )
    return None if _said(was) == _said(now) else was


def _said(one: ReportedContent) -> tuple[object, ...]:
    pictures = [(each["name"], each.get("alt", "")) for each in one.media]
    return one.display_name, one.text, one.content_warning, pictures, one.avatar


def _is_reported(subject: Subject) -> bool:
    cases = Case.objects.filter(
        person=subject.user_id, subject=subject.id, subject_kind=subject.kind, reports__gt=0
    )
    return cases.exists()
