"""What moderators can do to people, posts and comments: a class for each, which can do it and undo it.

To add one, write its class here with ``@register``. Both of its methods may be called twice, and may have
been called halfway before: what is to be so follows from the actions that are in force, never from what was
done last, so they can be undone in any order.
"""

from datetime import timedelta
from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import services as accounts
from feed import services as feed
from feed.models import Post

from .models import Action, SubjectKind
from .subjects import Subject, subject_of

UNDO_FOR = timedelta(days=30)
"""What is removed is deleted after that."""

PERSON, POST, COMMENT = SubjectKind.PERSON, SubjectKind.POST, SubjectKind.COMMENT
STATES_IN_FORCE = (Action.State.BEGUN, Action.State.IN_FORCE, Action.State.FINAL)


class ActionKind:
    """``label``: the button; ``done``: what the person reads of it. ``permission``: what one needs for it,
    besides to work on cases. ``is_strike``: counts against the person if the moderator says no other.
    ``undo_label``: the button that takes it back, if that has a word of its own."""

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    done: ClassVar[str | Promise]
    subjects: ClassVar[tuple[str, ...]]
    permission: ClassVar[str] = "moderation.moderate"
    is_strike: ClassVar[bool] = True
    can_end: ClassVar[bool] = True
    can_repeat: ClassVar[bool] = False
    """whether it is done again although it is in force"""
    is_deleted_in_the_end: ClassVar[bool] = False
    undo_label: ClassVar[str | Promise] = ""

    def before(self, subject: Subject) -> dict[str, Any] | None:
        """What has to be remembered so that it can be undone."""
        return None

    def apply(self, action: Action) -> None:
        raise NotImplementedError

    def undo(self, action: Action) -> None:
        raise NotImplementedError


_registered: dict[str, ActionKind] = {}


def register(kind: type[ActionKind]) -> type[ActionKind]:
    _registered[kind.name] = kind()
    return kind


def action_kind(name: str) -> ActionKind:
    """Raises KeyError."""
    return _registered[name]


def kinds_for(*, subject_kind: str) -> list[ActionKind]:
    return [one for one in _registered.values() if subject_kind in one.subjects]


def in_force(*, subject: Subject) -> set[str]:
    """The kinds of actions that hold for it now."""
    found = Action.objects.filter(
        subject=subject.id, subject_kind=subject.kind, state__in=STATES_IN_FORCE
    )
    return set(found.values_list("kind", flat=True))


class _OfContent(ActionKind):
    """Where the post or comment has to be is read off all that is in force."""

    def apply(self, action: Action) -> None:
        settle_content(subject_of(about=action))

    undo = apply


def settle_content(subject: Subject) -> None:
    found = in_force(subject=subject)
    if subject.kind == COMMENT:
        change = feed.hide_comment if "remove" in found else feed.show_comment
        change(post_id=subject.post, comment_id=subject.id)
        return
    hidden = feed.VISIBLE
    if "remove" in found:
        hidden = Post.Hidden.REMOVED
    elif "hold" in found:
        hidden = Post.Hidden.HELD
    feed.set_hidden(post_id=subject.id, hidden=hidden)
    feed.set_sensitive(post_id=subject.id, is_sensitive="sensitive" in found)


@register
class Remove(_OfContent):
    name, label, done = "remove", _("Remove"), _("removed")
    subjects, is_deleted_in_the_end = (POST, COMMENT), True


@register
class Sensitive(_OfContent):
    name, label, done = "sensitive", _("Mark as sensitive"), _("put behind a warning")
    subjects, is_strike = (POST,), False


@register
class Hold(_OfContent):
    name, label, done = "hold", _("Hold for review"), _("held until moderators have seen it")
    undo_label = _("Let it be published")
    subjects, is_strike = (POST,), False


@register
class Warn(ActionKind):
    """Nothing changes but that the person knows, and it counts."""

    name, label, done = "warn", _("Warn"), _("warned about")
    subjects, can_end, can_repeat = (PERSON, POST, COMMENT), False, True

    def apply(self, action: Action) -> None:
        """The notice is all."""

    undo = apply


@register
class Limit(ActionKind):
    name, label, done = "limit", _("Limit to followers"), _("limited to your followers")
    subjects = (PERSON,)

    def apply(self, action: Action) -> None:
        found = in_force(subject=subject_of(about=action))
        accounts.set_limited(uid=action.person, is_limited="limit" in found)

    undo = apply


@register
class Suspend(ActionKind):
    name, label, done = "suspend", _("Suspend"), _("suspended")
    subjects, permission = (PERSON,), "moderation.suspend"

    def apply(self, action: Action) -> None:
        if "suspend" in in_force(subject=subject_of(about=action)):
            accounts.suspend_person(uid=action.person)
        else:
            accounts.unsuspend_person(uid=action.person)

    undo = apply


@register
class Rename(ActionKind):
    """Another name until they choose one; the old one comes back if nobody has taken it since."""

    name, label, done = "rename", _("Take the name away"), _("given another name")
    subjects, permission, can_end = (PERSON,), "moderation.suspend", False

    def before(self, subject: Subject) -> dict[str, Any] | None:
        return accounts.names_of(uid=subject.id)

    def apply(self, action: Action) -> None:
        accounts.take_name(uid=action.person)

    def undo(self, action: Action) -> None:
        accounts.give_name_back(uid=action.person, **(action.before or {}))


@register
class RemoveAvatar(ActionKind):
    name, label, done = "avatar", _("Remove the picture"), _("without its picture")
    subjects, can_end = (PERSON,), False

    def before(self, subject: Subject) -> dict[str, Any] | None:
        return {"avatar": accounts.avatar_of(uid=subject.id)}

    def apply(self, action: Action) -> None:
        accounts.withhold_avatar(uid=action.person, avatar=(action.before or {})["avatar"])

    def undo(self, action: Action) -> None:
        accounts.give_avatar_back(uid=action.person, avatar=(action.before or {})["avatar"])


DELETED_IN_THE_END = [name for name, kind in _registered.items() if kind.is_deleted_in_the_end]
