"""What reports and actions are about, looked up whether or not anybody may see it."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404

from accounts.models import User
from accounts.user_cards import card
from feed import selectors as feed

from .models import About, SubjectKind


@dataclass(frozen=True, slots=True)
class Subject:
    """``id``: of a person, a post or a comment; ``post``: that of a comment, else 0. ``person``: who it is,
    or whose it is."""

    kind: str
    id: int
    person: int
    post: int = 0

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.id}"

    @property
    def fields(self) -> dict[str, Any]:
        """As models keep it (``models.About``)."""
        return {
            "subject_kind": self.kind,
            "subject": self.id,
            "post": self.post,
            "person": self.person,
        }


def subject_of(*, about: About) -> Subject:
    return Subject(about.subject_kind, about.subject, about.person, about.post)


def person_subject(*, uid: int) -> Subject:
    """Raises Http404 where there is no such person; one whose account is closed is one."""
    if not User.objects.filter(pk=uid).exists():
        raise Http404("No such person.")
    return Subject(SubjectKind.PERSON, uid, uid)


def post_subject(*, post_id: int) -> Subject:
    """What a share brings is its post. Raises Http404 where there is none."""
    post = feed.post_facts(post_id=post_id)
    if post is None:
        raise Http404("No such post.")
    if post.share_of:
        return post_subject(post_id=post.share_of)
    return Subject(SubjectKind.POST, post.id, post.author)


def comment_subject(*, post_id: int, comment_id: int) -> Subject:
    """Raises Http404 where there is none."""
    said = feed.comment_as_said(post_id=post_id, comment_id=comment_id)
    if said is None:
        raise Http404("No such comment.")
    return Subject(SubjectKind.COMMENT, comment_id, said.uid, post_id)


def visible_subject(*, kind: str, id: int, post: int, viewer: int) -> Subject:
    """What somebody who is signed in may report: what they see, and not themselves. Raises Http404."""
    found: Subject | None = None
    if kind == SubjectKind.PERSON:
        found = Subject(kind, id, id) if card(uid=id) else None
    elif kind == SubjectKind.POST:
        view = feed.post(post_id=id, viewer=viewer)
        found = Subject(kind, view.id, view.author.uid)
    elif kind == SubjectKind.COMMENT:
        view = feed.post(post_id=post, viewer=viewer)
        said = feed.comment(post=view, comment_id=id, viewer=viewer)
        found = Subject(kind, id, said.by.uid, view.id) if said.by else None
    if found is None or found.person == viewer:
        raise Http404("Nothing to report.")
    return found


def evidence_of(*, subject: Subject) -> dict[str, Any]:
    """What it says now, to be kept: ``{text, warning?, media?, visibility?, name?, avatar?}``; a comment
    has the visibility of its post."""
    if subject.kind == SubjectKind.PERSON:
        person = User.objects.filter(pk=subject.id).values("display_name", "bio", "avatar").first()
        if person is None:
            return {"text": ""}
        return {
            "text": person["bio"],
            "name": person["display_name"],
            "avatar": person["avatar"],
        }
    post = feed.post_facts(post_id=subject.post or subject.id)
    visibility = post.visibility if post else ""
    if subject.kind == SubjectKind.COMMENT:
        said = feed.comment_as_said(post_id=subject.post, comment_id=subject.id)
        return {"text": said.text if said else "", "visibility": visibility}
    if post is None:
        return {"text": ""}
    return {
        "text": post.text,
        "warning": post.warning,
        "media": post.media,
        "visibility": visibility,
    }
