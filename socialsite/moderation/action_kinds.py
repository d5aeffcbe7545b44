"""What moderators can do to people, posts and comments: a class for each, which can do it and undo it.

To add one, write its class here with ``@register``. Both of its methods may be called twice, and may have
been called halfway before: what is to be so follows from the actions that are in force, never from what was
done last, so they can be undone in any order.
"""

from datetime import timedelta
from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.services.account_status import suspend_user, unsuspend_user
from accounts.services.moderation import (
    avatar_name,
    hide_avatar,
    reset_name,
    restore_avatar,
    restore_name,
    set_limited,
    user_names,
)
from feed.models import Post
from feed.services.moderation import (
    VISIBLE,
    hide_comment,
    restore_comment,
    set_post_hidden,
    set_post_sensitive,
)

from .models import Action, SubjectKind
from .subjects import Subject, subject_from_record

UNDO_PERIOD = timedelta(days=30)
"""What is removed is deleted after that."""

USER, POST, COMMENT = SubjectKind.USER, SubjectKind.POST, SubjectKind.COMMENT
STATES_IN_FORCE = (Action.State.APPLYING, Action.State.IN_FORCE, Action.State.FINAL)


class ActionKind:
    """``label``: the button; ``done``: what the person reads of it. ``permission``: what one needs for it,
    besides to work on cases. ``is_strike``: counts against the person if the moderator says no other.
    ``undo_label``: the button that takes it back, if that has a word of its own."""

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    result: ClassVar[str | Promise]
    subject_kinds: ClassVar[tuple[str, ...]]
    permission: ClassVar[str] = "moderation.moderate"
    is_strike: ClassVar[bool] = True
    can_expire: ClassVar[bool] = True
    can_repeat: ClassVar[bool] = False
    """whether it is done again although it is in force"""
    should_delete_content: ClassVar[bool] = False
    undo_label: ClassVar[str | Promise] = ""

    def undo_data(self, subject: Subject) -> dict[str, Any] | None:
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


def action_kinds_for(*, subject_kind: str) -> list[ActionKind]:
    return [one for one in _registered.values() if subject_kind in one.subject_kinds]


def kinds_in_force(*, subject: Subject) -> set[str]:
    """The kinds of actions that hold for it now."""
    found = Action.objects.filter(
        subject=subject.id, subject_kind=subject.kind, state__in=STATES_IN_FORCE
    )
    return set(found.values_list("kind", flat=True))


class _OfContent(ActionKind):
    """Where the post or comment has to be is read off all that is in force."""

    def apply(self, action: Action) -> None:
        apply_content_state(subject_from_record(record=action))

    undo = apply


def apply_content_state(subject: Subject) -> None:
    found = kinds_in_force(subject=subject)
    if subject.kind == COMMENT:
        change = hide_comment if "remove" in found else restore_comment
        change(post_id=subject.post_id, comment_id=subject.id)
        return
    hidden = VISIBLE
    if "remove" in found:
        hidden = Post.Hidden.REMOVED
    elif "hold" in found:
        hidden = Post.Hidden.HELD
    set_post_hidden(post_id=subject.id, state=hidden)
    set_post_sensitive(post_id=subject.id, is_sensitive="sensitive" in found)


@register
class Remove(_OfContent):
    name, label, done = "remove", _("Remove"), _("removed")
    subjects, is_deleted_in_the_end = (POST, COMMENT), True


@register
class MarkSensitive(_OfContent):
    name, label, done = "sensitive", _("Mark as sensitive"), _("put behind a warning")
    subjects, is_strike = (POST,), False


@register
class RequireReview(_OfContent):
    name, label, done = "hold", _("Hold for review"), _("held until moderators have seen it")
    undo_label = _("Let it be published")
    subjects, is_strike = (POST,), False


@register
class Warn(ActionKind):
    """Nothing changes but that the person knows, and it counts."""

    name, label, done = "warn", _("Warn"), _("warned about")
    subjects, can_end, can_repeat = (USER, POST, COMMENT), False, True

    def apply(self, action: Action) -> None:
        """The notice is all."""

    undo = apply


@register
class Limit(ActionKind):
    name, label, done = "limit", _("Limit to followers"), _("limited to your followers")
    subjects = (USER,)

    def apply(self, action: Action) -> None:
        found = kinds_in_force(subject=subject_from_record(record=action))
        set_limited(uid=action.person, is_limited="limit" in found)

    undo = apply


@register
class Suspend(ActionKind):
    name, label, done = "suspend", _("Suspend"), _("suspended")
    subjects, permission = (USER,), "moderation.suspend"

    def apply(self, action: Action) -> None:
        if "suspend" in kinds_in_force(subject=subject_from_record(record=action)):
            suspend_user(uid=action.person)
        else:
            unsuspend_user(uid=action.person)

    undo = apply


@register
class ResetUsername(ActionKind):
    """Another name until they choose one; the old one comes back if nobody has taken it since."""

    name, label, done = "rename", _("Take the name away"), _("given another name")
    subjects, permission, can_end = (USER,), "moderation.suspend", False

    def before(self, subject: Subject) -> dict[str, Any] | None:
        return user_names(uid=subject.id)

    def apply(self, action: Action) -> None:
        reset_name(uid=action.person)

    def undo(self, action: Action) -> None:
        restore_name(uid=action.person, **(action.before or {}))


@register
class RemoveAvatar(ActionKind):
    name, label, done = "avatar", _("Remove the picture"), _("without its picture")
    subjects, can_end = (USER,), False

    def before(self, subject: Subject) -> dict[str, Any] | None:
        return {"avatar": avatar_name(uid=subject.id)}

    def apply(self, action: Action) -> None:
        hide_avatar(uid=action.person, avatar=(action.before or {})["avatar"])

    def undo(self, action: Action) -> None:
        restore_avatar(uid=action.person, avatar=(action.before or {})["avatar"])


KINDS_DELETING_CONTENT = [name for name, kind in _registered.items() if kind.should_delete_content]
