"""What a case is about, as moderators may read it.

A post to single people is not for them, nor what is said to it, unless somebody has reported just that or
they have the permission for it (``moderation.read_direct``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from accounts.ids import time_of
from accounts.models import User
from feed import selectors as feed
from feed.models import Post
from feed.selectors import PostRow
from socialsite.moderation.models import Case, SubjectKind
from socialsite.moderation.subjects import Subject

READ_DIRECT = "moderation.read_direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """``by``: a uid. ``id``: of the post or comment. ``state``: where moderators have put it, in words.
    ``is_hidden``: nobody sees it on the site; ``is_gone``: it is deleted; ``is_closed``: not for this
    moderator. It is empty in the last two."""

    id: int = 0
    by: int = 0
    name: str = ""
    text: str = ""
    warning: str = ""
    media: Sequence[dict[str, Any]] = ()
    avatar: str = ""
    at: datetime | None = None
    edited_at: datetime | None = None
    visibility: str = ""
    state: str = ""
    is_gone: bool = False
    is_closed: bool = False
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """``before``: as it was when the case was opened, where that is something else than now. ``post`` and
    ``answered``: what a comment is said to."""

    now: Content
    before: Content | None = None
    post: Content | None = None
    answered: Content | None = None

    @property
    def people(self) -> set[int]:
        every = (self.now, self.post, self.answered)
        return {one.by for one in every if one is not None and one.by}

    @property
    def pictures(self) -> set[str]:
        """The names of all that may be seen."""
        every = (self.now, self.before, self.post)
        return {str(one["name"]) for content in every if content for one in content.media}

    @property
    def avatars(self) -> set[str]:
        return {one.avatar for one in (self.now, self.before) if one is not None and one.avatar}


def may_read(*, moderator: User, subject: Subject, visibility: str) -> bool:
    """``visibility``: of the post that it is, or is said to."""
    if visibility != Post.Visibility.DIRECT:
        return True
    return moderator.has_perm(READ_DIRECT) or _is_reported(subject)


def reported(*, subject: Subject, moderator: User, evidence: dict[str, Any] | None) -> Reported:
    """A bounded number of commands. ``evidence``: as ``subjects.evidence_of``."""
    if subject.kind == SubjectKind.PERSON:
        now = _person(subject.id)
        return Reported(now=now, before=_before(now, evidence))
    post = feed.post_facts(post_id=subject.post or subject.id)
    visibility = post.visibility if post else (evidence or {}).get("visibility", "")
    if not may_read(moderator=moderator, subject=subject, visibility=visibility):
        return Reported(now=Content(id=subject.id, by=subject.person, is_closed=True))
    if subject.kind == SubjectKind.POST:
        now = _post(post, subject)
        return Reported(now=now, before=_before(now, evidence))
    return _comment(subject, moderator, post, evidence)


def _comment(
    subject: Subject, moderator: User, post: PostRow | None, evidence: dict[str, Any] | None
) -> Reported:
    said = feed.comment_as_said(post_id=subject.post, comment_id=subject.id)
    if said is None:
        now = Content(id=subject.id, by=subject.person, is_gone=True)
        return Reported(now=now, before=_before(now, evidence))
    now = Content(
        id=subject.id,
        by=said.uid,
        text=said.text,
        at=time_of(id=subject.id),
        state=_("removed by moderators") if said.is_hidden else "",
        is_hidden=said.is_hidden,
    )
    around = Subject(SubjectKind.POST, subject.post, post.author if post else 0)
    if post and not may_read(moderator=moderator, subject=around, visibility=post.visibility):
        closed = Content(id=subject.post, is_closed=True)
        return Reported(now=now, before=_before(now, evidence), post=closed)
    parent = said.parent and feed.comment_as_said(post_id=subject.post, comment_id=said.parent)
    answered = Content(id=said.parent, by=parent.uid, text=parent.text) if parent else None
    return Reported(
        now=now, before=_before(now, evidence), post=_post(post, around), answered=answered
    )


def _post(post: PostRow | None, subject: Subject) -> Content:
    if post is None:
        return Content(id=subject.id, by=subject.person, is_gone=True)
    states = [str(Post.Hidden(post.hidden).label)] if post.hidden else []
    if post.is_sensitive:
        states.append(_("marked as sensitive"))
    return Content(
        id=post.id,
        by=post.author,
        text=post.text,
        warning=post.warning,
        media=post.media,
        at=post.created_at,
        edited_at=post.edited_at,
        visibility=str(Post.Visibility(post.visibility).label),
        state=", ".join(states),
        is_hidden=bool(post.hidden),
    )


def _person(uid: int) -> Content:
    found = User.objects.filter(pk=uid).values(
        "display_name", "bio", "avatar", "is_limited", "is_active", "date_joined"
    )
    one = next(iter(found), None)
    if one is None:
        return Content(id=uid, by=uid, is_gone=True)
    states = [_("limited to their followers")] if one["is_limited"] else []
    if not one["is_active"]:
        states.append(_("account closed"))
    return Content(
        id=uid,
        by=uid,
        name=one["display_name"],
        text=one["bio"],
        avatar=one["avatar"],
        at=one["date_joined"],
        state=", ".join(states),
        is_hidden=not one["is_active"],
    )


def _before(now: Content, evidence: dict[str, Any] | None) -> Content | None:
    if not evidence:
        return None
    was = Content(
        id=now.id,
        by=now.by,
        name=evidence.get("name", ""),
        text=evidence.get("text", ""),
        warning=evidence.get("warning", ""),
        media=evidence.get("media", ()),
        avatar=evidence.get("avatar", ""),
    )
    return None if _said(was) == _said(now) else was


def _said(one: Content) -> tuple[object, ...]:
    pictures = [(each["name"], each.get("alt", "")) for each in one.media]
    return one.name, one.text, one.warning, pictures, one.avatar


def _is_reported(subject: Subject) -> bool:
    cases = Case.objects.filter(
        person=subject.person, subject=subject.id, subject_kind=subject.kind, reports__gt=0
    )
    return cases.exists()
